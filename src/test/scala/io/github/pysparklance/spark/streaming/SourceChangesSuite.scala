// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.TestRun

/** Commits that do more than append rows. */
class SourceChangesSuite extends AnyFunSuite with SourceTests {

  private val statements = Seq(
    "DELETE FROM {t} WHERE id = 1" -> true,
    "TRUNCATE TABLE {t}" -> true,
    "UPDATE {t} SET s = 'u' WHERE id = 1" -> false,
    "INSERT OVERWRITE {t} VALUES (9, 'o')" -> false,
    "MERGE INTO {t} USING (SELECT 1L AS id UNION SELECT 7L) n ON {t}.id = n.id " +
      "WHEN MATCHED THEN UPDATE SET s = 'm' WHEN NOT MATCHED THEN INSERT (id, s) VALUES (7, 'n')" -> false,
    "RESTORE TABLE {t} TO VERSION AS OF 2" -> true
  )

  for (
    (stable, i) <- Seq(true, false).zipWithIndex;
    (statement, isDelete) <- TestRun.share(i, 2, statements)
  )
    test(s"${statement.takeWhile(_ != '{')}stops a stream by default, stable row ids $stable") {
      withTable(stable) {
        insert(1, 2)
        insert(3)
        drain(stream())
        insert(4)
        sql(statement.replace("{t}", name))
        val changed = version
        insert(5)
        val e = problem(stream())
        assert(e.condition == "LANCE_STREAM_CHANGED_ROWS", e)
        assert(e.contains(s"version $changed") && e.contains("skipChangeCommits"), e)
        assert(e.contains(if (isDelete) "ignoreDeletes" else "ignoreChanges"), e)
        // The commits before were read.
        assert(drain(stream("skipChangeCommits" -> true)) == Seq(Seq("5,s5")))
        if (!isDelete) {
          val deletes = stream("startingVersion" -> changed, "ignoreDeletes" -> true)
          assert(problem(deletes, folder.resolve("other")).contains("ignoreChanges"))
        }
      }
    }

  private val restores = for {
    stable <- Seq(true, false)
    removal <- Seq(
      "DELETE FROM {t} WHERE id = 2",
      "DELETE FROM {t} WHERE id = 3",
      "TRUNCATE TABLE {t}"
    )
    isEvolved <- Seq(false, true)
  } yield (stable, removal, isEvolved)

  for ((stable, removal, isEvolved) <- TestRun.share(0, 5, restores)) test(
    s"a RESTORE that undoes a ${removal.replace(" {t}", "")} is a change, stable row ids $stable, " +
      s"columns added later $isEvolved"
  ) {
    withTable(stable) {
      insert(1, 2)
      insert(3)
      val read = version
      drain(stream())
      sql(removal.replace("{t}", name))
      sql(s"RESTORE TABLE $name TO VERSION AS OF $read")
      val restored = version
      insert(4)
      // Rows of versions with other columns are found in another way.
      if (isEvolved) sql(s"ALTER TABLE $name ADD COLUMN n INT")
      val back = idsOf(s"SELECT id FROM $name VERSION AS OF $restored") --
        idsOf(s"SELECT id FROM $name VERSION AS OF ${restored - 1}")
      def start(options: (String, Any)*) =
        stream(Seq("startingVersion" -> restored) ++ options: _*).select("id")
      def rows(option: String) =
        drain(start(option -> true), other(removal, option)).flatten.map(_.toLong)
      for (options <- Seq(Nil, Seq("ignoreDeletes" -> true))) {
        val e = problem(start(options: _*), other(removal, options))
        assert(e.contains(s"version $restored") && e.contains("restored rows"), e)
        assert(e.contains("skipChangeCommits") && e.contains("ignoreChanges"), e)
      }
      assert(rows("skipChangeCommits") == Seq(4L))
      assert(rows("ignoreChanges").sorted == (back.toSeq :+ 4L).sorted)
      // A query that has read the rows does not read them again.
      assert(drain(stream("skipChangeCommits" -> true).select("id")).flatten == Seq("4"))
    }
  }

