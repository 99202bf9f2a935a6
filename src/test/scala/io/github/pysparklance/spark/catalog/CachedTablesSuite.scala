// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.io.File
import java.nio.file.Files

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{
  Classic,
  FrameMerge,
  Pylance,
  SharedSpark,
  SparkLine,
  TemporaryFolder,
  TestRun
}

/** Caches of one table under its names, its path, its branch, and its metadata tables, after writes
  * of every kind.
  */
class CachedTablesSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = newSession()

  private def newSession(): SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s
  }

  override protected def afterEach(): Unit = {
    spark.catalog.clearCache()
    super.afterEach()
  }

  private def sql(text: String): DataFrame = spark.sql(text)

  private def load(path: String): DataFrame = spark.read.format("lance").load(path)

  private def values(df: DataFrame): Seq[String] = df.collect().map(_.toString).toSeq.sorted

  /** Creates the table. Returns its path. */
  private def made(name: String): String = {
    sql(
      s"CREATE TABLE $name (id BIGINT, v STRING) USING lance TBLPROPERTIES ('enableStableRowIds' = 'true')"
    )
    sql(s"INSERT INTO $name SELECT id, concat('v', id) FROM range(3)")
    sql(s"DESCRIBE TABLE EXTENDED $name").where("col_name = 'Location'").head().getString(1)
      .stripPrefix("file://").stripPrefix("file:")
  }

  private def withTable(name: String)(body: String => Any): Unit =
    try body(made(name)): Unit
    finally sql(s"DROP TABLE IF EXISTS $name"): Unit

  test("a version differs from the version of a table that pylance drops and creates again") {
    val path = folder.resolve("again").toString
    def table = spark.read.format("lance").option("version", "1").load(path)
      .queryExecution.analyzed.collectFirst { case r: DataSourceV2Relation => r.table }.get
    Pylance.write("{'id': [1]}", path)
    val before = table
    assert(before == table && before.hashCode == table.hashCode)
    Pylance.run("import shutil\nshutil.rmtree(path)\nresult = None", "path" -> path): Unit
    Pylance.write("{'id': [2]}", path)
    assert(before != table)
  }

  /** Reads of the rows that Spark caches separately. */
  private def readers(name: String, path: String): Seq[(String, () => DataFrame)] = Seq(
    "name" -> (() => spark.table(name)),
    "path" -> (() => load(path)),
    "URI" -> (() => load(s"file://$path")),
    "path in a catalog" -> (() => sql(s"SELECT * FROM lake.`$path`")),
    "derived by name" -> (() => spark.table(name).where("id >= 0")),
    "derived by path" -> (() => load(path).where("id >= -1")),
    "join" -> (() => load(path).as("a").join(spark.table(name).as("b"), Seq("id")).select("a.*")),
    "subquery by name" -> (() =>
      sql(s"SELECT id FROM range(50) WHERE id IN (SELECT id FROM $name)")
    ),
    "subquery by path" -> (() =>
      sql(s"SELECT id FROM range(60) WHERE id IN (SELECT id FROM lake.`$path`)")
    ),
    "files by name" -> (() => spark.table(s"$name.files")),
    "files by path" -> (() => load(s"$path#files")),
    "versions by name" -> (() => spark.table(s"$name.versions").select("version")),
    "tags by path" -> (() => load(s"$path#tags"))
  )

  private var checks = 0

  /** Checks the rows of all reads, or of another third of them each time in a short run. */
  private def check(name: String, path: String, clue: String): Unit = {
    checks += 1
    val version = LanceTable.open(Storage.local, path).version
    val rows = values(sql(s"SELECT * FROM lake.`$path` VERSION AS OF $version"))
    lazy val ids = values(sql(s"SELECT id FROM lake.`$path` VERSION AS OF $version WHERE id < 50"))
    lazy val files = values(sql(s"SELECT * FROM lake.`$path@v$version#files`"))
    TestRun.share(checks, 3, readers(name, path)).foreach { case (reader, read) =>
      withClue(s"$name after $clue, by $reader: ") {
        val found = values(read())
        if (reader.startsWith("subquery")) assert(found == ids)
        else if (reader.startsWith("files")) assert(found == files)
        else if (reader.startsWith("versions")) assert(found.length == version)
        else if (reader.startsWith("tags"))
          assert(found.length == LanceTable.tags(Storage.local, path).list().length)
        else assert(found == rows)
      }
    }
  }

  private def isCached(df: DataFrame): Boolean =
    df.queryExecution.withCachedData.collect { case c: InMemoryRelation => c }.nonEmpty

  private def row(id: Int): DataFrame = spark.range(id, id + 1).select(col("id"), lit("x").as("v"))

  /** Writes, with their descriptions. */
  private def writers(name: String, path: String): Seq[(String, () => Any)] = Seq(
    "INSERT" -> (() => sql(s"INSERT INTO $name VALUES (10, 'ten')")),
    "append by path" -> (() => row(11).write.format("lance").mode("append").save(path)),
    "append by URI" -> (() => row(12).write.format("lance").mode("append").save(s"file://$path")),
    "INSERT by path" -> (() => sql(s"INSERT INTO lake.`$path` VALUES (13, 'x')")),
    "writeTo" -> (() => row(14).writeTo(name).append()),
    "UPDATE of rows" -> (() => sql(s"UPDATE $name SET v = 'u' WHERE id = 10")),
    "UPDATE of columns" -> { () =>
      spark.conf.set("spark.lance.write.updateMode", "columns")
      try sql(s"UPDATE lake.`$path` SET v = 'c' WHERE id > 0")
      finally spark.conf.unset("spark.lance.write.updateMode")
    },
    "DELETE" -> (() => sql(s"DELETE FROM $name WHERE id = 11")),
    "DELETE by path" -> (() => sql(s"DELETE FROM lake.`$path` WHERE id = 12")),
    "MERGE" -> { () =>
      sql(
        s"MERGE INTO $name t USING (SELECT 15L AS id, 'm' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
      )
    },
    "mergeInto by path" -> { () =>
      FrameMerge(row(16), s"lake.`$path`", lit(false)).whenNotMatched().insertAll().merge()
    },
    "OPTIMIZE" -> (() => sql(s"OPTIMIZE lake.`$path`")),
    "TAG" -> (() => sql(s"ALTER TABLE $name CREATE TAG one")),
    "RESTORE" -> (() => sql(s"CALL lake.system.rollback_to_version('$path', 3)")),
    "REPLACE WHERE" -> { () =>
      row(1).write.format("lance").mode("overwrite").option("replaceWhere", "id = 1").save(path)
    },
    "overwrite by path" -> (() => row(20).write.format("lance").mode("overwrite").save(path)),
    "TRUNCATE" -> (() => sql(s"TRUNCATE TABLE $name"))
  )

  test("a corrupt table is invalidated without an error, and reported by the next query") {
    val manager = Classic.session(spark).sessionState.catalogManager
    for (
      (name, catalogName, ident) <- Seq(
        ("lake.corrupt", "lake", Identifier.of(Array.empty, "corrupt")),
        ("corrupt_of_spark", "spark_catalog", Identifier.of(Array("default"), "corrupt_of_spark"))
      )
    ) withTable(name) { path =>
      val catalog = manager.catalog(catalogName)
      assert(spark.table(name).cache().count() == 3)
      val manifests = new File(path, "_versions").listFiles().toSeq
        .filter(_.getName.endsWith(".manifest")).map(f => f.toPath -> Files.readAllBytes(f.toPath))
      manifests.foreach { case (file, _) => Files.write(file, "no manifest".getBytes("UTF-8")) }
      try {
        catalog.asInstanceOf[TableCatalog].invalidateTable(ident)
        intercept[AnalysisException](spark.table(name).collect())
      } finally manifests.foreach { case (file, bytes) => Files.write(file, bytes) }
      assert(spark.table(name).count() == 3)
    }
  }

  test("every write refreshes all caches of the table") {
    for (name <- Seq("lake.caches", "caches_of_spark")) withTable(name) { path =>
      val held = readers(name, path).map { case (reader, read) => reader -> read().cache() }
      check(name, path, "nothing")
      // The session catalog uses the same table class, so some writes are enough.
      val few = TestRun.share(
        0,
        3,
        Seq("INSERT", "append by path", "append by URI", "UPDATE of columns", "DELETE by path")
      ).toSet
      val all = TestRun.share(0, 2, writers(name, path))
      all.filter(w => name.startsWith("lake") || few(w._1)).foreach { case (writer, write) =>
        val before = LanceTable.open(Storage.local, path).version
        write()
        assert(writer == "TAG" || LanceTable.open(Storage.local, path).version > before, writer)
        check(name, path, writer)
        assert(
          values(spark.table(name)) == values(held.toMap.apply("name").select("*")),
          writer
        )
      }
      // Spark caches tables that are read with options, such as a path, without them from then on.
      val lasting = Set("name", "path in a catalog", "derived by name", "subquery by path")
      readers(name, path).filter(r => lasting(r._1)).foreach { case (reader, read) =>
        assert(isCached(read()), s"by $reader")
      }
    }
  }

  test("a write by path refreshes CACHE TABLE by name, also in other sessions") {
    val other = newSession()
    withTable("lake.both") { path =>
      sql("CACHE TABLE lake.both")
      row(7).write.format("lance").mode("append").save(path)
      assert(sql("SELECT count(*) FROM lake.both").head().getLong(0) == 4)
      assert(isCached(spark.table("lake.both")))
      other.sql(s"INSERT INTO lake.`$path` VALUES (8, 'x')")
      assert(sql("SELECT count(*) FROM lake.both").head().getLong(0) == 5)
    }
  }

  test("a new read by path returns columns that were added, renamed, or dropped by name") {
    withTable("lake.columns") { path =>
      val cached = load(path).cache()
      val derived = load(path).where("id > 0").cache()
      assert(cached.count() == 3 && derived.count() == 2)
      sql("ALTER TABLE lake.columns ADD COLUMN w INT")
      assert(load(path).columns.toSeq == Seq("id", "v", "w"))
      assert(values(load(path)).head == "[0,v0,null]")
      assert(cached.count() == 3 && values(derived) == Seq("[1,v1]", "[2,v2]"))
      sql("ALTER TABLE lake.columns ADD COLUMNS (x AS (id + 1))")
      assert(values(load(path)).head == "[0,v0,null,1]")
      sql("ALTER TABLE lake.columns RENAME COLUMN x TO y")
      assert(load(path).collect().length == 3 && load(path).columns.contains("y"))
      sql("ALTER TABLE lake.columns DROP COLUMN v")
      assert(values(load(path)) == Seq("[0,null,1]", "[1,null,2]", "[2,null,3]"))
      // Before 4.1, a DataFrame whose columns have changed keeps its version.
      if (SparkLine.isFrom("4.1"))
        assert(intercept[AnalysisException](cached.count()).getMessage.contains("`v`"))
      else assert(cached.count() == 3)
    }
  }

  test("a new read by path works after another application changed columns of a cached table") {
    withTable("lake.foreign") { path =>
      val cached = load(path).cache()
      assert(cached.count() == 3)
      Pylance.run("lance.dataset(path).add_columns({'w': 'id + 1'})", "path" -> path)
      assert(values(load(path)).head == "[0,v0,1]")
      assert(cached.count() == 3)
    }
  }

  test(
    "REFRESH TABLE by any name refreshes the caches of all names after a write of another application"
  ) {
    for (name <- Seq("lake.refreshed", "refreshed_of_spark")) withTable(name) { path =>
      val names = Seq(name, s"lake.`$path`", s"$name.files").zip(Seq(30, 31, 32))
      val start = if (name.startsWith("lake")) 0 else 1
      for ((refreshed, id) <- TestRun.share(start, 2, names)) {
        val frames = readers(name, path).map(_._2().cache())
        frames.foreach(_.count())
        Pylance.write(s"[{'id': $id, 'v': 'p'}]", path, "mode" -> "append")
        sql(s"REFRESH TABLE $refreshed")
        check(name, path, s"REFRESH TABLE $refreshed")
        frames.foreach(_.unpersist())
      }
    }
  }

  test("writes to a branch refresh it, and a dropped table is removed from all caches") {
    withTable("lake.branched") { path =>
      sql("ALTER TABLE lake.branched CREATE BRANCH dev")
      def reads = Seq(
        spark.table("lake.branched.branch_dev"),
        spark.read.format("lance").option("branch", "dev").load(path),
        spark.read.option("branch", "dev").table("lake.branched")
      )
      reads.foreach(_.cache().count())
      sql("INSERT INTO lake.branched.branch_dev VALUES (5, 'b')")
      reads.foreach(r => assert(r.count() == 4))
      row(6).write.format("lance").option("branch", "dev").mode("append").save(path)
      reads.foreach(r => assert(r.count() == 5))
      sql(s"DELETE FROM lake.`$path`.branch_dev WHERE id < 3")
      reads.foreach(r => assert(r.count() == 2))
      val main = load(path).cache()
      assert(main.count() == 3)
      sql("ALTER TABLE lake.branched DROP BRANCH dev")
      sql("DROP TABLE lake.branched")
      assert(intercept[AnalysisException](load(path)).getMessage.contains(path))
    }
  }
}
