// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.testkit.{Pylance, TableRows}

/** Commands whose version is no longer the latest at their commit. */
class ConcurrentSuite extends RowLevelSuite {

  private def conflict(body: => Unit): CommitConflictException = {
    val e = intercept[AnalysisException](body)
    assert(e.getMessage.contains(path) && e.getMessage.contains("not committed"))
    e.getCause.asInstanceOf[CommitConflictException]
  }

  private def dataFiles: Set[String] = folder.resolve("t/data").toFile.list().toSet

  test("commands on different rows of a fragment do not conflict") {
    create(stable = true)
    val ids = column("_rowid")
    val commands = Seq(
      s"UPDATE $t SET value = -1 WHERE id = 1",
      s"DELETE FROM $t WHERE id = 2",
      s"UPDATE $t SET value = -3 WHERE id = 3",
      s"""MERGE INTO $t x USING (SELECT 4L AS id) s ON x.id = s.id
         |WHEN MATCHED THEN UPDATE SET value = -4""".stripMargin,
      s"INSERT INTO $t VALUES (100, 1)"
    ).map(analyzed)
    commands.foreach(run)
    assert(table.version == 6)
    assert(values.take(5) == Seq((0L, 0L), (1L, -1L), (3L, -3L), (4L, -4L), (5L, 50L)))
    assert(ids.filterNot(_._1 == 2L) == column("_rowid") - 100L)
    checkByPylance()
  }

  test("commands are retried after a concurrent delete or change of their rows") {
    create(stable = true)
    val ids = column("_rowid")
    val update = analyzed(s"UPDATE $t SET value = value + 1 WHERE id < 4")
    val delete = analyzed(s"DELETE FROM $t WHERE value IN (10, 11, 150)")
    val merge = analyzed(
      s"""MERGE INTO $t x USING (SELECT explode(array(2L, 3L, 50L)) AS id) s ON x.id = s.id
         |WHEN MATCHED THEN UPDATE SET value = -x.value
         |WHEN NOT MATCHED THEN INSERT (id, value) VALUES (s.id, 0)
         |WHEN NOT MATCHED BY SOURCE AND x.id > 15 THEN DELETE""".stripMargin
    )
    deletedMeanwhile(0L, 3)
    val files = dataFiles
    run(update)
    assert(table.version == 3 && dataFiles.size == files.size + 1)
    assert(values.take(4) == Seq((0L, 1L), (1L, 11L), (2L, 21L), (4L, 40L)))
    run(delete)
    assert(values.map(_._1).take(3) == Seq(0L, 2L, 4L) && !values.exists(_._1 == 15L))
    assert(lastVersion.rowsDeleted.contains(2L))
    run(merge)
    assert(values.map(_._1) == Seq(0L) ++ (2L to 14L) :+ 50L)
    assert(values.filter(v => Seq(2L, 3L, 50L).contains(v._1)).map(_._2) == Seq(-21L, 0L, 0L))
    val now = column("_rowid")
    assert(now.filter(i => i._1 < 20 && i._1 != 3).forall(i => ids(i._1) == i._2))
    checkByPylance()
  }

