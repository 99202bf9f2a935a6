// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.io.IOException

import io.github.pysparklance.core.{CommitStateUnknownException, LanceException}

/** Whether the files of a write may belong to a version: from the begin of its commit on, unless the commit is known to
  * have failed. Spark aborts a write for whatever goes wrong, and be it after the commit.
  */
final private[spark] class VisibleFiles {
  private var mayBeVisible = false

  /** Runs the commit. */
  def by[A](commit: => A): A = {
    mayBeVisible = true
    try commit
    catch {
      case e: CommitStateUnknownException => throw e
      case e @ (_: LanceException | _: IOException) =>
        mayBeVisible = false
        throw e
    }
  }

  /** Removes what was written, unless it may be visible. */
  def orElse(remove: => Unit): Unit = if (!mayBeVisible) remove
}
