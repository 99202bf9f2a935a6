// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.IndexCoverage._

class RetrySuite extends AnyFunSuite {

  private def conflict(retryable: Boolean): Nothing =
    throw new CommitConflictException("not committed", 7, retryable)

  test("an operation is retried on the latest version until it is committed") {
    val base = OperationExamples.table()
    val update = OperationExamples.all.toMap.apply("UpdateColumns(0,b)")
    var seen = Seq.empty[Long]
    val committed = Retry()(base.latest) { (t: LanceTable) =>
      seen :+= t.version
      // Another writer wins the race twice.
      if (seen.length <= 2) t.latest.commit(OperationExamples.all.toMap.apply("UpdateColumns(0,a)"))
      t.commit(update)
    }
    assert(seen == Seq(2L, 3L, 4L) && committed.version == 5)
  }

  test("retries stop after a number of runs, after a time, or if they cannot help") {
    def runs(retry: Retry, retryable: Boolean): Int = {
      var n = 0
      intercept[CommitConflictException](retry(()) { _ =>
        n += 1
        conflict(retryable)
      })
      n
    }
    assert(runs(Retry(maxRetries = 3), retryable = true) == 4)
    assert(runs(Retry(timeoutMillis = 0), retryable = true) == 1)
    assert(runs(Retry(), retryable = false) == 1)
  }

  test("an index does not cover rows that got new values while it was built") {
    val examples = OperationExamples.all.toMap
    val base = OperationExamples.table()
    base.commit(examples("UpdateColumns(1,b)"))
    val t = base.commit(examples("CreateIndex(y,b,1)"))
    assert(t.indices.find(_.name == "y").flatMap(_.coveredFragments).contains(IndexedSeq.empty))
    assert(t.indices.find(_.name == "z").flatMap(_.coveredFragments).contains(Seq(0L, 1L, 2L)))
  }
}
