// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.TestRun

/** Tables that are dropped and created again while a query runs, or between two starts of the same
  * `DataFrame`.
  */
class SourceRecreatedSuite extends AnyFunSuite with SourceTests {
  private val limits = Seq[(String, Any)]("maxFragmentsPerTrigger" -> 1)

  private val reads = Seq[Seq[(String, Any)]](
    limits,
    limits :+ ("skipChangeCommits" -> true),
    limits :+ ("ignoreChanges" -> true),
    limits :+ ("readChangeFeed" -> true)
  )

  /** Drops the table and creates another one with a number of versions. */
  private def recreate(versions: Int): Unit = {
    sql(s"DROP TABLE $name")
    sql(s"CREATE TABLE $name (id BIGINT, s STRING) TBLPROPERTIES ('enableStableRowIds' = 'true')")
    (2 to versions).foreach(i => insert(100L + i))
  }

  /** The table has this many versions when it is dropped. */
  private val before = 4

  private def fill(): Unit = (2 to before).foreach(i => insert(i.toLong))

  private def conditionOf(body: => Any): String = {
    val e = intercept[Exception](body)
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
      .collectFirst { case a: AnalysisException => a }.getOrElse(throw e).getMessage
  }

  for {
    options <- reads
    others =
      if (options == limits) TestRun.sample(1, Seq(before - 1, before + 1, before + 3)) else Nil
    versions <- before +: others
  } {
    val what = s"${options.map(_._1).last}, $versions versions"

    test(s"a running query stops if the table is dropped and created again: $what") {
      withTable() {
        fill()
        val e = conditionOf(drain(
          stream(options: _*),
          onBatch = id => if (id == 0) recreate(versions)
        ))
        assert(e.contains("dropped and created again"), e)
      }
    }

    test(s"an idle query stops if the table is dropped and created again: $what") {
      withTable() {
        fill()
        val batches = microBatches(options: _*)
        val read = batches.all()
        recreate(versions)
        val e = conditionOf(batches.next(read))
        assert(e.contains("dropped and created again"), e)
      }
    }

    test(s"the same DataFrame does not read a table that was created again: $what") {
      withTable() {
        fill()
        val frame = stream(options: _*)
        assert(drain(frame).flatten.length == before - 1)
        recreate(versions)
        for (to <- Seq(checkpoint, folder.resolve("new"))) {
          val e = problem(frame, to)
          assert(e.contains("dropped and created again"), e)
        }
        // A new call of readStream reads the new table.
        val rows = drain(stream(options: _*).select("id"), folder.resolve("other")).flatten
        assert(rows == (2 to versions).map(i => (100 + i).toString))
      }
    }
  }
}
