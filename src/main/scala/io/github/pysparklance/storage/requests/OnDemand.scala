// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import java.util.concurrent.CancellationException

/** Runs work lazily in the thread that awaits it. Not thread-safe. */
private[pysparklance] object OnDemand extends Background {

  def start[A](work: () => A): Pending[A] = new Pending[A] {
    private var isGivenUp = false
    private var outcome = Option.empty[A]

    def isDone: Boolean = outcome.isDefined

    def await(): A = {
      if (isGivenUp) throw new CancellationException
      if (outcome.isEmpty) outcome = Some(work())
      outcome.get
    }

    def cancel(): Unit = isGivenUp = true
  }
}
