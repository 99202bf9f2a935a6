// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec

import io.github.pysparklance.core.{CommitConflictException, Log}

/** Retries whole operations after retryable conflicts, such as an update of rows that were moved
  * concurrently.
  *
  * Source: format page of the table, "Retries".
  *
  * @param maxRetries runs after the first one
  * @param timeoutMillis no new run begins after this time
  */
final case class Retry(maxRetries: Int = Retry.MaxRetries, timeoutMillis: Long = 30000L) {

  /** Runs an operation until it is committed.
    *
    * @param latest opens the latest version of the table
    * @param run the operation on a version of the table, from finding its rows to the commit
    * @throws CommitConflictException the last conflict, or the first one that is not retryable
    */
  def apply[T, A](latest: => T)(run: T => A): A = {
    val started = System.nanoTime()
    def elapsedMillis = (System.nanoTime() - started) / 1000000L
    var firstRunMillis = 0L
    @tailrec def go(attempt: Int): A = {
      val runStarted = elapsedMillis
      val result =
        try Right(run(latest))
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
          Retry.backOff(attempt, firstRunMillis, timeoutMillis - elapsedMillis)
          go(attempt + 1)
      }
    }
    go(0)
  }
}

object Retry {
  private val log = Log(classOf[Retry])
  private val MaxRetries = 10
  private val MaxSleepMillis = 10000L

  /** No retries. */
  val never: Retry = Retry(maxRetries = 0)

  /** Retries of operations whose every run is a Spark job: as many as commit retries, but at most
    * 10.
    */
  def of(options: CommitOptions): Retry = Retry(math.min(options.maxRetries, MaxRetries))

  /** Sleeps for a random number of slots, whose maximum grows with the number of failures, but at
    * most 10 s.
    *
    * @param firstMillis duration of the first attempt; a slot is about 10% longer, at most 1 s
    * @param leftMillis time until no more attempts are made, which bounds the sleep
    */
  private[table] def backOff(
      attempt: Int,
      firstMillis: Long,
      leftMillis: Long = MaxSleepMillis
  ): Unit = {
    val slots = math.min(128, 4 << math.min(attempt, 5))
    val slotMillis = math.min(firstMillis * 11 / 10 + 1, 1000L)
    val millis = ThreadLocalRandom.current().nextInt(slots) * slotMillis
    Thread.sleep(math.max(0L, math.min(math.min(millis, MaxSleepMillis), leftMillis)))
  }
}
