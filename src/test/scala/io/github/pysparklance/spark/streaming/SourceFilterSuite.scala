// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.io.ByteArrayOutputStream

import org.apache.spark.sql.DataFrame
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, SparkLine}

/** Filters that streams evaluate while they read. */
class SourceFilterSuite extends AnyFunSuite with SourceTests {

  /** The rows of a stream, the number of rows that its tasks returned, and the plan. */
  private def read(frame: DataFrame, to: String): (Seq[String], Long, String) = {
    val (batches, query) = run(frame, other(to))
    val out = new ByteArrayOutputStream
    Console.withOut(out)(query.explain())
    (
      batches.flatten.sorted,
      query.recentProgress.map(_.numInputRows).sum,
      out.toString("UTF-8")
    )
  }

  private val oddColumns =
    "`a-b` BIGINT, `sel``ect \u00fc` STRING, s STRUCT<`x y`: INT, t: STRING>, v STRING"

  test("streams and batch queries find the same rows, for columns of all names and types") {
    withTable(columns = oddColumns) {
      sql(s"""INSERT INTO $name VALUES
        (1, 'one', named_struct('x y', 10, 't', 'p'), 'a'),
        (2, 'two', named_struct('x y', 20, 't', null), 'ab'),
        (null, null, null, null)""")
      sql(s"INSERT INTO $name VALUES (4, 'o', named_struct('x y', null, 't', 'p'), '')")
      val conditions = Seq(
        "`a-b` = 2" -> true,
        "`a-b` IS NULL" -> true,
        "`sel``ect \u00fc` LIKE 'o%'" -> true,
        "`SEL``ECT \u00dc` IN ('two', 'three')" -> true,
        "s.`x y` > 10" -> true,
        "s.t IS NOT NULL AND `a-b` <= 3" -> true,
        "s.`x y` = 20 OR v = 'a'" -> true,
        "NOT (v < 'ab')" -> true,
        "`a-b` + 1 = 3" -> false,
        "upper(v) = 'AB'" -> false
      )
      conditions.foreach { case (condition, isPushed) => checkSame(condition, isPushed) }
    }
  }

  /** Compares a stream and a batch query, with all columns and with one of them. */
  private def checkSame(condition: String, isPushed: Boolean): Assertion = {
    val batch = spark.table(name).where(condition)
    def filtered = spark.readStream.table(name).where(condition)
    val (rows, numRead, plan) = read(filtered, s"all$condition")
    assert(rows == text(batch).sorted, condition)
    if (isPushed) assert(numRead == rows.length && plan.contains("where"), condition)
    val (some, _, _) = read(filtered.select("v"), s"v$condition")
    assert(some == text(batch.select("v")).sorted, condition)
  }

  test("streams and batch queries find the same CHAR and VARCHAR values") {
    withTable(columns = "v VARCHAR(4), c CHAR(4), s STRUCT<c: CHAR(2)>") {
      sql(s"INSERT INTO $name VALUES ('a', 'a', named_struct('c', 'x')), ('ab', 'ab', null)")
      sql(s"INSERT INTO $name VALUES ('', '', named_struct('c', '')), (null, null, null)")
      for (condition <- Seq("v = 'ab'", "c = 'ab'", "c = ''", "s.c = 'x'", "v < 'ab' OR c IS NULL"))
        checkSame(condition, isPushed = false)
      assert(
        spark.readStream.format("lance").load(path).schema == spark.readStream.table(name).schema
      )
    }
  }

