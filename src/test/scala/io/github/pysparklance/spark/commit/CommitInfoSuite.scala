// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import java.util.concurrent.{CompletableFuture, TimeUnit}

import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions._
import org.apache.spark.sql.util.QueryExecutionListener
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{BasePath, Fragment}
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** Commit properties, names, file locations, and counts of writes. */
class CommitInfoSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def count: Long = spark.read.format("lance").load(path).count()
  private def numbers(n: Long): DataFrame = spark.range(0, n, 1, 2).toDF()

  private def save(df: DataFrame, mode: String, options: (String, String)*): Unit =
    df.write.format("lance").mode(mode).options(options.toMap).save(path)

  private def append(options: (String, String)*): Unit = save(numbers(3), "append", options: _*)

  /** Runs code with write options in the session. */
  private def inSession(options: (String, String)*)(body: => Unit): Unit = {
    val configuration = options.map { case (key, value) => s"spark.lance.write.$key" -> value }
    configuration.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally configuration.foreach { case (key, _) => spark.conf.unset(key) }
  }

  private def properties: Map[String, String] =
    LanceTable.history(Storage.local, path).toSeq.last.properties

  private def filesIn(folder: String): Int = Storage.local.list(folder).count(!_.isFolder)

  test("message and properties are stored with the version, like in pylance") {
    val options = Seq("commitMessage" -> "first", "transactionProperty.Team_1" -> "maps")
    for (mode <- Seq("error", "append", "overwrite")) {
      save(numbers(3), mode, options: _*)
      // For Spark, the first save is a CREATE TABLE AS SELECT.
      val statement = if (mode == "error") CommitInfo.by("CREATE TABLE AS SELECT") else Map.empty
      assert(
        properties == Map("__lance_commit_message" -> "first", "Team_1" -> "maps") ++ statement,
        mode
      )
    }
    val theirs = Pylance.run(
      "result = dict(dataset(path).read_transaction(3).transaction_properties)",
      "path" -> path
    )
    assert(theirs.get("__lance_commit_message").asText == "first")
    save(
      numbers(1),
      "overwrite",
      "replaceWhere" -> "id < 2",
      "transaction-property.by" -> "us"
    )
    assert(properties == Map("by" -> "us"))
  }

  test("a numbered write is committed once, in any mode") {
    append("txnAppId" -> "job", "txnVersion" -> "7")
    append("txnAppId" -> "job", "txnVersion" -> "7")
    save(numbers(1), "overwrite", "txnAppId" -> "job", "txnVersion" -> "6")
    assert(table.version == 1 && count == 3)
    val files = filesIn(s"$path/data")
    append("txnAppId" -> "other", "txnVersion" -> "1")
    append()
    append("txnAppId" -> "job", "txnVersion" -> "7")
    assert(table.version == 3 && filesIn(s"$path/data") > files)
    append("txnAppId" -> "job", "txnVersion" -> "8")
    assert(table.version == 4 && count == 12)
  }

  test("the session can number writes") {
    append()
    inSession("txnAppId" -> "nightly", "txnVersion" -> "1") {
      append()
      append()
    }
    assert(table.version == 2)
  }

  test("the session also numbers statements that change rows") {
    append()
    val t = s"lance.`$path`"
    def numbered(version: Int)(statement: String): Unit =
      inSession(
        "txnAppId" -> "nightly",
        "txnVersion" -> version.toString,
        "commitMessage" -> statement
      )(spark.sql(statement).collect(): Unit)
    val statements = Seq(
      s"MERGE INTO $t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = t.id + 10 " +
        "WHEN NOT MATCHED THEN INSERT *" -> Seq(0, 1, 12),
      s"UPDATE $t SET id = id + 1" -> Seq(1, 2, 13),
      s"DELETE FROM $t WHERE id = 2" -> Seq(1, 13),
      s"DELETE FROM $t" -> Nil
    )
    for (((statement, rows), i) <- statements.zipWithIndex) {
      val text = statement.replace(s"INTO $t", s"INTO $t t")
      for (_ <- 1 to 2) {
        numbered(i + 1)(text)
        assert(spark.table(t).collect().map(_.getLong(0)).toSeq.sorted == rows, text)
      }
      assert(table.version == i + 2 && properties(CommitInfo.message) == text)
    }
  }

  test("a table is created or replaced once by a numbered write") {
    val t = s"lance.`$path`"
    def rows = spark.table(t).collect().map(_.getLong(0)).toSeq.sorted
    def replace(version: Int, n: Int): Unit =
      inSession("txnAppId" -> "nightly", "txnVersion" -> version.toString) {
        spark.sql(s"CREATE OR REPLACE TABLE $t AS SELECT id FROM range($n)"): Unit
      }
    replace(1, 2)
    replace(1, 3)
    assert(table.version == 1 && rows == Seq(0, 1))
    val files = filesIn(s"$path/data")
    numbers(5).writeTo(t).option("txnAppId", "nightly").option("txnVersion", "1").replace()
    assert(table.version == 1 && rows == Seq(0, 1) && filesIn(s"$path/data") == files)
    inSession("txnAppId" -> "nightly", "txnVersion" -> "1") {
      spark.sql(s"REPLACE TABLE $t (other STRING)"): Unit
    }
    assert(table.version == 1 && rows == Seq(0, 1))
    numbers(4).writeTo(t).option("txnAppId", "nightly").option("txnVersion", "2").replace()
    replace(2, 1)
    assert(table.version == 2 && rows == Seq(0, 1, 2, 3))
    spark.sql(s"CREATE OR REPLACE TABLE $t AS SELECT id FROM range(1)")
    replace(2, 7)
    assert(table.version == 3 && rows == Seq(0))
  }

  /** A function of `id` that commits the write `job` 1 of another writer to the table while a query
    * runs.
    */
  private def racing(path: String): UserDefinedFunction = udf { (id: Long) =>
    val t = LanceTable.open(Storage.local, path)
    if (t.version == 1)
      t.append(
        t.fragments.map(f => Fragment.unassigned(f.files, f.physicalRows.get)),
        AppTransaction("job", 1).properties
      ): Unit
    id
  }

  test("of identical concurrent replacements, one is committed") {
    append()
    val files = filesIn(s"$path/data")
    spark.range(0, 2, 1, 1).select(racing(path)(col("id")).as("id")).writeTo(s"lance.`$path`")
      .option("txnAppId", "job").option("txnVersion", "1").createOrReplace()
    assert(table.version == 2 && count == 6 && filesIn(s"$path/data") == files)
  }

  test("an UPDATE by columns can be numbered") {
    append()
    inSession("txnAppId" -> "nightly", "txnVersion" -> "1", "updateMode" -> "columns") {
      for (_ <- 1 to 2) spark.sql(s"UPDATE lance.`$path` SET id = id + 1").collect(): Unit
    }
    assert(table.version == 2 && table.fragments.forall(_.deletionFile.isEmpty))
    assert(spark.table(s"lance.`$path`").collect().map(_.getLong(0)).toSeq.sorted == Seq(1, 2, 3))
  }

  test("of identical concurrent writes, one is committed") {
    append()
    val files = filesIn(s"$path/data")
    val late = spark.range(0, 2, 1, 1).select(racing(path)(col("id")).as("id"))
    save(late, "append", "txnAppId" -> "job", "txnVersion" -> "1")
    assert(table.version == 2 && count == 6 && filesIn(s"$path/data") == files)
  }

  test("incomplete or invalid options") {
    append()
    for (
      (options, problem) <- Seq(
        Seq("txnAppId" -> "job") -> "txnVersion",
        Seq("txnVersion" -> "1") -> "txnAppId",
        Seq("txnAppId" -> "job", "txnVersion" -> "one") -> "whole number",
        Seq("commitRetries" -> "-1") -> "commitRetries",
        Seq("targetBases" -> "fast") -> "fast is not a base path",
        Seq("mergeSchema" -> "perhaps") -> "true or false"
      )
    ) assert(intercept[AnalysisException](append(options: _*)).getMessage.contains(problem))
    assert(table.version == 1)
  }

  test("a commit without retries fails at the first conflict") {
    append()
    val target = path
    val racing = udf { (id: Long) =>
      val t = LanceTable.open(Storage.local, target)
      if (t.version == 1) t.overwrite(IndexedSeq.empty, t.schema): Unit
      id
    }
    val files = filesIn(s"$path/data")
    val late = spark.range(0, 2, 1, 1).select(racing(col("id")).as("id"))
    val e = intercept[AnalysisException](save(late, "append", "commitRetries" -> "0"))
    assert(e.getMessage.contains("version 2") && filesIn(s"$path/data") == files)
  }

  test("files are written to the base paths in turn, and failed writes remove their files") {
    append()
    val bases = Seq("fast", "big").map(n => BasePath(0, Some(n), false, folder.resolve(n).toString))
    new MetadataChanges(table).addBases(bases)
    save(
      spark.range(0, 8, 1, 1).toDF(),
      "append",
      "maxRowsPerFile" -> "2",
      "targetBases" -> "fast, ., big"
    )
    assert(table.fragments.takeRight(4).map(_.files.head.baseId) ==
      Seq(Some(1), None, Some(2), Some(1)))
    assert(filesIn(bases(0).path) == 2 && filesIn(bases(1).path) == 1)
    assert(count == 11 && Pylance.validate(path) == 11)
    val failing = udf((id: Long) => if (id == 7) throw new IllegalStateException("no") else id)
    intercept[Exception](save(
      spark.range(0, 8, 1, 1).select(failing(col("id")).as("id")),
      "append",
      "maxRowsPerFile" -> "2",
      "targetBases" -> "fast,big"
    ))
    assert(filesIn(bases(0).path) == 2 && filesIn(bases(1).path) == 1)
  }

  test("stable row ids by option, property, session and catalog") {
    save(numbers(2), "error", "enable_stable_row_ids" -> "true")
    assert(table.hasStableRowIds)
    try {
      spark.sql("CREATE TABLE lake.ids (id BIGINT) TBLPROPERTIES ('enableStableRowIds' = 'true')")
      val root = spark.conf.get("spark.sql.catalog.lake.warehouse")
      val made = LanceTable.open(Storage.local, s"$root/ids.lance")
      assert(made.hasStableRowIds && !made.manifest.config.contains("enableStableRowIds"))
      spark.conf.set("spark.lance.write.enableStableRowIds", "true")
      spark.sql("CREATE OR REPLACE TABLE lake.more_ids AS SELECT 1 AS id")
      assert(LanceTable.open(Storage.local, s"$root/more_ids.lance").hasStableRowIds)
    } finally {
      spark.conf.unset("spark.lance.write.enableStableRowIds")
      spark.sql("DROP TABLE IF EXISTS lake.ids")
      spark.sql("DROP TABLE IF EXISTS lake.more_ids"): Unit
    }
  }

  test("the plan of a write has its metrics, including the metrics of the commit") {
    save(numbers(10), "error")
    val own = spark.newSession() // its listeners receive only its own queries
    val seen = new CompletableFuture[Map[String, Long]]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit = {
        val found = query.executedPlan.collect { case p => p.metrics }.flatten.toMap
        if (found.contains("lanceCommittedVersion"))
          seen.complete(found.map { case (k, m) => k -> m.value }): Unit
      }
      override def onFailure(name: String, query: QueryExecution, e: Exception): Unit = ()
    }
    assume(SparkLine.isFrom("4.0"), "Spark shows what the driver counts of a write since 4.0")
    own.listenerManager.register(listener)
    val metrics =
      try {
        save(own.range(0, 4, 1, 2).toDF(), "overwrite", "replaceWhere" -> "id < 4")
        seen.get(2, TimeUnit.MINUTES)
      } finally own.listenerManager.unregister(listener)
    assert(metrics("lanceRowsWritten") == 4 && metrics("lanceReplacedRows") == 4)
    assert(metrics("lanceCommittedVersion") == 2 && metrics("lanceRebasedVersions") == 0)
    assert(metrics("lanceCommitTime") > 0)
  }

  test("a write that a restore undid can be repeated") {
    append()
    for (longer <- Seq("", "x" * 250)) {
      val app = s"nightly$longer"
      def numbered(n: Int): Unit = append("txnAppId" -> app, "txnVersion" -> n.toString)
      val first = table.version
      numbered(0)
      numbered(1)
      val rows = count
      numbered(1)
      assert(count == rows)
      spark.sql(s"RESTORE TABLE lance.`$path` TO VERSION AS OF ${first + 1}"): Unit
      numbered(0)
      assert(count == rows - 3, "version 0 remains committed")
      numbered(1)
      assert(count == rows)
      spark.sql(s"RESTORE TABLE lance.`$path` TO VERSION AS OF $first"): Unit
      numbered(0)
      assert(count == rows - 3)
      numbered(0)
      assert(count == rows - 3)
    }
  }
}
