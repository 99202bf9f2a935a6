// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import java.nio.file.Files

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.apache.spark.sql.{AnalysisException, Column, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.transaction.operation.UpdateMap
import io.github.pysparklance.testkit.{Pylance, StreamingTests}

/** Streaming writes in output modes append and complete, and their repetition. */
class SinkSuite extends AnyFunSuite with StreamingTests {

  private def error(body: => Any): String = {
    val e = intercept[Exception](body)
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("; ")
  }

  private def versions: Seq[Long] = LanceTable.versions(Storage.local, path)

  private def clean(): Unit = {
    val policy = CleanupPolicy(deleteUnverified = true, errorIfTaggedOldVersions = false)
    table.planCleanup(policy).run(Storage.local): Unit
  }

  test("the first micro-batch creates the table, and each micro-batch is a version") {
    feedIds(0L until 3L)
    feedIds(3L until 5L)
    val query = drain(writer(source(), "column.v.compression" -> "zstd", "maxRowsPerFile" -> "2"))
    assert(ids == (0L until 5L))
    assert(Pylance.rows(path).map(_.get("v").asText) == (0 until 5).map(i => s"v$i"))
    assert(versions == Seq(1L, 2L, 3L))
    assert(table.fragments.flatMap(_.physicalRows) == Seq(2L, 1L, 2L))
    val notes = LanceTable.history(Storage.local, path).toSeq.map(_.properties)
    val epochs = notes.map(_.get("lance.spark.txnVersion"))
    assert(epochs == Seq(None, Some("0"), Some("1")))
    assert(notes.drop(1).forall(_.get("lance.spark.txnAppId").contains(query.id.toString)))
    assert(table.manifest.config.keys.forall(_.startsWith("lance.spark.txn.")), "no options")
    drain(writer(source())): Unit
    assert(versions == Seq(1L, 2L, 3L), "a restart without new rows commits nothing")
    feedIds(Seq(5L))
    drain(writer(source())): Unit
    assert(ids == (0L until 6L) && versions.last == 4L)
  }

  test("toTable creates a table in a catalog and writes to an existing one") {
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.sink")
    feedIds(0L until 3L)
    finished(writer(source()).toTable("lake.sink.events")): Unit
    feedIds(3L until 5L)
    finished(writer(source()).toTable("lake.sink.events")): Unit
    assert(spark.table("lake.sink.events").count() == 5)
    val other = writer(source()).option("checkpointLocation", folder.resolve("other").toString)
    finished(other.toTable("lake.sink.events")): Unit
    assert(spark.table("lake.sink.events").count() == 10, "another query has its own rows")
    spark.sql("DROP TABLE lake.sink.events")
  }

  test("output mode complete replaces all rows in one version") {
    val counts = source().groupBy("v").agg(count("*").as("n"), max("id").as("id"))
    feed("""{"id": 1, "v": "a"}""", """{"id": 2, "v": "b"}""")
    feed("""{"id": 3, "v": "a"}""")
    drain(writer(counts).outputMode("complete")): Unit
    def rows = read.select("v", "n", "id").collect().toSet
    assert(rows == Set(Row("a", 2L, 3L), Row("b", 1L, 2L)))
    val written = LanceTable.history(Storage.local, path).toSeq.flatMap(_.operation)
    assert(written.forall(_ == "Overwrite"), written)
    val before = versions.length
    forget(1)
    drain(writer(counts).outputMode("complete")): Unit
    assert(versions.length == before && rows.size == 2)
    feed("""{"id": 4, "v": "c"}""")
    drain(writer(counts).outputMode("complete")): Unit
    assert(rows.size == 3 && versions.length == before + 1)
  }

  // Guards against a fault of Paimon: a micro-batch that was replayed after a crash was written
  // twice (paimon#9666).
  test("a micro-batch that is repeated after a crash is not committed again") {
    (0L until 3L).foreach(i => feedIds(Seq(i)))
    drain(writer(source())): Unit
    assert(ids == Seq(0L, 1L, 2L))
    val before = versions.length
    forget(2)
    drain(writer(source())): Unit
    assert(ids == Seq(0L, 1L, 2L) && versions.length == before)
    val (named, present) = dataFiles
    assert(present == named, "the files of the repetition are deleted")
  }

  test("a micro-batch is not repeated after other commits and after clean-up") {
    (0L until 3L).foreach(i => feedIds(Seq(i)))
    drain(writer(source())): Unit
    forget(2)
    spark.range(
      100,
      103
    ).selectExpr("id", "'x' AS v").write.format("lance").mode("append").save(path)
    spark.sql(s"DELETE FROM lance.`$path` WHERE id = 100")
    spark.sql(s"OPTIMIZE lance.`$path`").collect(): Unit
    Pylance.write("{'id': [200], 'v': ['p']}", path, "mode" -> "append")
    clean()
    assert(versions.length == 1)
    val rows = ids
    drain(writer(source())): Unit
    assert(ids == rows)
    feedIds(Seq(3L))
    drain(writer(source())): Unit
    assert(ids == (rows :+ 3L).sorted)
  }

  test("numbered batch writes survive clean-up as well") {
    def append(number: Int): Unit = spark.range(2).selectExpr("id", "'x' AS v")
      .write.format("lance").mode("append")
      .option("txnAppId", "job").option("txnVersion", number.toLong)
      .save(path)
    append(1)
    append(2)
    spark.range(5, 6).selectExpr("id", "'y' AS v").write.format("lance").mode("append").save(path)
    clean()
    append(2)
    append(1)
    assert(ids == Seq(0L, 0L, 1L, 1L, 5L))
    assert(!spark.sql(s"SHOW TBLPROPERTIES lance.`$path`").collect().exists(
      _.getString(0).startsWith("lance.spark.txn")
    ))
  }

  test("a restored version contains the micro-batches of its rows") {
    (0L until 3L).foreach(i => feedIds(Seq(i)))
    drain(writer(source())): Unit
    spark.sql(s"RESTORE TABLE lance.`$path` TO VERSION AS OF 3").collect(): Unit
    assert(ids == Seq(0L, 1L))
    forget(2)
    drain(writer(source())): Unit
    assert(ids == Seq(0L, 1L, 2L))
  }

  // Guards against a fault of Iceberg's sink: names of files were built from task numbers, which
  // start again in each micro-batch, so later files overwrote committed ones (iceberg#9255).
  test("micro-batches never write files with the same name") {
    (0L until 4L).foreach(i => feedIds(Seq(i)))
    drain(writer(source())): Unit
    (1 to 3).foreach { _ =>
      forget(3)
      drain(writer(source())): Unit
    }
    val names = table.fragments.flatMap(_.files).map(_.path)
    assert(names.distinct.length == 4 && ids == (0L until 4L))
  }

  test("columns are matched by name, and missing columns get their default or null") {
    spark.sql(
      s"CREATE TABLE lance.`$path` (v STRING, id BIGINT, at TIMESTAMP, n INT DEFAULT 7) USING lance"
    )
    feedIds(Seq(1L))
    drain(writer(source())): Unit
    assert(read.select("v", "id", "at", "n").collect().toSeq == Seq(Row("v1", 1L, null, 7)))
  }

  test("mismatched columns fail before anything is written") {
    spark.sql(s"CREATE TABLE lance.`$path` (id INT NOT NULL, CONSTRAINT small CHECK (id < 10))")
    feed("""{"id": 1, "v": "x"}""")
    assert(error(drain(writer(source()))).contains("v"))
    assert(error(drain(writer(source("v STRING")))).contains("id"))
    assert(error(drain(writer(source("id STRING")))).contains("id"))
    assert(versions.length == 1)
    drain(writer(source("id BIGINT"))): Unit
    assert(read.collect().map(_.getInt(0)).toSeq == Seq(1))
    feed("""{"id": 11}""")
    assert(error(drain(writer(source("id BIGINT")))).contains("small"))
  }

  test("null in a NOT NULL column fails the query") {
    spark.sql(s"CREATE TABLE lance.`$path` (id BIGINT NOT NULL, v STRING)")
    feed("""{"id": null, "v": "x"}""")
    assert(error(drain(writer(source()))).toLowerCase.contains("null"))
    assert(versions.length == 1)
  }

  test("mergeSchema adds columns") {
    feedIds(Seq(1L))
    drain(writer(source())): Unit
    feed("""{"id": 2, "v": "v2", "more": 5}""")
    val wide = source("id BIGINT, v STRING, more INT")
    assert(error(drain(writer(wide))).contains("more"))
    drain(writer(wide, "mergeSchema" -> "true")): Unit
    val rows = read.orderBy("id").collect().toSeq
    assert(rows == Seq(Row(1L, "v1", null), Row(2L, "v2", 5)))
    forget(1)
    drain(writer(wide, "mergeSchema" -> "true")): Unit
    assert(read.count() == 2)
  }

  test("misspelled options, and options that contradict a stream, are rejected before it starts") {
    feedIds(Seq(1L))
    for (
      (name, value) <- Seq(
        "upsertKey" -> "id",
        "txnAppId" -> "x",
        "txnVersion" -> "1",
        "expectedRows" -> "3",
        "overwriteSchema" -> "true",
        "replaceWhere" -> "id > 1",
        "partitionOverwriteMode" -> "dynamic",
        "autoCompact" -> "often",
        "autoCompact" -> "0",
        "upsertKeys" -> "id, id"
      )
    ) {
      val e = intercept[AnalysisException](writer(source(), name -> value).start(path))
      assert(e.getMessage.contains(name), e.getMessage)
    }
    assert(!LanceTable.exists(Storage.local, path) && !Files.exists(checkpoint))
    val mixed = writer(source(), "upsertKeys" -> "id", "mergeSchema" -> "true")
    assert(error(mixed.start(path)).contains("mergeSchema"))
    for (name <- Seq("upsertKeys", "autoCompact")) {
      val batch = spark.range(1).write.format("lance").option(name, "1")
      assert(error(batch.save(path)).contains(s"option $name applies to streaming writes only"))
    }
  }

  test("continuous mode, and output mode update without keys, are rejected") {
    feedIds(Seq(1L))
    val update = writer(source().groupBy("id").count()).outputMode("update")
    assert(error(drain(update)).contains("needs the option upsertKeys"))
    val rates = spark.readStream.format("rate").load()
    val continuous = rates.writeStream.format("lance")
      .option("checkpointLocation", folder.resolve("other").toString)
      .trigger(Trigger.Continuous("1 second"))
    assert(error(finished(continuous.start(path))).contains("continuous mode"))
    assert(!LanceTable.exists(Storage.local, path) || table.fragments.isEmpty)
  }

  test("a branch can be the sink of a stream, but a version cannot") {
    feedIds(Seq(1L))
    drain(writer(source())): Unit
    feedIds(Seq(2L))
    assert(error(drain(writer(source()), s"$path@v1")).contains("cannot be written"))
    spark.sql(s"ALTER TABLE lance.`$path` CREATE BRANCH dev").collect(): Unit
    val onBranch = writer(source(), "branch" -> "dev")
      .option("checkpointLocation", folder.resolve("other").toString)
    drain(onBranch): Unit
    assert(ids == Seq(1L))
    val dev = spark.read.format("lance").option("branch", "dev").load(path)
    assert(dev.select("id").collect().map(_.getLong(0)).sorted.toSeq == Seq(1L, 1L, 2L))
  }

  test("the table keeps the numbers of a limited number of queries") {
    feedIds(Seq(1L))
    drain(writer(source())): Unit
    val many = (0 until 150).map(i => s"lance.spark.txn.app$i" -> s"1,$i")
    new MetadataChanges(table).config(UpdateMap.upsert(many.toMap)): Unit
    feedIds(Seq(2L))
    drain(writer(source())): Unit
    val marks = table.manifest.config.keys.filter(_.startsWith("lance.spark.txn.")).toSet
    assert(marks.size == 100 && marks("lance.spark.txn.app149") && !marks("lance.spark.txn.app0"))
    forget(1)
    drain(writer(source())): Unit
    assert(ids == Seq(1L, 2L))
  }

  test("a query that fails in a task leaves no files, and continues after a restart") {
    feedIds(0L until 3L)
    val failing = source().filter(failsIf(col("id") === 2))
    intercept[StreamingQueryException](drain(writer(failing))): Unit
    val (named, present) = dataFiles
    assert(present == named && table.fragments.isEmpty)
    drain(writer(source())): Unit
    assert(ids == (0L until 3L))
  }

  private def failsIf(condition: Column): Column =
    when(condition, raise_error(lit("broken"))).otherwise(lit(true)).cast("boolean")

  test("a micro-batch into a branch is not repeated, and autoCompact compacts the branch") {
    spark.sql(s"CREATE TABLE lance.`$path` (id BIGINT, v STRING)")
    spark.sql(s"INSERT INTO lance.`$path` VALUES (100, 'main')")
    spark.sql(s"ALTER TABLE lance.`$path` CREATE BRANCH dev").collect(): Unit
    val main = table
    def dev = LanceTable.open(Storage.local, path, Revision.OnBranch("dev", None))
    def onBranch = writer(source(), "branch" -> "dev", "autoCompact" -> "2")
    def idsOfBranch = spark.read.format("lance").option("branch", "dev").load(path)
      .select("id").collect().map(_.getLong(0)).sorted.toSeq
    (0L until 4L).foreach(i => feedIds(Seq(i)))
    drain(onBranch): Unit
    val expected = Seq(0L, 1L, 2L, 3L, 100L)
    assert(idsOfBranch == expected)
    // The second compaction does not rewrite the larger fragment of the first one.
    assert(dev.fragments.flatMap(_.physicalRows) == Seq(3L, 2L))
    val before = dev.version
    forget(3)
    drain(onBranch): Unit
    assert(idsOfBranch == expected && dev.version == before)
    feedIds(Seq(4L))
    drain(onBranch): Unit
    assert(idsOfBranch == (expected :+ 4L).sorted && dev.version == before + 1)
    assert(table.version == main.version && ids == Seq(100L))
    assert(Pylance.rows(path, branch = Some("dev")).map(_.get("id").asLong).sorted == idsOfBranch)
  }
}
