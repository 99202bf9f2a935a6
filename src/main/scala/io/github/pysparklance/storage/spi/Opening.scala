// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.AtomicReference

/** Opens something beside the thread that wants it. What is open when nobody wants it any more is closed, also when that
  * turns out later.
  */
final private[pysparklance] class Opening[A <: AutoCloseable](
    background: Background,
    open: () => A
) extends AutoCloseable {
  import Opening._

  private val state = new AtomicReference[State](Under)
  private val pending: Pending[A] = background.start { () =>
    val opened = open()
    if (!state.compareAndSet(Under, Open)) {
      opened.close()
      throw new CancellationException
    }
    opened
  }

  /** What was opened; closing it is up to the caller from now on. What went wrong is raised here. */
  def await(): A = {
    val opened = pending.await()
    state.set(Taken)
    opened
  }

  /** What was opened, when it is; it stays what [[await]] answers. */
  def peek: Option[A] = if (state.get == Open && pending.isDone) Some(pending.await()) else None

  /** Gives it up, unless [[await]] answered. */
  def close(): Unit = {
    pending.cancel()
    if (!state.compareAndSet(Under, Dropped) && state.compareAndSet(Open, Dropped))
      pending.await().close()
  }
}

private object Opening {
  sealed private trait State
  private case object Under extends State
  private case object Open extends State
  private case object Taken extends State
  private case object Dropped extends State
}
