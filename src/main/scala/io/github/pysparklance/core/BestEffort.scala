// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Runs best-effort work after a commit; failures are logged, not thrown. */
private[pysparklance] object BestEffort {

  private val log = Log(getClass)

  /** Runs `body` and returns its result, or `None` if it throws. An exception is logged instead of
    * thrown, because the commit before it succeeded. If the thread is interrupted meanwhile, it
    * stays interrupted.
    *
    * @param what names the work in the log message "… failed"
    */
  def run[A](what: => String)(body: => A): Option[A] =
    try Some(body)
    catch {
      case e: Exception =>
        if (e.isInstanceOf[InterruptedException]) Thread.currentThread.interrupt()
        log.warn(s"$what failed; the commit before it stands", e)
        None
    }
}
