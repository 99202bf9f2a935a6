// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.types.MetadataFields

/** Streams of changes. */
class SourceFeedSuite extends AnyFunSuite with SourceTests {

  private def feed(options: (String, Any)*): DataFrame =
    stream(Seq("readChangeFeed" -> true) ++ options: _*)

  private def change(): Unit = {
    insert(1, 2)
    sql(s"UPDATE $name SET s = 'x' WHERE id = 2")
    sql(s"DELETE FROM $name WHERE id = 1"): Unit
  }

  private val changes = Seq(
    "1,s1,insert,2",
    "2,s2,insert,2",
    "2,s2,update_preimage,3",
    "2,x,update_postimage,3",
    "1,s1,delete,4"
  )

  test("the rows of the table are inserts, followed by the changes of later commits") {
    withTable() {
      insert(0)
      assert(drain(feed()) == Seq(Seq("0,s0,insert,2")))
      sql(s"UPDATE $name SET s = 'x'")
      sql(s"OPTIMIZE $name")
      insert(5)
      assert(drain(feed()) == Seq(Seq(
        "0,s0,update_preimage,3",
        "0,x,update_postimage,3",
        s"5,s5,insert,$version"
      )))
      assert(drain(feed()) == Nil)
    }
  }

  test("streams of changes start with a version, by path and by name") {
    withTable() {
      change()
      val named = spark.readStream.option("readChangeFeed", "true").option("startingVersion", 2)
      val frames = Seq[DataFrame](
        feed("startingVersion" -> 2),
        feed("startingVersion" -> "earliest"),
        feed("startingTimestamp" -> "2001-01-01"),
        named.table(name),
        named.table(name).select("*").where("id > 0")
      )
      frames.zipWithIndex.foreach { case (frame, i) =>
        assert(drain(frame, folder.resolve(s"c$i")).flatten == changes, i)
      }
      val schema = spark.read.format("lance").option("readChangeFeed", "true")
        .option("startingVersion", 2).load(path).schema
      assert(feed().schema == schema && named.table(name).schema == schema)
      val none = spark.readStream.option("readChangeFeed", "true").table(name)
      assert(drain(none, folder.resolve("none")).flatten == Seq("2,x,insert,4"))
    }
  }

  test("the changes of a commit are in one micro-batch") {
    withTable() {
      change()
      val limited = drain(feed("startingVersion" -> 2, "maxRowsPerTrigger" -> 1))
      assert(limited == Seq(changes.take(2), changes.slice(2, 4), changes.drop(4)))
      forgetLast()
      assert(drain(feed("startingVersion" -> 2)) == Seq(changes.drop(4)))
    }
  }

  test("without stable row ids, updates are pairs by the columns that identify rows") {
    withTable(stable = false) {
      change()
      val plain = drain(feed("startingVersion" -> 3), folder.resolve("plain")).flatten
      assert(plain == Seq("2,s2,delete,3", "2,x,insert,3", "1,s1,delete,4"))
      val keyed = feed("startingVersion" -> 2, "identifierColumns" -> "id")
      assert(drain(keyed).flatten == changes)
      val other = feed("startingVersion" -> 2, "identifierColumns" -> "ID")
      assert(drain(other, folder.resolve("case")).flatten == changes)
    }
  }

  test("columns that were added later are null in earlier changes") {
    withTable() {
      change()
      sql(s"ALTER TABLE $name ADD COLUMN n INT")
      sql(s"UPDATE $name SET n = 7")
      val rows = drain(feed("startingVersion" -> 2, "maxRowsPerTrigger" -> 1)).flatten
      assert(rows == Seq(
        "1,s1,null,insert,2",
        "2,s2,null,insert,2",
        "2,s2,null,update_preimage,3",
        "2,x,null,update_postimage,3",
        "1,s1,null,delete,4",
        s"2,x,null,update_preimage,$version",
        s"2,x,7,update_postimage,$version"
      ))
    }
  }

  test("changes of a branch") {
    withTable() {
      insert(1)
      sql(s"ALTER TABLE $name CREATE BRANCH dev")
      sql(s"UPDATE $name.branch_dev SET s = 'dev'")
      val v = sql(s"SELECT max(version) FROM $name.branch_dev.versions").head().getLong(0)
      assert(drain(feed("branch" -> "dev", "startingVersion" -> v)).flatten ==
        Seq(s"1,s1,update_preimage,$v", s"1,dev,update_postimage,$v"))
    }
  }

