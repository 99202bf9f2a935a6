// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec

import io.github.pysparklance.core.{CommitConflictException, Log}

/** Runs operations again that cannot be committed because of what others committed meanwhile, such as an update of
  * rows that were moved.
  *
  * Source: format page of the table, "Retries".
  *
  * @param maxRetries runs after the first one
  * @param timeoutMillis no new run begins after this time
  */
final case class Retry(maxRetries: Int = Retry.MaxRetries, timeoutMillis: Long = 30000L) {

  /** Runs an operation until it is committed.
    *
    * @param newest opens the newest version of the table
    * @param run the operation on a version of the table, from the look for its rows to the commit
    * @throws CommitConflictException the last conflict, or one that running again does not help
    */
  def apply[T, A](newest: => T)(run: T => A): A = {
    val started = System.nanoTime()
    def elapsedMillis = (System.nanoTime() - started) / 1000000L
    var firstRunMillis = 0L
    @tailrec def go(attempt: Int): A = {
      val runStarted = elapsedMillis
      val result =
        try Right(run(newest))
        catch {
          case e: CommitConflictException
              if e.retryable && attempt < maxRetries && elapsedMillis < timeoutMillis =>
            Left(e)
        }
      result match {
        case Right(a) => a
        case Left(e) =>
          Retry.log.info(s"${e.getMessage}; run ${attempt + 2} of at most ${maxRetries + 1}")
          if (attempt == 0) firstRunMillis = elapsedMillis - runStarted
          Retry.backOff(attempt, firstRunMillis)
          go(attempt + 1)
      }
    }
    go(0)
  }
}

object Retry {
  private val log = Log(classOf[Retry])
  private val MaxRetries = 10

  /** No retries. */
  val never: Retry = Retry(maxRetries = 0)

  /** For operations of which each run is a job: as often as commits are to be tried again, within bounds. */
  def of(options: CommitOptions): Retry = Retry(math.min(options.maxRetries, MaxRetries))

  /** Waits a random number of slots, the more the more often it failed.
    *
    * @param firstMillis what the first attempt took; a slot is a little longer
    */
  private[table] def backOff(attempt: Int, firstMillis: Long): Unit = {
    val slots = math.min(128, 4 << math.min(attempt, 5))
    val slotMillis = math.min(firstMillis * 11 / 10 + 1, 1000L)
    Thread.sleep(ThreadLocalRandom.current().nextInt(slots) * slotMillis)
  }
}
