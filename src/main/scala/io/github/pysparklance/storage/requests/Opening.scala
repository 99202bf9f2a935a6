// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.AtomicReference

/** A resource that is being opened in the background. If it is no longer needed, it is closed, even
  * if opening finishes later.
  */
final private[pysparklance] class Opening[A <: AutoCloseable](
    background: Background,
    open: () => A
) extends AutoCloseable {
  import Opening._

  // `pending` can be canceled after the resource was opened, so the state holds the resource.
  private val state = new AtomicReference[State[A]](Under)
  private val pending: Pending[A] = background.start { () =>
    val opened = open()
    if (!state.compareAndSet(Under, Open(opened))) {
      opened.close()
      throw new CancellationException
    }
    opened
  }

  /** Waits for the resource and passes its ownership to the caller. Throws if opening failed. */
  def await(): A = {
    val opened = pending.await()
    state.set(Taken)
    opened
  }

  /** Returns the resource if it is open. It still belongs to this object until [[await]]. */
  def peek: Option[A] = state.get match {
    case Open(opened) => Some(opened)
    case _ => None
  }

  /** Cancels opening, or closes the resource unless [[await]] returned it. */
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