  test("streams and batch queries pad CHAR values that other writers did not pad") {
    withTable(columns = "id BIGINT, c CHAR(4), s STRUCT<c: CHAR(2)>") {
      sql(s"INSERT INTO $name VALUES (1, 'a', named_struct('c', 'x'))")
      Pylance.run(
        "lance.write_dataset(pa.table({'id': [2], 'c': ['a'], 's': [{'c': 'x'}]}), path, mode='append')\n" +
          "result = None",
        "path" -> path
      )
      def check(batches: Seq[DataFrame], streams: Seq[DataFrame], expected: Seq[String]) = {
        batches.foreach(b => assert(text(b.where("c = 'a'")).sorted == expected))
        for ((s, i) <- streams.zipWithIndex) {
          assert(s.schema == batches.head.schema)
          assert(drain(s.where("c = 'a'"), other(expected, i)).flatten.sorted == expected)
          val columns = s.where("s.c = 'x '").select("s.c", "id")
          assert(drain(columns, other(expected, i, "columns")).flatten.map(_.takeWhile(_ != ','))
            == Seq("x ", "x "))
        }
      }
      val plain = Seq("1,a   ,[x ]", "2,a   ,[x ]")
      check(Seq(spark.table(name)), Seq(spark.readStream.table(name), stream()), plain)
      val hidden = spark.readStream.table(name).where("c = 'a'").select("c", "_rowid", "id")
      assert(drain(hidden, other("hidden")).flatten.map(_.take(4)) == Seq("a   ", "a   "))
      val start = "startingVersion" -> "2"
      val read = spark.read.options(Map("readChangeFeed" -> "true", start))
      val named = spark.readStream.options(Map("readChangeFeed" -> "true", start)).table(name)
      check(
        Seq(
          read.table(name),
          read.format("lance").load(path),
          sql(s"SELECT * FROM lance_changes('$name', 2)")
        ) ++ (if (SparkLine.isFrom("4.2")) Seq(sql(s"SELECT * FROM $name CHANGES FROM VERSION 2"))
              else Nil),
        Seq(named, stream("readChangeFeed" -> true, start)),
        plain.zip(Seq(2, 3)).map { case (row, version) => s"$row,insert,$version" }
      )
    }
  }

  test("conditions on changes select commits and kinds of changes") {
    withTable() {
      insert(1, 2, 3)
      sql(s"UPDATE $name SET s = 'x' WHERE id = 2")
      sql(s"DELETE FROM $name WHERE id = 3")
      val all = Seq(
        "1,s1,insert,2",
        "2,s2,insert,2",
        "2,s2,update_preimage,3",
        "2,x,update_postimage,3",
        "3,s3,delete,4",
        "3,s3,insert,2"
      )
      val conditions = Seq[(String, String => Boolean)](
        "_change_type = 'delete'" -> (_.contains("delete")),
        "_change_type != 'update_preimage' AND id = 2" -> (r =>
          r.startsWith("2") && !r.contains("preimage")
        ),
        "_commit_version = 3" -> (_.endsWith("3")),
        "s = 'x' OR _change_type = 'delete'" -> (r => r.contains(",x,") || r.contains("delete"))
      )
      conditions.zipWithIndex.foreach { case ((condition, keeps), i) =>
        val feed = stream("readChangeFeed" -> true, "startingVersion" -> 2).where(condition)
        val (rows, numRead, plan) = read(feed, s"c$i")
        assert(rows == all.filter(keeps) && numRead == rows.length, condition)
        assert(plan.contains("where"), plan)
      }
    }
  }

  test("columns with the names of change columns are columns of the table") {
    withTable(columns = "v INT, _change_type STRING, _commit_version BIGINT") {
      sql(s"INSERT INTO $name VALUES (1, 'delete', 99), (2, 'insert', 2)")
      sql(s"INSERT INTO $name VALUES (3, 'delete', 2), (4, NULL, NULL)")
      for (
        condition <- Seq(
          "_change_type = 'delete'",
          "_change_type <> 'delete'",
          "_commit_version = 2",
          "_commit_version = 99 OR v = 4"
        )
      ) checkSame(condition, isPushed = true)
    }
  }

  test("two filters on one stream read their own rows") {
    withTable() {
      insert(1, 2, 3)
      val rows = stream()
      val both = rows.where("id = 1").select("id").union(rows.where("id > 2").select("id"))
      assert(drain(both).flatten.sorted == Seq("1", "3"))
    }
  }

  test("shuffles of two columns of one stream have their own rows") {
    withTable(columns = "x BIGINT, y BIGINT") {
      sql(s"INSERT INTO $name VALUES (1, 10), (2, 20)")
      val rows = stream()
      def shuffled(column: String) = rows.select(column).repartition(2, rows(column))
      assert(drain(shuffled("x").union(shuffled("y"))).flatten.sorted == Seq("1", "10", "2", "20"))
      def matching(column: String) =
        rows.where(s"$column > 1").select(column).repartition(2, rows(column))
      val both = matching("x").union(matching("y"))
      assert(drain(both, other("filters")).flatten.sorted == Seq("10", "2", "20"))
    }
  }
}