  private def idsOf(query: String): Set[Long] = sql(query).collect().map(_.getLong(0)).toSet

  private def after(statement: String, options: (String, Any)*): Seq[String] = {
    var found = Seq.empty[String]
    withTable() {
      insert(1, 2)
      val start = version + 1
      sql(statement.replace("{t}", name))
      insert(5)
      found = drain(
        stream(Seq("startingVersion" -> start) ++ options: _*),
        other(statement, options)
      ).flatten
    }
    found
  }

  test("ignoreDeletes skips commits that only delete") {
    for (statement <- statements.collect { case (s, true) if !s.startsWith("RESTORE") => s })
      for (option <- Seq("ignoreDeletes", "ignoreChanges", "skipChangeCommits"))
        assert(after(statement, option -> true) == Seq("5,s5"), (statement, option))
  }

  test("ignoreChanges reads only the rows that changes write") {
    val option = "ignoreChanges" -> true
    assert(after("UPDATE {t} SET s = 'u' WHERE id = 1", option) == Seq("1,u", "5,s5"))
    assert(after("INSERT OVERWRITE {t} VALUES (9, 'o')", option) == Seq("9,o", "5,s5"))
    assert(after(statements(4)._1, option).sorted == Seq("1,m", "5,s5", "7,n"))
  }

  test("skipChangeCommits skips all rows of such commits") {
    for (statement <- statements.collect { case (s, false) => s })
      assert(after(statement, "skipChangeCommits" -> true) == Seq("5,s5"), statement)
  }

  test("a MERGE that only inserts is an append") {
    withTable() {
      insert(1)
      drain(stream())
      sql(
        s"MERGE INTO $name USING (SELECT 7L AS id, 'x' AS s) n ON $name.id = n.id WHEN NOT MATCHED THEN INSERT *"
      )
      assert(drain(stream()) == Seq(Seq("7,x")))
    }
  }

  test("column updates in place are changed rows") {
    withTable() {
      insert(1, 2)
      drain(stream())
      spark.conf.set("spark.lance.write.updateMode", "columns")
      try sql(s"UPDATE $name SET s = 'u' WHERE id = 1")
      finally spark.conf.unset("spark.lance.write.updateMode")
      assert(problem(stream()).contains("updated"))
      assert(drain(stream("ignoreChanges" -> true)) == Seq(Seq("1,u")))
    }
  }

  for (stable <- Seq(true, false))
    test(s"commits without changed rows have no effect, stable row ids $stable") {
      withTable(stable) {
        insert(1)
        insert(2)
        drain(stream())
        sql(s"OPTIMIZE $name")
        sql(s"CREATE INDEX by_id ON $name USING btree (id)")
        insert(3)
        sql(s"OPTIMIZE $name WITH (defer_index_remap = ${!stable})")
        sql(s"ALTER TABLE $name SET TBLPROPERTIES ('a' = 'b')")
        sql(s"OPTIMIZE INDEX by_id ON $name")
        insert(4)
        sql(s"OPTIMIZE $name ZORDER BY (id)")
        assert(drain(stream()) == Seq(Seq("3,s3", "4,s4")))
        sql(s"OPTIMIZE $name")
        sql(s"ALTER TABLE $name ALTER COLUMN s COMMENT 'text'")
        assert(drain(stream()).flatten == Nil)
        insert(5)
        assert(drain(stream()) == Seq(Seq("5,s5")))
      }
    }

  test("a schema change stops the stream, and a restart reads added columns") {
    withTable() {
      insert(1)
      val before = stream()
      drain(before)
      insert(2)
      sql(s"ALTER TABLE $name ADD COLUMN n INT")
      sql(s"INSERT INTO $name VALUES (3, 's3', 30)")
      val e = problem(before)
      assert(e.condition == "LANCE_STREAM_SCHEMA_CHANGED", e)
      assert(e.contains("column n was added") && e.contains("Restart the query"), e)
      assert(drain(stream()) == Seq(Seq("3,s3,30")))
      // A query that begins before the change reads rows without the column as well.
      val earlier = drain(stream("startingVersion" -> 2), folder.resolve("earlier"))
      assert(earlier.flatten == Seq("1,s1,null", "2,s2,null", "3,s3,30"))
    }
  }

