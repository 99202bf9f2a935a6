// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** What is left to do when something has succeeded that nothing may take back any more. */
private[pysparklance] object Afterwards {

  private val log = Log(getClass)

  /** Does it. An error is logged and stays here: the caller would take it for one of what succeeded. A thread that is
    * interrupted meanwhile stays so.
    *
    * @param what is done, to complete "… failed"
    * @return none when it failed
    */
  def quietly[A](what: => String)(body: => A): Option[A] =
    try Some(body)
    catch {
      case e: Exception =>
        if (e.isInstanceOf[InterruptedException]) Thread.currentThread.interrupt()
        log.warn(s"$what failed; the commit before it stands", e)
        None
    }
}
