// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.io.IOException
import java.net.URI
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.Optional
import io.github.pysparklance.storage.spi.{CommitLease, CommitLock}
import io.github.pysparklance.testkit.{SharedSpark, SparkLine, TemporaryFolder}

/** File system options of a read or write apply to its tasks only. */
class OwnStorageSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private val storageOptions = Map(
    "fs.guarded.impl" -> classOf[GuardedFiles].getName,
    "fs.guarded.impl.disable.cache" -> "true",
    "fs.guarded.secret" -> "sesame",
    "lance.commit.lock" -> classOf[GuardedLock].getName
  )

  private def path: String = s"guarded://${folder.resolve("t")}"

  test("options of reads and writes apply on the driver and in tasks") {
    val rows = spark.range(0, 100, 1, 3).withColumn("s", col("id").cast("string"))
    for (mode <- Seq("error", "append"))
      rows.write.format("lance").mode(mode).options(storageOptions).save(path)
    val read = spark.read.format("lance").options(storageOptions).load(path)
    assert(read.where("s is not null").agg(sum("id")).head().getLong(0) == 2 * 4950)
    rows
      .where("id > 97")
      .write
      .format("lance")
      .mode("overwrite")
      .options(storageOptions + ("replaceWhere" -> "id > 90"))
      .save(path)
    assert(spark.read.format("lance").options(storageOptions).load(path).count() == 2 * 91 + 2)
    for (
      others <-
        Seq(storageOptions - "fs.guarded.secret", storageOptions + ("fs.guarded.secret" -> "x"))
    ) {
      val e = intercept[Exception] {
        spark.read.format("lance").options(others).load(path).collect()
      }
      assert(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(cause =>
        s"${cause.getMessage}".contains("no secret")
      ))
    }
    assert(spark.conf.getOption("fs.guarded.secret").isEmpty)
  }

  test("plans and messages contain no secrets") {
    val rows = spark.range(3)
    rows.write.format("lance").options(storageOptions).save(path)
    val read = spark.read.format("lance").options(storageOptions).load(path)
    assert(!read.queryExecution.toString.contains("sesame"))
    val e = intercept[Exception](rows.write.format("lance").options(storageOptions).save(path))
    assert(!e.getMessage.contains("sesame"))
  }

  /** A session with a catalog that has its own file system configuration. */
  private def guarded(scheme: String, storageOptions: Map[String, String]): SparkSession = {
    val session = spark.newSession()
    val catalog = "spark.sql.catalog.guard"
    session.conf.set(catalog, "io.github.pysparklance.spark.LanceCatalog")
    session.conf.set(s"$catalog.root", s"$scheme://$folder")
    storageOptions.foreach { case (key, value) =>
      session.conf.set(s"$catalog.storage.$key", value)
    }
    session
  }

  private def guardedCloud: SparkSession = guarded(
    "gs",
    Map(
      "fs.gs.impl" -> classOf[GuardedCloud].getName,
      "fs.gs.impl.disable.cache" -> "true",
      "fs.guarded.secret" -> "sesame"
    )
  )

  test("file system configuration of a catalog applies to all operations on its tables") {
    val session = guardedCloud
    def ids(of: String): Seq[Long] =
      session.sql(s"SELECT id FROM $of ORDER BY id").collect().map(_.getLong(0)).toSeq
    Seq(
      "CREATE NAMESPACE guard.a",
      "CREATE TABLE guard.a.t AS SELECT id, string(id) AS s FROM range(0, 8, 1, 2)",
      "INSERT INTO guard.a.t SELECT id, 'more' FROM range(8, 10)",
      "UPDATE guard.a.t SET s = 'odd' WHERE id % 2 = 1",
      "DELETE FROM guard.a.t WHERE id > 7 AND s = 'odd'",
      "MERGE INTO guard.a.t USING (SELECT 0L AS id UNION SELECT 10L) AS n ON t.id = n.id " +
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, s) VALUES (n.id, 'new')",
      "ALTER TABLE guard.a.t SET TBLPROPERTIES ('team' = 'x')",
      "ALTER TABLE guard.a.t ADD COLUMN n INT",
      "ALTER TABLE guard.a.t ALTER COLUMN n TYPE BIGINT",
      "ALTER TABLE guard.a.t ADD COLUMNS (half DOUBLE AS (id / 2))",
      "ALTER TABLE guard.a.t CREATE TAG first",
      "OPTIMIZE guard.a.t",
      "CALL guard.system.compact('a.t', target_rows_per_fragment => 100)",
      "ANALYZE TABLE guard.a.t COMPUTE STATISTICS FOR ALL COLUMNS",
      "CREATE TABLE guard.a.c SHALLOW CLONE guard.a.t",
      "CREATE OR REPLACE TABLE guard.a.r AS SELECT * FROM guard.a.t VERSION AS OF 'first'",
      "ALTER TABLE guard.a.r RENAME TO guard.a.s",
      "VACUUM guard.a.t"
    ).foreach(session.sql(_).collect())
    for (name <- Seq("t", "c", "s").map(n => s"guard.a.$n") :+ s"guard.`gs://$folder/a/t.lance`")
      assert(ids(name) == (1L to 8L) :+ 10L, name)
    assert(session.sql("SHOW TABLES IN guard.a").count() == 3)
    assert(session.sql("SELECT sum(rows) FROM guard.a.t.fragments").head().getLong(0) == 9)
    session.sql("DROP NAMESPACE guard.a CASCADE")
    assert(folder.toFile.list().isEmpty)
  }

  test("namespaces on a store without atomic creation, whose commits use a lock") {
    val session = guarded("guarded", storageOptions)
    session.sql("CREATE NAMESPACE guard.a COMMENT 'ours' WITH DBPROPERTIES ('team' = 'x')")
    session.sql("CREATE NAMESPACE IF NOT EXISTS guard.a COMMENT 'theirs'")
    intercept[NamespaceAlreadyExistsException](session.sql("CREATE NAMESPACE guard.a"))
    val told = session.sql("DESCRIBE NAMESPACE EXTENDED guard.a").collect().map(_.toSeq).toSeq
    assert(told.contains(Seq("Comment", "ours")))
    session.sql("CREATE TABLE guard.a.t AS SELECT id FROM range(3)")
    session.sql("INSERT INTO guard.a.t SELECT 3")
    assert(session.table("guard.a.t").count() == 4)
    session.sql("DROP NAMESPACE guard.a CASCADE")
    assert(session.sql("SHOW NAMESPACES IN guard").isEmpty)
  }

  test("plans, descriptions, and files contain no secrets of a catalog") {
    val session = guardedCloud
    session.sql("CREATE NAMESPACE guard.a")
    session.sql("CREATE TABLE guard.t TBLPROPERTIES ('team' = 'x') AS SELECT id FROM range(8)")
    Seq(
      "SELECT * FROM guard.t WHERE id > 3",
      "SELECT * FROM guard.t.files",
      "INSERT INTO guard.t SELECT 9L",
      "CREATE TABLE guard.u AS SELECT * FROM guard.t",
      "UPDATE guard.t SET id = 2 WHERE id = 3",
      "MERGE INTO guard.t USING (SELECT id FROM range(3)) AS n ON t.id = n.id WHEN MATCHED THEN DELETE",
      "ALTER TABLE guard.t ADD COLUMN n INT"
    ).flatMap(s => Seq(s"EXPLAIN EXTENDED $s", s"EXPLAIN FORMATTED $s")).++(Seq(
      "DESCRIBE TABLE EXTENDED guard.t",
      "DESCRIBE NAMESPACE EXTENDED guard.a",
      "DESCRIBE DETAIL guard.t",
      "DESCRIBE HISTORY guard.t",
      "SHOW CREATE TABLE guard.t",
      "SHOW TBLPROPERTIES guard.t",
      "SELECT * FROM guard.t.config",
      "SET"
    ) ++ Optional.when(SparkLine.isFrom("4.0"))("SHOW TABLE EXTENDED IN guard LIKE '*'")).foreach {
      statement =>
        val shown = session.sql(statement).collect().mkString("\n")
        assert(shown.nonEmpty && !shown.contains("sesame"), statement)
    }
    val files = Files.walk(folder)
    val told =
      try
        files.filter { file =>
          Files.isRegularFile(file) &&
          new String(Files.readAllBytes(file), ISO_8859_1).contains("sesame")
        }.toArray
      finally files.close()
    assert(told.isEmpty)
  }
}

/** Local files that require a password. */
class GuardedFiles extends RawLocalFileSystem {
  override def getScheme: String = "guarded"
  override def getUri: URI = URI.create("guarded:///")
  override def initialize(uri: URI, conf: Configuration): Unit = {
    if (conf.get("fs.guarded.secret") != "sesame") throw new IOException("there is no secret")
    super.initialize(uri, conf)
  }
}

/** The same as a file system with an atomic `create` and ordered listings.
  */
class GuardedCloud extends GuardedFiles {
  override def listStatus(path: Path): Array[FileStatus] =
    super.listStatus(path).sortBy(_.getPath.getName).map { s =>
      // The local file system reads permissions from configuration with paths that start with
      // `file:`.
      new FileStatus(
        s.getLen,
        s.isDirectory,
        1,
        s.getBlockSize,
        s.getModificationTime,
        s.getPath
      )
    }
  override def getScheme: String = "gs"
  override def getUri: URI = URI.create("gs:///")
}

/** Enough for a process with sequential commits. */
class GuardedLock extends CommitLock {
  override def acquire(table: String, version: Long): CommitLease = (_: Boolean) => ()
}
