// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.{CommitConflictException, InvalidRequestException}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.jobs.{CompactionJob, CompactionRequest, JobSuite}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.transaction.Retry
import io.github.pysparklance.testkit.Pylance

class StatementRetrySuite extends JobSuite {

  test("a job whose fragment was changed concurrently is retried on the latest version") {
    val path = numbers(20, 5)
    var runs = 0
    val outcome = StatementRetry(Retry()) {
      val table = on(path)
      runs += 1
      if (runs == 1) open(path).delete(Map(1L -> DeletionVector.of(Array(2))), "id = 7"): Unit
      CompactionJob.run(table, CompactionRequest.of(Map.empty, Map.empty))
    }
    assert(runs == 2 && outcome.metrics.fragmentsAdded == 1)
    assert(ids(path) == (0L until 20L).filterNot(_ == 7L) && Pylance.validate(path) == 19)
    assert(dataFiles(path).size == 5)
  }

  test("other errors, and conflicts that a retry cannot resolve, are thrown unchanged") {
    var runs = 0
    def failing(e: Exception): Throwable = intercept[AnalysisException] {
      StatementRetry[Unit](Retry()) {
        runs += 1
        throw e
      }
    }
    val invalid = LanceErrors.translate(new InvalidRequestException("no"))
    assert(failing(invalid) eq invalid)
    val lasting =
      LanceErrors.translate(new CommitConflictException("overwritten", 3, retryable = false))
    assert((failing(lasting) eq lasting) && runs == 2)
  }

  test("a statement that is invalid on the latest version is not retried") {
    val conflict = new CommitConflictException("a lost race", 2L, retryable = true)
    def lost(retry: Retry, fits: Boolean): (Int, Seq[Int]) = {
      var moves = 0
      var runs = Seq.empty[Int]
      def later(version: Int): Option[Int] = {
        moves += 1
        if (fits) Some(version + 1) else None
      }
      val e = intercept[CommitConflictException] {
        new StatementRetry(retry).from(1)(later) { version =>
          runs :+= version
          throw conflict
        }
      }
      assert((e eq conflict) && e.retryable)
      (moves, runs)
    }
    assert(lost(Retry(2), fits = false) == ((1, Seq(1))))
    assert(lost(Retry(2), fits = true) == ((2, Seq(1, 2, 3))))
    assert(lost(Retry.never, fits = true) == ((0, Seq(1))))
  }
}
