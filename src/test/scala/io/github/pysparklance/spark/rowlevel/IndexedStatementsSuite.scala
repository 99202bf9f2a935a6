// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import java.util.concurrent.{Callable, Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.QueryExecution

import io.github.pysparklance.spark.scan.joins.JoinKeysSuite
import io.github.pysparklance.testkit.{Classic, Pylance, TestRun}

/** Statements find the rows to change in indices. */
class IndexedStatementsSuite extends JoinKeysSuite {

  private def content(of: String): Seq[String] =
    sql(s"SELECT id, small, name, text FROM $of").collect().map(_.toString).sorted.toSeq

  /** The same table without indices. */
  private def twin: String = s"lake.`${folder.resolve("twin")}`"

  private def createBoth(options: (String, String)*): Unit = {
    create(options: _*)
    rows().write.format("lance").options(options.toMap).save(folder.resolve("twin").toString)
    createKeys()
  }

  /** Runs a statement on both tables, and returns the rows that it read of the one with indices. */
  private def both(statement: String => String): Long = {
    sql(statement(twin)): Unit
    val done = sql(statement(t))
    assert(content(t) == content(twin), statement("t"))
    scanned(done)
  }

  for (options <- Seq(Seq.empty, Seq("enableStableRowIds" -> "true")))
    test(s"UPDATE, DELETE, and MERGE read only the rows that they change ${options.mkString}") {
      createBoth(options: _*)
      // Each statement selects its rows, whether or not the ones before it ran.
      val statements = Seq[() => Any](
        () => assert(both(x => s"DELETE FROM $x WHERE id = 17") == 1),
        () => assert(both(x => s"DELETE FROM $x WHERE id IN (18, 19) AND small >= 0") == 2),
        () =>
          assert(
            both(x => s"DELETE FROM $x WHERE id IN (SELECT k + 0 FROM keys WHERE n = 2)") >= 1
          ),
        () =>
          assert(both(x => s"DELETE FROM $x WHERE id IN (SELECT k FROM keys WHERE n < 5)") <= 5),
        () => assert(both(x => s"UPDATE $x SET text = 'a' WHERE id = 21") <= 2),
        { () =>
          val updates = both(x =>
            s"UPDATE $x SET text = 'b' WHERE EXISTS (SELECT 1 FROM keys WHERE k = id AND n < 20)"
          )
          assert(updates <= 40)
        },
        { () =>
          val upsert = both(x =>
            s"""MERGE INTO $x x USING keys ON x.id = k WHEN MATCHED THEN UPDATE SET text = keys.name
               |WHEN NOT MATCHED AND k IS NOT NULL THEN INSERT (id, small, name, text)
               |VALUES (k, 1, keys.name, 'new')""".stripMargin
          )
          assert(upsert > 0 && upsert <= matches)
        },
        { () =>
          val updates = both(x =>
            s"MERGE INTO $x x USING keys ON x.id = k AND x.small > 10 WHEN MATCHED AND n > 3 " +
              "THEN UPDATE SET small = 7 WHEN MATCHED THEN DELETE"
          )
          assert(updates <= matches + 5)
        },
        { () =>
          val inserts = both(x =>
            s"""MERGE INTO $x x USING (SELECT k + n AS k, n FROM keys UNION ALL SELECT k, n FROM keys) s
               |ON x.id = s.k WHEN NOT MATCHED THEN INSERT (id, text) VALUES (s.k, 'more')""".stripMargin
          )
          assert(inserts > 0)
        },
        () =>
          both(x =>
            s"""MERGE INTO $x x USING keys ON x.id = k WHEN MATCHED THEN UPDATE SET name = 'x'
               |WHEN NOT MATCHED BY SOURCE AND id < 50 THEN DELETE""".stripMargin
          )
      )
      TestRun.share(if (options.isEmpty) 0 else 1, 2, statements).foreach(_.apply())
      assert(Pylance.validate(path) == sql(s"SELECT count(*) FROM $t").head().getLong(0))
    }

  private def analyzed(text: String): QueryExecution = {
    val session = Classic.session(spark)
    val query = session.sessionState.executePlan(session.sessionState.sqlParser.parsePlan(text))
    query.assertAnalyzed()
    query
  }

  test("a retried statement finds rows that were written after the index") {
    createBoth()
    val merge = (x: String) =>
      s"MERGE INTO $x x USING keys ON x.id = k WHEN MATCHED THEN UPDATE SET text = CONCAT(x.text, ' merged')"
    val statements = Seq[String => String](
      x => s"DELETE FROM $x WHERE id = 1301",
      x => s"UPDATE $x SET text = CONCAT(text, ' updated') WHERE id IN (2602, 3903)",
      merge
    )
    for ((statement, i) <- statements.zipWithIndex) {
      val waiting = analyzed(statement(t))
      // These rows are now in a fragment that the index does not cover.
      for (x <- Seq(t, twin)) {
        sql(s"ALTER TABLE $x SET TBLPROPERTIES ('updateMode' = 'rows')")
        sql(s"UPDATE $x SET text = 'meanwhile $i' WHERE id IN (1301, 2602, 3903, 5204)")
        sql(s"INSERT INTO $x (id, text) VALUES (${1301 * (6 + i)}, 'second')")
      }
      waiting.assertCommandExecuted()
      sql(statement(twin))
      assert(content(t) == content(twin), statement("t"))
    }
  }

  test("concurrent MERGEs lose no change") {
    createBoth()
    val increments = 4
    val merge =
      s"MERGE INTO $t x USING keys ON x.id = k WHEN MATCHED THEN UPDATE SET small = x.small + 100000"
    sql(s"ALTER TABLE $t SET TBLPROPERTIES ('commit.retry.num' = '50')")
    val threads = Executors.newFixedThreadPool(2)
    try {
      val work: Callable[Unit] = () => (0 until increments).foreach(_ => sql(merge))
      threads.invokeAll(Seq(work, work).asJava).asScala.foreach(_.get())
    } finally {
      threads.shutdown()
      threads.awaitTermination(60, TimeUnit.SECONDS): Unit
    }
    val changed = sql(s"SELECT count(*), min(small DIV 100000), max(small DIV 100000) FROM $t " +
      "WHERE small >= 100000").head()
    assert(changed.getLong(0) == matches)
    assert(changed.getLong(1) == 2 * increments && changed.getLong(2) == 2 * increments)
  }
}
