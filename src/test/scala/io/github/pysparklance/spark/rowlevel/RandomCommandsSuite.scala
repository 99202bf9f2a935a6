// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.Row
import org.scalatest.Assertion

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.testkit.{ExactRows, Pylance, TestRun}

/** Sequences of DELETE, UPDATE, MERGE, and INSERT on a table have the same results as queries on a
  * DataFrame of the rows, also in pylance. Rows keep their stable ids.
  */
class RandomCommandsSuite extends RowLevelSuite {
  private val isLong = TestRun.isLong
  private val numSequences = if (isLong) 30 else 2
  private val numCommands = if (isLong) 40 else 8
  private val seed = TestRun.seed

  (0 until numSequences).foreach { i =>
    val stable = i % 2 == 0
    test(s"sequence $i, ${if (stable) "with" else "without"} stable row ids") {
      val random = new Random(seed + i)
      val commands = new RandomCommands(random, firstKey = 0L)
      create(commands.rows(commands.newKeys(60)), stable, filesPerTable = 1 + random.nextInt(4))
      val log = Seq.newBuilder[String]
      (1 to numCommands).foreach { _ =>
        sql(commands.source()).createOrReplaceTempView("source")
        val command = commands.next()
        log += command.statement
        withClue(s"seed ${seed}L, sequence $i:\n${log.result().mkString(";\n")}\n") {
          step(command, stable)
          if (random.nextInt(6) == 0)
            new Compaction(table).run(CompactionOptions(targetRowsPerFragment = 30)): Unit
          check(stable)
        }
      }
    }
  }

  private var model = Seq.empty[Row]
  private var rowIds = Map.empty[Long, Long]

  private def create(first: String, stable: Boolean, filesPerTable: Int): Assertion = {
    val rows = sql(first).repartition(filesPerTable)
    rows.limit(0).write.format("lance").save(s"$path-columns")
    val columns = LanceTable.open(Storage.local, s"$path-columns").schema
    LanceTable.create(Storage.local, path, columns, enableStableRowIds = stable): Unit
    rows.write.format("lance").mode("append").save(path)
    model = sql(s"SELECT * FROM $t").collect().toSeq
    rowIds = Map.empty
    check(stable)
  }

  private def step(command: RandomCommand, stable: Boolean): Assertion = {
    val columns = sql(s"SELECT * FROM $t").schema
    spark.createDataFrame(model.asJava, columns).createOrReplaceTempView("model")
    val expected = sql(command.model).collect().toSeq
    sql(command.statement.replace("$TABLE", t))
    model = expected
    if (stable) {
      val now = column("k", "_rowid")
      assert(rowIds.forall { case (k, id) => now.get(k).forall(_ == id) })
    } else succeed
  }

  private def check(stable: Boolean): Assertion = {
    val found = sql(s"SELECT * FROM $t").collect().toSeq
    assert(found.map(ExactRows.text).sorted == model.map(ExactRows.text).sorted)
    if (stable) {
      rowIds = column("k", "_rowid")
      assert(rowIds.values.toSet.size == found.length)
    }
    assert(Pylance.validate(path) == found.length)
    val read = Pylance.rows(path, columns = Some(Seq("k", "n", "s"))).map { r =>
      (r.get("k").asLong, r.get("n").asText, r.get("s").asText)
    }
    assert(read.sorted == found.map(r => (r.getLong(0), text(r.get(1)), text(r.get(2)))).sorted)
  }

  private def text(value: Any): String = if (value == null) "null" else value.toString
}
