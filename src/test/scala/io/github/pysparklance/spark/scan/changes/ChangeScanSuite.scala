// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{InvalidRequestException, Schema}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, SparkLine => RunningLine, TemporaryFolder}

class ChangeScanSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private var path: String = ""

  private def rows(frame: DataFrame): Seq[String] =
    frame.collect().toSeq.map(_.toSeq.filterNot(_.isInstanceOf[java.time.Instant]).mkString(","))

  private def load(options: (String, Any)*): DataFrame =
    spark.read.format("lance").option("readChangeFeed", "true")
      .options(options.map { case (k, v) => k -> v.toString }.toMap).load(path)

  private def function(arguments: String): DataFrame =
    spark.sql(s"SELECT * FROM lance_changes($arguments)")

  /** Runs code with a table whose versions are a create, an insert, an update, and a delete. */
  private def withTable(stable: Boolean = true)(body: String => Any): Unit = {
    val name = "lake.changed"
    spark.sql(s"DROP TABLE IF EXISTS $name")
    spark.sql(
      s"CREATE TABLE $name (id BIGINT NOT NULL, s STRING) USING lance " +
        s"TBLPROPERTIES ('enableStableRowIds' = '$stable')"
    )
    path = spark.sql(s"DESCRIBE DETAIL $name").select("location").head().getString(0)
    try {
      spark.sql(s"INSERT INTO $name VALUES (1, 'a'), (2, 'b'), (3, 'c')")
      spark.sql(s"UPDATE $name SET s = 'x' WHERE id = 2")
      spark.sql(s"DELETE FROM $name WHERE id = 3")
      body(name): Unit
    } finally spark.sql(s"DROP TABLE $name"): Unit
  }

  private val all = Seq(
    "1,a,insert,2",
    "2,b,insert,2",
    "3,c,insert,2",
    "2,b,update_preimage,3",
    "2,x,update_postimage,3",
    "3,c,delete,4"
  )

  test(
    "changes are read by path, by name, by table function, and up to the last version by default"
  ) {
    withTable() { name =>
      assert(rows(load("startingVersion" -> 1)) == all)
      assert(rows(load("startingVersion" -> 3, "ending_version" -> 3)) == all.slice(3, 5))
      val frames = Seq(
        spark.read.option("readChangeFeed", "true").option("startingVersion", 2).table(name),
        function(s"'$name', 2"),
        function(s"'$path', 1, 4"),
        function(s"table => '$name', start => 1, end => NULL"),
        function(s"'$name', TIMESTAMP '2001-01-01 00:00:00'"),
        function(s"'$name', DATE '2001-01-01'"),
        function(s"'$name', '2001-01-01'")
      )
      frames.zipWithIndex.foreach { case (f, i) => assert(rows(f) == all, s"frame $i") }
      if (RunningLine.isFrom("4.0"))
        assert(rows(spark.sql(
          s"SELECT * FROM $name WITH (readChangeFeed = 'true', startingVersion = '4')"
        )) == all.drop(5))
      assert(function(s"'$name', 5").count() == 0)
      assert(function(s"'$name', 2").schema == load("startingVersion" -> 2).schema)
    }
  }

  test("branches and earlier versions have change feeds") {
    withTable() { name =>
      spark.sql(s"ALTER TABLE $name CREATE BRANCH dev")
      spark.sql(s"INSERT INTO $name.branch_dev VALUES (9, 'z')")
      val inserted = Seq("9,z,insert,5")
      assert(rows(function(s"'$name.branch_dev', 5")) == inserted)
      assert(rows(load("startingVersion" -> 5, "branch" -> "dev")) == inserted)
      assert(rows(load("startingVersion" -> 2, "version" -> 2)) == all.take(3))
      val e = intercept[AnalysisException](rows(function(s"'$name.branch_dev', 4")))
      assert(e.getMessage.contains("not on branch dev") && e.getMessage.contains("read is 5"))
    }
  }

  test("net changes and columns that identify rows") {
    withTable(stable = false) { name =>
      val moved = Seq("2,b,delete,3", "2,x,insert,3")
      assert(rows(function(s"'$name', 3, 3")) == moved)
      for (columns <- Seq("'id'", "array('id')"))
        assert(rows(function(s"'$name', 3, 3, identifier_columns => $columns")) == all.slice(3, 5))
      assert(rows(load("startingVersion" -> 3, "identifierColumns" -> "id")) == all.drop(3))
      val net = Seq("1,a,insert,2", "2,x,insert,3")
      assert(rows(function(s"'$name', 2, net => true, identifier_columns => 'id'")) == net)
      assert(rows(load("startingVersion" -> 2, "netChanges" -> true)).sorted == net)
    }
  }

  test("columns that identify rows are resolved with the rules of the session") {
    withTable(stable = false) { name =>
      val updates = all.slice(3, 5)
      assert(rows(function(s"'$name', 3, 3, identifier_columns => 'ID'")) == updates)
      val third = Seq[(String, Any)]("startingVersion" -> 3, "endingVersion" -> 3)
      assert(rows(load(third :+ ("identifierColumns" -> "Id"): _*)) == updates)
      val key = "spark.sql.caseSensitive"
      spark.conf.set(key, "true")
      try {
        val e = intercept[AnalysisException] {
          rows(function(s"'$name', 3, identifier_columns => 'ID'"))
        }
        assert(e.getMessage.contains("no column \"ID\""), e.getMessage)
      } finally spark.conf.unset(key)
      val lower = LanceTable.open(Storage.local, path).schema.fields
      val both = Schema(lower ++ lower.map(f => f.copy(name = f.name.toUpperCase)))
      assert(IdentifierColumns.resolved(Seq("ID", "s"), both) == Seq("ID", "s"))
      val e = intercept[InvalidRequestException](IdentifierColumns.resolved(Seq("iD"), both))
      assert(e.getMessage.contains("several columns: id, ID"), e.getMessage)
    }
  }

  test("conditions on changes select commits, conditions on columns are evaluated by the scan") {
    withTable() { name =>
      def where(condition: String): Seq[String] = rows(function(s"'$name', 1").where(condition))
      assert(where("_change_type = 'delete'") == all.drop(5))
      assert(where("_commit_version BETWEEN 3 AND 4 AND _change_type != 'delete'") == all.slice(
        3,
        5
      ))
      assert(where("_commit_timestamp < TIMESTAMP '2001-01-01'") == Nil)
      assert(where("id = 2") == all.filter(_.startsWith("2")))
      assert(where("s = 'c' AND _change_type LIKE 'del%'") == all.drop(5))
      assert(where("s = 'x' OR _commit_version = 4") == all.drop(4))
      val plan = function(s"'$name', 1").where("id = 2 AND _change_type = 'insert'")
        .queryExecution.executedPlan.toString
      assert(plan.contains("changes of versions 1 to 4") && plan.contains("3 rows in"), plan)
      assert(rows(function(s"'$name', 1").select("_change_type", "id").where("s = 'x'")) ==
        Seq("update_postimage,2"))
      assert(function(s"'$name', 1").groupBy("_commit_version").count().count() == 3)
      assert(function(s"'$name', 1").limit(2).count() == 2)
    }
  }

  test("metadata columns of changes belong to the version of the values") {
    withTable() { name =>
      val found =
        rows(function(s"'$name', 3").select("id", "_rowid", "_row_last_updated_at_version"))
      assert(found == Seq("2,1,2", "2,1,3", "3,2,2"))
      intercept[AnalysisException](function(s"'$name', 3").select("_rowoffset"))
    }
  }

  test("rows of versions before a column change have the columns of the last version") {
    withTable() { name =>
      spark.sql(s"ALTER TABLE $name ADD COLUMN more INT")
      spark.sql(s"ALTER TABLE $name RENAME COLUMN s TO text")
      spark.sql(s"INSERT INTO $name VALUES (5, 'e', 50)")
      spark.sql(s"ALTER TABLE $name ALTER COLUMN more TYPE BIGINT")
      val frame = function(s"'$name', 4")
      assert(frame.columns.take(3).toSeq == Seq("id", "text", "more"))
      val last = LanceTable.open(Storage.local, path).version
      assert(rows(frame) == Seq("3,c,null,delete,4", s"5,e,50,insert,${last - 1}"))
      assert(rows(frame.where("more > 49L")) == Seq(s"5,e,50,insert,${last - 1}"))
      spark.sql(s"INSERT OVERWRITE $name SELECT 7L, 'g', 70L")
      assert(rows(function(s"'$name', ${last + 1}")).sorted == Seq(
        s"1,a,null,delete,${last + 1}",
        s"2,x,null,delete,${last + 1}",
        s"5,e,50,delete,${last + 1}",
        s"7,g,70,insert,${last + 1}"
      ))
    }
  }

  test("the timestamp of a commit selects it as the first and as the last version") {
    withTable() { name =>
      function(s"'$name', 1").select("_commit_version", "_commit_timestamp").distinct()
        .collect().foreach { row =>
          val version = row.getLong(0)
          val text = java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSXXX")
            .withZone(java.time.ZoneOffset.UTC).format(instant(row.get(1)))
          val expected = all.filter(_.endsWith(s",$version"))
          val time = s"TIMESTAMP '$text'"
          assert(rows(function(s"'$name', $time, $time")) == expected)
          assert(rows(function(s"'$name', '$text', '$text'")) == expected)
          assert(rows(load("startingTimestamp" -> text, "endingTimestamp" -> text)) == expected)
          if (RunningLine.isFrom("4.2"))
            assert(rows(
              spark.sql(s"SELECT * FROM $name CHANGES FROM TIMESTAMP '$text' TO TIMESTAMP '$text'")
            ) == expected)
        }
    }
  }

  private def instant(time: Any): java.time.Instant = time match {
    case t: java.sql.Timestamp => t.toInstant
    case i: java.time.Instant => i
    case other => fail(s"$other is not a time")
  }

  test("new members and types of nested columns change no rows") {
    val name = "lake.nested"
    for (version <- Seq("0.1", "2.0", "2.1", "2.2")) {
      spark.sql(s"DROP TABLE IF EXISTS $name")
      spark.sql(
        s"CREATE TABLE $name (id BIGINT, s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<a: INT>>) " +
          s"USING lance TBLPROPERTIES ('fileVersion' = '$version')"
      )
      try {
        spark.sql(s"INSERT INTO $name VALUES (1, struct(1, 'a'), array(struct(5)))")
        spark.sql(s"ALTER TABLE $name ALTER COLUMN s.a TYPE BIGINT")
        spark.sql(s"ALTER TABLE $name ALTER COLUMN l.element.a TYPE BIGINT")
        if (version == "2.2") {
          spark.sql(s"ALTER TABLE $name ADD COLUMN s.c INT")
          spark.sql(s"ALTER TABLE $name ADD COLUMN l.element.c INT")
        }
        assert(function(s"'$name', 3").count() == 0, version)
        spark.sql(s"DELETE FROM $name")
        val deleted = function(s"'$name', 3").selectExpr("s.a", "s.b", "l.a[0]", "_change_type")
        assert(rows(deleted) == Seq("1,a,5,delete"), version)
      } finally spark.sql(s"DROP TABLE $name"): Unit
    }
  }

  test("changes of 0.1 files whose field ids were reused are rejected") {
    val name = "lake.renumbered"
    spark.sql(s"DROP TABLE IF EXISTS $name")
    spark.sql(
      s"CREATE TABLE $name (a BIGINT, b BIGINT) USING lance TBLPROPERTIES ('fileVersion' = '0.1')"
    )
    try {
      spark.sql(s"INSERT INTO $name VALUES (1, 100), (2, 200)")
      spark.sql(
        s"CREATE OR REPLACE TABLE $name (b BIGINT, a BIGINT) USING lance " +
          "TBLPROPERTIES ('fileVersion' = '0.1')"
      )
      val e = intercept[Exception](function(s"'$name', 2").select("a").collect())
      assert(e.getMessage.contains("data files of version 0.1"))
      val before = function(s"'$name', 2, 2").where("b = 100").select("a")
      assert(before.collect().map(_.getLong(0)).toSeq == Seq(1L))
    } finally spark.sql(s"DROP TABLE $name"): Unit
  }

  test("a change feed is cached, joined, and written like other rows") {
    withTable() { name =>
      val cached = function(s"'$name', 1").cache()
      try assert(cached.count() == 6 && rows(cached) == all)
      finally cached.unpersist(): Unit
      val target = folder.resolve("copy").toString
      function(s"'$name', 2, net => true").drop(
        "_change_type",
        "_commit_version",
        "_commit_timestamp"
      )
        .write.format("lance").save(target)
      assert(spark.read.format("lance").load(target).count() == 2)
      val joined = function(s"'$name', 1").as("c").join(spark.table(name).as("t"), "id")
      assert(joined.count() == 4)
    }
  }

  test("invalid options and arguments are rejected with advice") {
    withTable() { name =>
      def message(frame: => DataFrame): String =
        intercept[AnalysisException](frame.collect()).getMessage
      assert(message(load()).contains("set startingVersion or startingTimestamp"))
      assert(message(load("startingVersion" -> 1, "startingTimestamp" -> "2001-01-01"))
        .contains("cannot be combined"))
      assert(message(load("startingVersion" -> 7)).contains("which is before it"))
      assert(message(load(
        "startingVersion" -> 1,
        "endingVersion" -> 9
      )).contains("latest version is 4"))
      assert(message(load("startingVersion" -> 1, "includeDeletedRows" -> true))
        .contains("includeDeletedRows"))
      assert(message(spark.read.format("lance").option("startingVersion", 1).load(path))
        .contains("set readChangeFeed to true"))
      assert(message(function(s"'$name'")).contains("requires the argument start"))
      assert(message(function(s"'$name', true")).contains("the number of a version, or a time"))
      assert(message(function(s"'$name', '5'")).contains("without quotes"))
      assert(message(function(s"'$name', 1, ' 20260131 '")).contains("without quotes"))
      assert(message(function(s"'$name', 1, CAST(NULL AS TIMESTAMP)")).contains("which is null"))
      assert(message(function(s"'$name', 1, 'soon'")).contains("which is not a time"))
      assert(message(function(s"'$name', 1, nett => true")).contains("no argument nett"))
      assert(message(function(s"'$name', 1, identifier_columns => 'nope'")).contains("nope"))
      assert(message(function("'lake.missing', 1")).contains("missing"))
      assert(message(spark.read.option("readChangeFeed", "true").option("startingVersion", 1)
        .table(s"$name.history")).contains("no change feed"))
      spark.sql(s"ALTER TABLE $name ADD COLUMN _change_type STRING")
      assert(message(function(s"'$name', 1")).contains("rename it"))
    }
  }

  for (stable <- Seq(true, false))
    test(s"maintenance and indices have no changes, TRUNCATE deletes all rows, stable ids $stable") {
      withTable(stable) { name =>
        val first = LanceTable.open(Storage.local, path).version + 1
        spark.sql(s"INSERT INTO $name VALUES (5, 'e'), (4, 'd')")
        spark.sql(s"CREATE INDEX by_id ON $name USING btree (id)")
        spark.sql(s"INSERT INTO $name VALUES (6, 'f')")
        spark.sql(s"OPTIMIZE $name WITH (defer_index_remap = ${!stable})")
        spark.sql(s"OPTIMIZE INDEX by_id ON $name")
        spark.sql(s"OPTIMIZE $name ZORDER BY (id)")
        spark.sql(s"DROP INDEX by_id ON $name")
        spark.sql(s"TRUNCATE TABLE $name")
        val operations = spark.sql(
          s"SELECT operation FROM $name.history WHERE version >= $first ORDER BY version"
        ).collect().map(_.getString(0)).toSeq
        val (before, after) = operations.span(_ != "OPTIMIZE INDEX")
        assert(before.contains("CREATE INDEX") && before.contains("OPTIMIZE"), operations)
        assert(after.contains("OPTIMIZE") && after.contains("DROP INDEX"), operations)
        val last = first + operations.length - 1
        val inserted =
          Seq(s"4,d,insert,$first", s"5,e,insert,$first", s"6,f,insert,${first + 2}")
        def deleted(rows: String*) = rows.map(row => s"$row,delete,$last")
        val all = inserted ++ deleted("1,a", "2,x", "4,d", "5,e", "6,f")
        assert(rows(function(s"'$name', $first")).sorted == all.sorted)
        // Without stable row ids, rows that were inserted and then moved are not collapsed.
        val net = rows(function(s"'$name', $first, net => true, identifier_columns => array('id')"))
        assert(net.sorted == (if (stable) deleted("1,a", "2,x") else all.sorted))
      }
    }

  test("Spark's own syntax for changes") {
    assume(RunningLine.isFrom("4.2"))
    withTable() { name =>
      assert(rows(spark.sql(s"SELECT * FROM $name CHANGES FROM VERSION 1")) == all)
      assert(
        rows(spark.sql(s"SELECT * FROM $name CHANGES FROM VERSION 2 EXCLUSIVE TO VERSION 3")) ==
          all.slice(3, 5)
      )
      val net = rows(spark.sql(
        s"SELECT * FROM $name CHANGES FROM VERSION 2 WITH (deduplicationMode = 'netChanges')"
      ))
      assert(net == Seq("1,a,insert,2", "2,x,insert,3"))
      val e = intercept[AnalysisException](
        rows(spark.sql(s"SELECT * FROM $name CHANGES FROM VERSION 'abc'"))
      )
      assert(e.getMessage.contains("'abc' is not a version number"), e.getMessage)
      assert(rows(spark.sql(
        s"SELECT * FROM $name CHANGES FROM VERSION 2 WITH (version = '3')"
      )) == all.take(5))
      spark.sql(s"ALTER TABLE $name CREATE BRANCH dev")
      spark.sql(s"INSERT INTO $name.branch_dev VALUES (9, 'z')")
      assert(rows(spark.sql(
        s"SELECT * FROM $name CHANGES FROM VERSION 5 WITH (branch = 'dev')"
      )) == Seq("9,z,insert,5"))
    }
  }

  for (stable <- Seq(true, false))
    test(s"UPDATE COLUMNS, its RESTORE, and clones have changes, stable ids $stable") {
      withTable(stable) { name =>
        spark.sql(
          s"ALTER TABLE $name UPDATE COLUMNS s FROM (SELECT _rowaddr, upper(s) AS s FROM $name WHERE id = 1)"
        )
        spark.sql(s"RESTORE TABLE $name TO VERSION AS OF 4")
        spark.sql(s"ALTER TABLE $name UPDATE COLUMNS s FROM (SELECT _rowaddr, 'y' AS s FROM $name)")
        val updates = Seq(
          "1,a,update_preimage,5",
          "1,A,update_postimage,5",
          "1,A,update_preimage,6",
          "1,a,update_postimage,6",
          "1,a,update_preimage,7",
          "1,y,update_postimage,7",
          "2,x,update_preimage,7",
          "2,y,update_postimage,7"
        )
        assert(rows(function(s"'$name', 5")).sorted == updates.sorted)
        assert(rows(function(s"'$name', 5, 6, net => true")) == Nil)
        assert(rows(function(s"'$name', 5, net => true")).toSet ==
          Set("1,a,update_preimage,5", "2,x,update_preimage,7") ++ updates.filter(_.contains("y")))
        spark.sql("DROP TABLE IF EXISTS lake.changed_copy")
        for (kind <- Seq("SHALLOW", "DEEP")) {
          spark.sql(s"CREATE TABLE lake.changed_copy $kind CLONE $name")
          val versions =
            spark.sql("SELECT min(version), max(version) FROM lake.changed_copy.versions")
          val first = versions.head().getLong(0)
          assert(versions.head().getLong(1) == first)
          spark.sql("INSERT INTO lake.changed_copy VALUES (8, 'c')")
          spark.sql("DELETE FROM lake.changed_copy WHERE id = 2")
          val changes = Seq(
            s"1,y,insert,$first",
            s"2,y,insert,$first",
            s"8,c,insert,${first + 1}",
            s"2,y,delete,${first + 2}"
          )
          assert(rows(function(s"'lake.changed_copy', $first")) == changes, kind)
          assert(rows(function(s"'lake.changed_copy', ${first + 1}")) == changes.drop(2), kind)
          if (first > 1) {
            val e = intercept[AnalysisException](rows(function("'lake.changed_copy', 1")))
            assert(e.getMessage.contains(s"can be read is $first"), e.getMessage)
          }
          spark.sql("DROP TABLE lake.changed_copy")
        }
      }
    }
}
