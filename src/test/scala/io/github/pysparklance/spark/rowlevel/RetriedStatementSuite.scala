// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.{CommandResultExec, SparkPlan}
import org.apache.spark.sql.functions.udf
import org.scalatest.concurrent.Eventually
import org.scalatest.time.SpanSugar._

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.TableRows

class RetriedStatementSuite extends RowLevelSuite with Eventually {

  private def commandOf(plan: SparkPlan): SparkPlan = plan match {
    case done: CommandResultExec => done.commandPhysicalPlan
    case other => other
  }

  /** A function for the row with the id 0 that deletes another row of its fragment in every run. */
  private def deletingEachTime(): Unit = {
    val target = path
    spark.udf.register(
      "delete_another",
      udf { (id: Long) =>
        if (id == 0L) {
          // A closure would copy a local counter.
          val runs = RetriedStatementSuite.runs
          val row = Map(0L -> DeletionVector.of(Array(runs.incrementAndGet())))
          LanceTable.open(Storage.local, target).delete(row, "meanwhile"): Unit
        }
        -1L
      }
    ): Unit
  }

  test("statements with retries run in the plan node") {
    create()
    for (
      statement <- Seq(
        s"DELETE FROM $t WHERE value = 30",
        s"UPDATE $t SET value = 1 WHERE id = 4",
        s"MERGE INTO $t x USING (SELECT 5L AS id) s ON x.id = s.id WHEN MATCHED THEN DELETE",
        s"UPDATE $t SET value = 2",
        s"DELETE FROM $t WHERE _fragid = 1",
        s"TRUNCATE TABLE $t",
        s"DELETE FROM $t"
      )
    ) {
      if (statement == s"UPDATE $t SET value = 2")
        sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = 'columns')")
      assert(commandOf(ran(statement)).isInstanceOf[RetriedStatementExec], statement)
      assert(rows(s"EXPLAIN $statement").head.getString(0).contains("RetriedStatement"))
    }
  }

  test("maintenance runs in the plan node, and returns its rows") {
    create()
    spark.conf.set("spark.lance.write.commitRetries", "0") // has no say in maintenance
    try {
      val tag = analyzed(s"ALTER TABLE $t CREATE TAG first")
      run(tag)
      assert(commandOf(tag.executedPlan).isInstanceOf[RetriedStatementExec])
      val optimize = sql(s"OPTIMIZE $t")
      assert(commandOf(optimize.queryExecution.executedPlan).isInstanceOf[RetriedStatementExec])
      assert(optimize.head().getAs[Long]("fragments_removed") == 4)
      assert(!commandOf(ran(s"SHOW TAGS IN $t")).isInstanceOf[RetriedStatementExec])
    } finally spark.conf.unset("spark.lance.write.commitRetries")
  }

  test("a retry does not change the analyzed command") {
    create()
    val update = analyzed(s"UPDATE $t SET value = -1 WHERE id IN (3, 4)")
    def version: Long = update.analyzed.collectFirst { case DeltaOperation(o) =>
      o.target._2.version
    }.get
    deletedMeanwhile(0L, 3)
    run(update)
    assert(version == 1 && table.version == 3 && values.count(_._2 == -1L) == 1)
  }

  test("the UI shows the metrics of the last run") {
    for (mode <- Seq("rows", "columns")) {
      LanceTable.drop(Storage.local, path)
      create()
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = '$mode')")
      val update = analyzed(s"UPDATE $t SET value = -1 WHERE id IN (2, 3, 4)")
      deletedMeanwhile(0L, 3)
      run(update)
      eventually(timeout(30.seconds)) {
        val store = spark.sharedState.statusStore
        val execution = store.executionsList().last
        val values = store.executionMetrics(execution.executionId)
        val updated = execution.metrics.filter(_.name == "rows updated").map(_.accumulatorId)
        assert(updated.flatMap(values.get(_)).contains("2"), mode)
      }
    }
  }

  test("the table properties limit the retries of a statement, also if it chooses how it writes") {
    for (numRows <- Seq(20, 10000)) {
      LanceTable.drop(Storage.local, path)
      // All other rows are in one fragment, which takes much less time than thousands of fragments.
      val first = create()
      if (numRows > 20) {
        val rest = (20L until numRows.toLong).map(id => (id, id * 10))
        first.append(IndexedSeq(TableRows.write(Storage.local, path, rest))): Unit
      }
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('commit.retry.num' = '2')")
      RetriedStatementSuite.runs.set(0)
      deletingEachTime()
      val e = intercept[AnalysisException] {
        sql(s"UPDATE $t SET value = delete_another(id) WHERE id < 5")
      }
      assert(e.condition == "LANCE_COMMIT_CONFLICT" && RetriedStatementSuite.runs.get == 3)
      assert(!values.exists(_._2 == -1L) && values.length == numRows - 3)
    }
  }
}

private object RetriedStatementSuite {
  val runs = new AtomicInteger
}
