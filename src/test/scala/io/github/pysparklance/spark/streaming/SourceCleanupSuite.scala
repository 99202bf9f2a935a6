// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.catalog.{LanceSparkTable, PathTables}
import io.github.pysparklance.spark.scan.changes.ChangeRequest
import io.github.pysparklance.table.changes.ChangeBound

/** Streams of tables whose versions were cleaned up, and checkpoints of other tables. */
class SourceCleanupSuite extends AnyFunSuite with SourceTests {

  private def vacuum(): Unit = sql(s"VACUUM $name RETAIN 0 HOURS"): Unit

  // Guards against a fault of Iceberg's source: a snapshot that had expired before it was read was
  // a NullPointerException instead of an error with a way out (iceberg#9504, iceberg#6388).
  test("missing versions that were not read stop the stream") {
    withTable() {
      insert(1)
      drain(stream())
      insert(2)
      insert(3)
      insert(4)
      vacuum()
      val e = problem(stream())
      assert(e.condition == "LANCE_STREAM_DATA_LOSS", e)
      assert(e.contains("failOnDataLoss") && e.contains("version 3 was cleaned up"), e)
      // The changes of version 5 are known by its transaction.
      assert(drain(stream("failOnDataLoss" -> false)) == Seq(Seq("4,s4")))
      insert(5)
      assert(drain(stream()) == Seq(Seq("5,s5")))
    }
  }

  test("a commit after a long pause is read although its predecessor was cleaned up") {
    withTable() {
      insert(1)
      drain(stream())
      insert(2)
      vacuum()
      assert(drain(stream()) == Seq(Seq("2,s2")))
      sql(s"DELETE FROM $name WHERE id = 1")
      vacuum()
      assert(problem(stream("ignoreDeletes" -> true)).contains("failOnDataLoss"))
      assert(drain(stream("failOnDataLoss" -> false)).flatten == Nil)
      insert(3)
      assert(drain(stream()) == Seq(Seq("3,s3")))
    }
  }

  test("scans of changes that were cleaned up can prune fields, and fail in batch queries only") {
    withTable(columns = "id BIGINT, s STRUCT<a: INT, b: INT>") {
      sql(s"INSERT INTO $name VALUES (1, named_struct('a', 1, 'b', 2))")
      sql(s"INSERT INTO $name VALUES (2, null)")
      vacuum()
      val options = new CaseInsensitiveStringMap(
        Map("readChangeFeed" -> "true", "startingVersion" -> "2").asJava
      )
      val table = PathTables.ofStream(path, Map.empty).get.asInstanceOf[LanceSparkTable]
      val builder =
        table.changes(ChangeRequest(ChangeBound.Version(2), None)).newScanBuilder(options)
      builder.asInstanceOf[SupportsPushDownRequiredColumns]
        .pruneColumns(new StructType().add("s", new StructType().add("a", IntegerType)))
      val scan = builder.build()
      assert(scan.toMicroBatchStream(checkpoint.toString) != null)
      assert(intercept[AnalysisException](scan.toBatch).getMessage.contains("version 2"))
    }
  }

