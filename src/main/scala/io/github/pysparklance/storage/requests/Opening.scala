// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

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

  // what is open is kept here: `pending` may be given up when it is open already
  private val state = new AtomicReference[State[A]](Under)
  private val pending: Pending[A] = background.start { () =>
    val opened = open()
    if (!state.compareAndSet(Under, Open(opened))) {
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
  def peek: Option[A] = state.get match {
    case Open(opened) => Some(opened)
    case _ => None
  }

  /** Gives it up, unless [[await]] answered. */
  def close(): Unit = {
    pending.cancel()
    if (!state.compareAndSet(Under, Dropped)) state.get match {
      case ready @ Open(opened) => if (state.compareAndSet(ready, Dropped)) opened.close()
      case _ => ()
    }
  }
}

private object Opening {
  sealed private trait State[+A]
  private case object Under extends State[Nothing]
  final private case class Open[+A](opened: A) extends State[A]
  private case object Taken extends State[Nothing]
  private case object Dropped extends State[Nothing]
}