  // Guards against a fault of Delta Lake's source: renaming or dropping a column broke streams,
  // because rows of earlier versions were not read with their own columns (delta#1224, delta#1357).
  test("renamed, dropped, and widened columns after a restart") {
    withTable(columns = "id INT, s STRING, x INT") {
      sql(s"INSERT INTO $name VALUES (1, 'a', 10)")
      val before = stream()
      drain(before)
      sql(s"INSERT INTO $name VALUES (2, 'b', 20)")
      for (
        (change, text) <- Seq(
          "RENAME COLUMN s TO t" -> "column s was renamed to t",
          "DROP COLUMN x" -> "column x was dropped",
          "ALTER COLUMN id TYPE BIGINT" -> "id"
        )
      ) {
        val old = stream()
        sql(s"ALTER TABLE $name $change")
        val fresh = other(change)
        val e = problem(old, fresh)
        assert(e.condition == "LANCE_STREAM_SCHEMA_CHANGED" && e.contains("Restart"), e)
        assert(e.contains(text), change)
      }
      sql(s"INSERT INTO $name VALUES (3, 'c')")
      assert(drain(stream()) == Seq(Seq("2,b", "3,c")))
      assert(stream().columns.toSeq == Seq("id", "t"))
    }
  }

  test("a column that becomes nullable") {
    withTable(columns = "id BIGINT, s STRING NOT NULL") {
      insert(1)
      val before = stream()
      drain(before)
      sql(s"ALTER TABLE $name ALTER COLUMN s DROP NOT NULL")
      assert(problem(before).contains("column s may be null now"))
      sql(s"INSERT INTO $name VALUES (2, NULL)")
      assert(drain(stream()) == Seq(Seq("2,null")))
    }
  }

  /** Replaces the rows by one row, whose column x has another type. */
  private def overwriteTypes(value: String): Unit =
    sql(s"SELECT max(9L) AS id, max($value) AS x").write.format("lance").mode("overwrite")
      .option("overwriteSchema", "true").save(path)

  test("rows before an overwrite that changed a type are not read as the new type") {
    for (
      (before, value) <-
        Seq("BIGINT" -> "2.5D", "BIGINT" -> "TIMESTAMP '2026-01-01'", "INT" -> "1.5F")
    )
      withTable(columns = s"id BIGINT, x $before") {
        val (appends, changes) = (other(before, value), other(value))
        sql(s"INSERT INTO $name VALUES (1, 10)")
        val feed = Seq("readChangeFeed" -> true)
        drain(stream(), appends)
        drain(stream(feed: _*), changes)
        sql(s"INSERT INTO $name VALUES (2, 20)")
        overwriteTypes(value)
        val skipping = Seq("skipChangeCommits" -> true)
        for ((options, to) <- Seq(skipping -> appends, feed -> changes)) {
          val e = problem(stream(options: _*), to)
          assert(e.contains("the type of the column was changed"), e)
        }
        assert(drain(stream(skipping: _*).select("id"), appends).flatten == Seq("2"))
        val ids = drain(stream(feed: _*).select("id", "_change_type"), changes).flatten
        assert(ids.sorted == Seq("1,delete", "2,delete", "2,insert", "9,insert"))
      }
  }

  test("the rest of the first version is read before a commit stops the stream") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 6, 1, 1)")
      val limit = "maxRowsPerTrigger" -> 2
      intercept[Exception](
        drain(stream(limit), onBatch = id => if (id == 1) sys.error("stopped"))
      )
      sql(s"UPDATE $name SET s = 'u' WHERE id = 0")
      var numBatches = 0
      val e = intercept[Exception](drain(stream(limit), onBatch = _ => numBatches += 1))
      assert(e.getMessage.contains("skipChangeCommits"), e)
      assert(numBatches == 2)
      assert(drain(stream("skipChangeCommits" -> true)).flatten == Nil)
    }
  }
}