  test("streams of changes have the metadata columns of batch queries") {
    for (stable <- Seq(true, false)) withTable(stable) {
      change()
      insert(3)
      val columns = MetadataFields.ofChanges.map(_.name).toSeq :+ "_change_type" :+ "id"
      val options = Map("readChangeFeed" -> "true", "startingVersion" -> "2")
      val batch = text(
        spark.read.options(options).format("lance").load(path)
          .select(columns.head, columns.tail: _*)
      )
      assert(batch.nonEmpty)
      val earliest = options + ("startingVersion" -> "earliest")
      val all = Seq[DataFrame](
        spark.readStream.options(options).format("lance").load(path),
        spark.readStream.options(options).table(name),
        spark.readStream.options(earliest).table(name)
      )
      all.zipWithIndex.foreach { case (frame, i) =>
        val read = frame.select(columns.head, columns.tail: _*)
        assert(drain(read, other(stable, i)).flatten.sorted == batch.sorted, i)
      }
      val latest = spark.readStream.option("readChangeFeed", "true")
      val current = text(sql(s"SELECT _rowaddr, id FROM $name ORDER BY id"))
      val snapshots = Seq[DataFrame](latest.table(name), latest.format("lance").load(path))
      snapshots.zipWithIndex.foreach { case (frame, i) =>
        val read = frame.where("_rowid >= 0").select("_rowaddr", "id")
        assert(drain(read, other(stable, "snapshot", i)).flatten.sorted == current.sorted, i)
        assert(!frame.columns.exists(c => c.startsWith("_row")))
        val e = problem(frame.select("_rowoffset"), other(stable, "offset", i))
        assert(e.contains("_rowoffset"), e)
      }
    }
  }

  test("a change stream of a branch continues after a restart") {
    withTable() {
      insert(1)
      sql(s"ALTER TABLE $name CREATE BRANCH dev")
      val branch = "branch" -> "dev"
      def v = sql(s"SELECT max(version) FROM $name.branch_dev.versions").head().getLong(0)
      val first = v
      assert(drain(feed(branch)) == Seq(Seq(s"1,s1,insert,$first")))
      sql(s"UPDATE $name.branch_dev SET s = 'dev'")
      insert(7)
      val updates =
        Seq(s"1,s1,update_preimage,${first + 1}", s"1,dev,update_postimage,${first + 1}")
      assert(drain(feed(branch)) == Seq(updates))
      forgetLast()
      assert(drain(feed(branch)) == Seq(updates))
      sql(s"DELETE FROM $name.branch_dev")
      sql(s"INSERT INTO $name.branch_dev VALUES (2, 'two')")
      assert(drain(spark.readStream.option("readChangeFeed", "true").table(s"$name.branch_dev"))
        == Seq(Seq(s"1,dev,delete,${v - 1}", s"2,two,insert,$v")))
      assert(problem(feed()).condition == "LANCE_STREAM_OTHER_TABLE")
    }
  }

  test("streams of clones begin with all rows of the clone") {
    for (kind <- Seq("DEEP", "SHALLOW")) withTable() {
      change()
      insert(5)
      val copy = s"${name}_copy"
      sql(s"DROP TABLE IF EXISTS $copy")
      sql(s"CREATE TABLE $copy $kind CLONE $name")
      def rows(to: String, options: (String, Any)*): Seq[String] = {
        val reader = options.foldLeft(spark.readStream) { case (r, (k, v)) =>
          r.option(k, v.toString)
        }
        drain(reader.table(copy).select("id", "s"), other(kind, to)).flatten
      }
      val earliest = "startingVersion" -> "earliest"
      val all = Seq("2,x", "5,s5")
      assert(rows("appended", earliest).sorted == all, kind)
      assert(rows("changes", earliest, "readChangeFeed" -> true).sorted == all, kind)
      assert(rows("latest").sorted == all, kind)
      sql(s"INSERT INTO $copy VALUES (6, 'new')")
      insert(7)
      for (to <- Seq("appended", "latest")) assert(rows(to) == Seq("6,new"), kind)
      assert(rows("changes", "readChangeFeed" -> true) == Seq("6,new"), kind)
      // The checkpoint of the source is not a checkpoint of the clone.
      assert(problem(stream(), other(kind, "latest")).condition == "LANCE_STREAM_OTHER_TABLE")
      sql(s"DROP TABLE $copy")
    }
  }
}