  for {
    (name, insert) <- Seq(
      "MERGE that only inserts" ->
        """MERGE INTO {t} x USING (SELECT explode(array(3L, 50L)) AS id) s ON x.id = s.id
           |WHEN NOT MATCHED THEN INSERT (id, value) VALUES (s.id, %d)""".stripMargin,
      "MERGE" ->
        """MERGE INTO {t} x USING (SELECT explode(array(3L, 50L)) AS id) s ON x.id = s.id
           |WHEN MATCHED THEN UPDATE SET value = x.value
           |WHEN NOT MATCHED THEN INSERT (id, value) VALUES (s.id, %d)""".stripMargin,
      "INSERT of selected rows" ->
        "INSERT INTO {t} SELECT 50L, %d WHERE NOT EXISTS (SELECT 1 FROM {t} WHERE id = 50)",
      "INSERT of joined rows" ->
        """INSERT INTO {t} SELECT s.id, %d FROM (SELECT 50L AS id) s
          |LEFT ANTI JOIN {t} x ON s.id = x.id""".stripMargin
    )
    stable <- Seq(false, true)
  } test(s"two concurrent statements insert a key once: $name, stable row ids: $stable") {
    create(stable = stable)
    val commands = (1 to 3).map(i => analyzed(insert.replace("{t}", t).format(i)))
    sql(s"INSERT INTO $t VALUES (60, 6)")
    commands.foreach(run)
    assert(values.filter(_._1 >= 20) == Seq((50L, 1L), (60L, 6L)))
    assert(values.length == 22)
    checkByPylance()
  }

  test("an INSERT of rows of the same table conflicts with changes of rows, but not with appends") {
    create()
    spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('commit.retry.num' = '0')")
    val commands =
      (1 to 2).map(i => analyzed(s"INSERT INTO $t SELECT id + 100, $i FROM $t WHERE id = 3"))
    sql(s"INSERT INTO $t VALUES (60, 6)")
    run(commands.head)
    assert(lastVersion.operation.contains("Update"))
    assert(conflict(run(commands(1))).retryable)
    assert(values.filter(_._1 >= 20) == Seq((60L, 6L), (103L, 1L)))
  }

  for (
    (name, overwrite) <- Seq(
      "dynamic" -> "INSERT OVERWRITE {t} VALUES (50L, %d)",
      "REPLACE WHERE" -> "INSERT INTO {t} REPLACE WHERE id = 50 SELECT 50L, %d"
    )
  )
    test(s"a concurrent overwrite replaces the rows that another one added, $name") {
      create()
      sql(s"ALTER TABLE $t CLUSTER BY (id)")
      spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
      try {
        val commands = (1 to 3).map(i => analyzed(overwrite.replace("{t}", t).format(i)))
        commands.foreach(run)
      } finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
      assert(values.filter(_._1 >= 20) == Seq((50L, 3L)))
      assert(values.length == 21)
    }

  test("without retries in the table properties, no command is retried") {
    create(stable = true)
    spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('commit.retry.num' = '0')")
    val update = analyzed(s"UPDATE $t SET value = value + 1 WHERE id < 4")
    deletedMeanwhile(0L, 3)
    val (version, files) = (table.version, dataFiles)
    assert(conflict(run(update)).retryable)
    assert(table.version == version && dataFiles == files)
  }

  test("commands are retried after a compaction, which moves their rows") {
    create()
    sql(s"DELETE FROM $t WHERE id % 3 = 0")
    val update = analyzed(s"UPDATE $t SET value = -1 WHERE id = 4")
    new Compaction(table).run(CompactionOptions(targetRowsPerFragment = 100)): Unit
    assert(table.fragments.length == 1)
    run(update)
    assert(values.collect { case (id, -1L) => id } == Seq(4L) && values.length == 13)
    checkByPylance()
  }

  test("the condition is stored with the version") {
    create()
    sql(s"DELETE FROM $t AS x WHERE x.id = 3 OR hash(value) = 1")
    val kept = Pylance.run(
      "result = dataset(path).read_transaction(2).operation.predicate",
      "path" -> path
    )
    assert(kept.asText.contains("(id = ") && kept.asText.contains("hash(value"))
  }

  test("no command is retried after a new constraint, against which it was not checked") {
    create()
    val update = analyzed(s"UPDATE $t SET value = -1 WHERE id = 3")
    sql(s"ALTER TABLE $t ADD CONSTRAINT positive CHECK (value >= 0)")
    val version = table.version
    conflict(run(update))
    assert(table.version == version && values.forall(_._2 != -1L))
  }

