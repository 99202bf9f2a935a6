// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** What is left to do when something has succeeded that nothing may take back any more. */
private[pysparklance] object Afterwards {

  /** Does it. An error stays here: the caller would take it for one of what succeeded. A thread that is interrupted
    * meanwhile stays so.
    *
    * @return none when it failed
    */
  def quietly[A](body: => A): Option[A] =
    try Some(body)
    catch {
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        None
      case _: Exception => None
    }
}
