// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.{CommitConflictException, InvalidRequestException}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.Pylance

class RerunsSuite extends JobSuite {

  test("a job whose fragment changed meanwhile runs again on the newest version") {
    val path = numbers(20, 5)
    var runs = 0
    val outcome = Reruns {
      val table = on(path)
      runs += 1
      if (runs == 1) open(path).delete(Map(1L -> DeletionVector.of(Array(2))), "id = 7"): Unit
      CompactionJob.run(table, CompactionRequest.of(Map.empty, Map.empty))
    }
    assert(runs == 2 && outcome.metrics.fragmentsAdded == 1)
    assert(ids(path) == (0L until 20L).filterNot(_ == 7L) && Pylance.validate(path) == 19)
    assert(dataFiles(path).size == 5)
  }

  test("other failures, and conflicts that stay, are failures") {
    var runs = 0
    def failing(e: Exception): Throwable = intercept[AnalysisException] {
      Reruns[Unit] {
        runs += 1
        throw e
      }
    }
    val invalid = LanceErrors.translate(new InvalidRequestException("no"))
    assert(failing(invalid) eq invalid)
    val lasting = new CommitConflictException("overwritten", 3, retryable = false)
    assert(failing(LanceErrors.translate(lasting)).getCause == lasting && runs == 2)
  }
}