  test("commands that need only the manifest are retried") {
    for (
      (statement, left) <- Seq(
        s"DELETE FROM $t WHERE _rowid IN (3, 4)" -> (0L until 20L).filterNot(Set(3L, 4L)),
        s"DELETE FROM $t" -> Nil,
        s"TRUNCATE TABLE $t" -> Nil
      )
    ) {
      LanceTable.drop(Storage.local, path)
      create(stable = true)
      val command = analyzed(statement)
      deletedMeanwhile(0L, 3)
      run(command)
      assert(table.version == 3 && values.map(_._1) == left, statement)
    }
  }

  test("a command that selects rows by position is not retried") {
    for (
      condition <- Seq("_rowaddr = 4", "_rowid = 4 AND value >= 0", "_rowaddr = 4 OR value = 40");
      statement <- Seq(
        s"DELETE FROM $t WHERE $condition",
        s"UPDATE $t SET value = -1 WHERE $condition",
        s"MERGE INTO $t USING (SELECT 1) s ON $condition WHEN MATCHED THEN DELETE",
        s"MERGE INTO $t USING (SELECT 4L AS k) s ON id = k WHEN MATCHED AND ($condition) THEN DELETE"
      );
      mode <- Seq("rows", "columns")
    ) {
      LanceTable.drop(Storage.local, path)
      create()
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = '$mode')")
      sql(s"DELETE FROM $t WHERE id = 0")
      val command = analyzed(statement)
      new Compaction(table).run(CompactionOptions(targetRowsPerFragment = 100)): Unit
      val before = (table.version, values)
      conflict(run(command))
      assert((table.version, values) == before, statement)
    }
  }

  test("an overwritten table") {
    create()
    val update = analyzed(s"UPDATE $t SET value = -1 WHERE id = 3")
    sql(s"INSERT OVERWRITE $t VALUES (3, 4)")
    conflict(run(update))
    assert(values == Seq((3L, 4L)))
  }

  test("concurrently appended rows are unchanged") {
    create()
    val update = analyzed(s"UPDATE $t SET value = 0")
    table.append(IndexedSeq(TableRows.write(Storage.local, path, Seq((100L, 1L)))))
    run(update)
    assert(values == (0L until 20L).map((_, 0L)) :+ ((100L, 1L)))
  }

  test("a retried command reads the latest versions of its sources") {
    def merge(version: String) =
      s"""MERGE INTO $t x USING (SELECT id, value + 1 AS v FROM $t $version WHERE id = 19) s
         |ON x.id = s.id WHEN MATCHED THEN UPDATE SET value = s.v""".stripMargin
    val update = s"UPDATE $t SET value = value + 1 " +
      s"WHERE id = 19 AND value <= (SELECT max(value) FROM $t)"
    for (
      (statement, mode, expected) <- Seq(
        (merge(""), "rows", 192L),
        (merge("VERSION AS OF 1"), "rows", 191L),
        (update, "rows", 192L),
        (update, "columns", 192L),
        (update, "auto", 192L)
      )
    ) {
      LanceTable.drop(Storage.local, path)
      create()
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = '$mode')")
      val commands = Seq.fill(2)(analyzed(statement))
      commands.foreach(run)
      assert(values.last == ((19L, expected)), s"$statement, mode $mode")
    }
  }

  test("a retried command reads the latest version of another table") {
    create()
    val otherPath = folder.resolve("other").toString
    val other = s"lake.`$otherPath`"
    sql(s"CREATE TABLE $other AS SELECT 3L AS id, -1L AS v")
    val merge = analyzed(
      s"""MERGE INTO $t x USING $other s ON x.id = s.id
         |WHEN MATCHED THEN UPDATE SET value = s.v""".stripMargin
    )
    sql(s"UPDATE $other SET v = -2")
    sql(s"UPDATE $t SET value = 31 WHERE id = 3")
    run(merge)
    assert(values(3) == ((3L, -2L)))
  }
}