  test("a partially read snapshot that was cleaned up") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 6, 1, 1)")
      intercept[StreamingQueryException](
        drain(
          stream("maxRowsPerTrigger" -> 2),
          onBatch = id => if (id == 1) sys.error("stopped")
        )
      )
      insert(6)
      vacuum()
      val e = problem(stream())
      assert(e.contains("failOnDataLoss") && e.contains("version 2"), e)
      assert(drain(stream("failOnDataLoss" -> false)).flatten == Seq("6,s6"))
    }
  }

  // Guards against a fault of Iceberg's source: with AvailableNow, a query failed once its initial
  // snapshot had expired, although its checkpoint was ahead (iceberg#18000).
  test("a query with a checkpoint does not need its first version") {
    withTable() {
      insert(1)
      drain(stream("startingVersion" -> 1))
      for (i <- 2 to 4) {
        insert(i.toLong)
        drain(stream("startingVersion" -> 1))
        vacuum()
      }
      insert(5)
      assert(drain(stream("startingVersion" -> 1)) == Seq(Seq("5,s5")))
      val e = problem(stream("startingVersion" -> 2), folder.resolve("new"))
      assert(e.contains("cleaned up") && e.contains("failOnDataLoss"), e)
      val earliest = drain(stream("startingVersion" -> "earliest"), folder.resolve("earliest"))
      assert(earliest == Seq(Seq("5,s5")))
    }
  }

  // Guards against a fault of Delta Lake: VACUUM removed files that a stream of changes still had
  // to read (delta#1365).
  test("with keepUnreadVersions, VACUUM keeps unread versions") {
    withTable() {
      insert(1)
      val option = "keepUnreadVersions" -> true
      val query = run(stream(option))._2
      def tags: Seq[String] =
        sql(s"SHOW TAGS IN $name").collect().toSeq.map(r =>
          s"${r.getAs[String]("name")}=${r.getAs[Long]("version")}"
        )
      assert(tags == Seq(s"stream-${query.id}-0=2"))
      insert(2)
      sql(s"OPTIMIZE $name")
      insert(3)
      val read = version
      vacuum()
      assert(drain(stream(option)) == Seq(Seq("2,s2", "3,s3")))
      insert(4)
      assert(drain(stream(option)) == Seq(Seq("4,s4")))
      // The mark moves to the end of the micro-batch before the last one.
      assert(tags == Seq(s"stream-${query.id}-0=$read"))
      insert(5)
      vacuum()
      val first = sql(s"SELECT min(version) FROM $name.versions").head().getLong(0)
      assert(first == read)
      assert(drain(stream(option)) == Seq(Seq("5,s5")))
    }
  }

  test("a failure to move the tag does not stop the query") {
    withTable() {
      insert(1)
      val query = run(stream())._2
      sql(s"ALTER TABLE $name CREATE TAG `stream-${query.id}-0`")
      insert(2)
      assert(drain(stream("keepUnreadVersions" -> true)) == Seq(Seq("2,s2")))
    }
  }

  test("a recreated table is not the table of the checkpoint") {
    for (later <- Seq(0, 1, 3)) withTable() {
      val to = folder.resolve(s"c$later")
      insert(1)
      drain(stream(), to)
      sql(s"DROP TABLE $name")
      spark.range(5).selectExpr("id", "'new' AS s").writeTo(name).create()
      (1 to later).foreach(i => insert(i.toLong))
      val e = problem(stream(), to)
      assert(e.condition == "LANCE_STREAM_OTHER_TABLE", e)
      assert(e.contains("the checkpoint is of another table"), e)
    }
  }

  test("a table with other fragments before the next commit is another table") {
    withTable() {
      insert(1)
      drain(stream())
      sql(s"DROP TABLE $name")
      sql(s"CREATE TABLE $name (id BIGINT, s STRING)")
      insert(5)
      insert(6)
      vacuum()
      val e = problem(stream())
      assert(e.contains("does not have the fragments"), e)
    }
  }

  test("a configured table with other fragments is another table") {
    withTable() {
      insert(1)
      drain(stream())
      sql(s"DROP TABLE $name")
      sql(s"CREATE TABLE $name (id BIGINT, s STRING)")
      insert(5)
      sql(s"ALTER TABLE $name SET TBLPROPERTIES ('a' = 'b')")
      vacuum()
      val e = problem(stream())
      assert(e.contains("does not have the fragments"), e)
    }
  }

  test("an offset of a later release is an error") {
    withTable() {
      insert(1)
      drain(stream())
      val log = checkpoint.resolve("offsets/0")
      val offsets = new String(Files.readAllBytes(log), UTF_8)
      Files.write(
        log,
        offsets.replace("\"formatVersion\":1", "\"formatVersion\":7").getBytes(UTF_8)
      )
      Files.deleteIfExists(checkpoint.resolve("offsets/.0.crc"))
      val e = problem(stream())
      assert(e.condition == "LANCE_STREAM_OFFSET", e)
      assert(e.contains("format version 7") && e.contains("later release"), e)
    }
  }

  private def marks: Seq[Long] =
    sql(s"SHOW TAGS IN $name").collect().toSeq.map(_.getAs[Long]("version"))

  test("with keepUnreadVersions, the first micro-batch keeps the version before its first commit") {
    withTable() {
      (1L to 3L).foreach(insert(_))
      var found = Seq.empty[Long]
      val rows = drain(
        stream("keepUnreadVersions" -> true, "startingVersion" -> 3),
        onBatch = _ => found = marks
      )
      assert(rows.flatten == Seq("2,s2", "3,s3") && found == Seq(2))
    }
  }

  test("with keepUnreadVersions, the version before a partially read commit is kept") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      insert(1)
      val read = version
      drain(stream())
      sql(s"INSERT OVERWRITE $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 6, 1, 1)")
      val options = Seq[(String, Any)](
        "keepUnreadVersions" -> true,
        "ignoreChanges" -> true,
        "maxFragmentsPerTrigger" -> 1
      )
      var found = Seq.empty[Long]
      intercept[StreamingQueryException](drain(
        stream(options: _*),
        onBatch = id => {
          found ++= marks
          if (id == 2) sys.error("stopped")
        }
      ))
      assert(found == Seq(read, read))
      vacuum()
      assert(drain(stream(options: _*)).flatten == Seq("2,s", "3,s", "4,s", "5,s"))
    }
  }

  test("a commit without changed rows does not need the previous version") {
    withTable() {
      insert(1)
      drain(stream())
      sql(s"ALTER TABLE $name SET TBLPROPERTIES ('a' = 'b')")
      vacuum()
      assert(drain(stream()).flatten == Nil)
      insert(2)
      assert(drain(stream()) == Seq(Seq("2,s2")))
    }
  }

  test("without failOnDataLoss, a commit is skipped if versions up to a schema change are missing") {
    withTable() {
      insert(1)
      drain(stream())
      insert(2)
      sql(s"ALTER TABLE $name CREATE TAG kept")
      insert(3)
      insert(4)
      sql(s"ALTER TABLE $name ADD COLUMN n INT")
      sql(s"VACUUM $name RETAIN 0 HOURS WITH (error_if_tagged_old_versions = false)"): Unit
      assert(problem(stream()).contains("failOnDataLoss"))
      assert(drain(stream("failOnDataLoss" -> false)).flatten == Nil)
      sql(s"INSERT INTO $name VALUES (5, 's5', 50)")
      assert(drain(stream()) == Seq(Seq("5,s5,50")))
    }
  }

  test("with keepUnreadVersions, VACUUM of a branch keeps the unread versions of the branch") {
    withTable() {
      insert(1)
      sql(s"ALTER TABLE $name CREATE BRANCH dev")
      def add(id: Long): Unit =
        sql(s"INSERT INTO $name.branch_dev VALUES ($id, 's$id')"): Unit
      def vacuumAll(): Unit = {
        sql(s"VACUUM $name.branch_dev RETAIN 0 HOURS")
        vacuum()
      }
      def first = sql(s"SELECT min(version) FROM $name.branch_dev.versions").head().getLong(0)
      def latest = sql(s"SELECT max(version) FROM $name.branch_dev.versions").head().getLong(0)
      add(2)
      val option = "keepUnreadVersions" -> true
      val start = latest
      val query = run(stream("branch" -> "dev", option))._2
      val tags = sql(s"SHOW TAGS IN $name").collect().toSeq
      assert(tags.map(t => (t.getAs[String]("name"), t.getAs[Long]("version"))) ==
        Seq(s"stream-${query.id}-0" -> start))
      assert(tags.head.getAs[String]("branch") == "dev")
      add(3)
      sql(s"OPTIMIZE $name.branch_dev")
      add(4)
      insert(100)
      vacuumAll()
      assert(first == start)
      assert(drain(stream("branch" -> "dev", option)) == Seq(Seq("3,s3", "4,s4")))
      val read = latest
      add(5)
      assert(drain(stream("branch" -> "dev", option)) == Seq(Seq("5,s5")))
      add(6)
      add(7)
      vacuumAll()
      assert(first == read)
      assert(drain(stream("branch" -> "dev", option)) == Seq(Seq("6,s6", "7,s7")))
      // Without the option, rows are lost.
      val plain = other("plain")
      drain(stream("branch" -> "dev"), plain)
      sql(s"ALTER TABLE $name DROP TAG `stream-${query.id}-0`")
      add(8)
      add(9)
      vacuumAll()
      assert(problem(stream("branch" -> "dev"), plain).condition == "LANCE_STREAM_DATA_LOSS")
    }
  }

  test("a branch that was dropped and created again is not the branch of the checkpoint") {
    for {
      later <- 0 to 3
      options <- Seq(Nil, Seq("readChangeFeed" -> true))
    } withTable() {
      val to = other(later, options)
      insert(1)
      def create(): Unit = sql(s"ALTER TABLE $name CREATE BRANCH dev"): Unit
      def add(id: Int): Unit = sql(s"INSERT INTO $name.branch_dev VALUES ($id, 'dev')"): Unit
      def branch: DataFrame = stream(options :+ ("branch" -> "dev"): _*)
      create()
      add(2)
      assert(drain(branch, to).flatten.length == 2)
      sql(s"ALTER TABLE $name DROP BRANCH dev")
      create()
      (1 to later).foreach(i => add(10 + i))
      val e = problem(branch, to)
      assert(e.condition == "LANCE_STREAM_OTHER_TABLE", e)
      assert(e.contains("the checkpoint is of another table"), e)
      assert(drain(branch, other(later, options, "new")).flatten.length == 1 + later)
    }
  }

  test("options that select other rows within a partially read commit are an error") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      insert(1)
      val limit = "maxFragmentsPerTrigger" -> 1
      drain(stream())
      sql(s"INSERT OVERWRITE $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 6, 1, 1)")
      insert(9)
      val ignoring = stream("ignoreChanges" -> true, limit)
      intercept[StreamingQueryException](
        drain(ignoring, onBatch = id => if (id == 2) sys.error("stopped"))
      )
      val batches = checkpoint.resolve("offsets").toFile.list().filterNot(_.startsWith("."))
      assert(batches.length == 3)
      val skipping = stream("skipChangeCommits" -> true, limit)
      // The planned micro-batch ends within the commit.
      val planned = problem(skipping)
      assert(planned.condition == "LANCE_STREAM_OFFSET", planned)
      assert(planned.contains("2 of 3 fragments of version 3 were read, and it has 0 now"), planned)
      // The committed micro-batch does as well.
      assert(Files.deleteIfExists(checkpoint.resolve("offsets/2")))
      Files.deleteIfExists(checkpoint.resolve("offsets/.2.crc"))
      val committed = problem(skipping)
      assert(committed.condition == "LANCE_STREAM_OFFSET", committed)
      assert(committed.contains("1 of 3 fragments of version 3 were read"), committed)
      assert(committed.contains("options of the reader"), committed)
      assert(drain(ignoring) == Seq(Seq("2,s", "3,s"), Seq("4,s", "5,s"), Seq("9,s9")))
    }
  }
}
