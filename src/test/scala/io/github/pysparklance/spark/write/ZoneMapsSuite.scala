// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.util.concurrent.{CompletableFuture, TimeUnit}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{CommandResultExec, QueryExecution}
import org.apache.spark.sql.util.QueryExecutionListener
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.ScalarIndices
import io.github.pysparklance.index.scalar.ZoneMap
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Pylance, SharedSpark}

/** Zone maps that write tasks compute. */
class ZoneMapsSuite extends AnyFunSuite with BeforeAndAfterEach with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted
  private def sql(text: String): DataFrame = spark.sql(text)

  override def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE lake.zones"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.zones CASCADE"): Unit
    super.afterEach()
  }

  private val t = "lake.zones.t"

  private def path: String =
    sql(s"DESCRIBE TABLE EXTENDED $t").collect()
      .collectFirst { case r if r.getString(0) == "Location" => r.getString(1) }.get
      .stripPrefix("file:")

  private def table: LanceTable = LanceTable.open(Storage.local, path)

  /** Zone maps by name, each with the number of its segments and the fragments that they cover. */
  private def zoneMaps: Map[String, (Int, Set[Long])] = {
    val version = table
    val indices = new ScalarIndices(version)
    indices.indices.filter(_.kind == ZoneMap).map { index =>
      val covered = index.segments.flatMap(s =>
        indices.covered(ZoneMap, s).toArray.map(_.toLong)
      )
      assert(covered.distinct.length == covered.length, "segments overlap")
      index.name -> (index.segments.length, covered.toSet)
    }.toMap
  }

  private def allFragments: Set[Long] = table.fragments.map(_.id).toSet

  /** Every fragment is covered by one segment of these zone maps, which pylance uses, too. */
  private def assertCovered(names: String*): Unit = {
    assert(zoneMaps == names.map(_ -> (1, allFragments)).toMap)
    Pylance.validate(path): Unit
  }

  private def metric(of: DataFrame, name: String): Long =
    collect(of.queryExecution.executedPlan) { case b: BatchScanExec => b }.map(
      _.metrics(name).value
    ).sum

  /** Runs a query with and without indices and by pylance; returns the rows on which the filter was
    * evaluated.
    */
  private def rowsRead(condition: String): Long = {
    val found = sql(s"SELECT * FROM $t WHERE $condition")
    val rows = found.collect().map(_.toString).sorted.toSeq
    val scanned = spark.read.option("useScalarIndex", "false").table(t).where(condition)
      .collect().map(_.toString).sorted.toSeq
    assert(rows == scanned)
    val counted = Pylance.run(
      "result = dataset(path).count_rows(filter=c)",
      "path" -> path,
      "c" -> condition
    )
    assert(counted.asLong == rows.length)
    metric(found, "lanceRowsRead") + metric(found, "lanceFilteredRows")
  }

  private def insert(from: Long, until: Long): Unit =
    spark.range(from, until, 1, 1)
      .selectExpr("id AS k", "CAST(id % 7 AS STRING) AS v")
      .writeTo(t).option("maxRowsPerFile", "60000").append()

  private def create(more: String = ""): Unit =
    sql(s"CREATE TABLE $t (k BIGINT, v STRING) PARTITIONED BY (k) $more"): Unit

  test("every write adds its zones, and scans read only zones that may match") {
    create()
    assert(zoneMaps.isEmpty)
    insert(0, 150000)
    assertCovered("k_zonemap")
    assert(allFragments.size == 3)
    assert(rowsRead("k = 30000") == 8192)
    assert(rowsRead("k BETWEEN 8000 AND 8200") == 2 * 8192)
    assert(rowsRead("k < 0") == 0)
    insert(150000, 160000)
    assertCovered("k_zonemap")
    sql(s"INSERT INTO $t VALUES (NULL, 'null'), (-5, NULL)")
    assertCovered("k_zonemap")
    assert(rowsRead("k < 0") <= 2 && rowsRead("k IS NULL") <= 2)
    assert(
      sql(s"SELECT name FROM $t.indices").collect().map(_.getString(0)).toSeq == Seq("k_zonemap")
    )
    val plan = Pylance.run(
      "result = dataset(path).scanner(filter='k = 30000').explain_plan(True)",
      "path" -> path
    ).asText
    assert(plan.contains("ScalarIndexQuery") && plan.contains("k_zonemap"), plan)
  }

  test("DELETE, UPDATE, and MERGE keep the coverage") {
    create()
    insert(0, 60000)
    sql(s"DELETE FROM $t WHERE k < 10 OR k BETWEEN 100 AND 9000")
    assertCovered("k_zonemap")
    assert(rowsRead("k < 9500") <= 2 * 8192)
    sql(s"UPDATE $t SET k = k + 100000 WHERE k BETWEEN 20000 AND 20009")
    assertCovered("k_zonemap")
    assert(rowsRead("k > 100000") <= 10)
    sql(
      s"MERGE INTO $t USING (SELECT id AS k FROM range(59990, 60010)) s ON t.k = s.k " +
        "WHEN MATCHED THEN UPDATE SET k = -s.k WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, 'new')"
    )
    assertCovered("k_zonemap")
    assert(rowsRead("k < 0") <= 8192)
    assert(sql(s"SELECT count(*) FROM $t WHERE k < 0").head().getLong(0) == 10)
  }

  /** Rows on which the filter of a command was evaluated while it looked for its rows. */
  private def rowsSought(command: String): Long = {
    val plan = sql(command).queryExecution.executedPlan match {
      case done: CommandResultExec => done.commandPhysicalPlan
      case other => other
    }
    val scans = collect(plan) { case b: BatchScanExec => b }
    assert(scans.nonEmpty)
    scans.map { s =>
      s.metrics("lanceRowsRead").value + s.metrics("lanceFilteredRows").value
    }.sum
  }

  test("DELETE, UPDATE, and MERGE read only zones that may match") {
    create()
    (0 until 3).foreach(i => insert(i * 60000L, (i + 1) * 60000L))
    val byRows = "spark.lance.write.updateMode"
    spark.conf.set(byRows, "rows")
    try {
      assert(rowsSought(s"DELETE FROM $t WHERE k BETWEEN 70000 AND 70010") <= 8192)
      assert(rowsSought(s"UPDATE $t SET v = 'u' WHERE k = 130000") <= 8192)
    } finally spark.conf.unset(byRows)
    val merge = s"MERGE INTO $t USING (SELECT id AS k FROM range(100, 120)) s " +
      "ON t.k = s.k AND t.k BETWEEN 100 AND 130 WHEN MATCHED THEN DELETE"
    assert(rowsSought(merge) <= 8192 + 20)
    assert(sql(s"SELECT count(*), count_if(v = 'u') FROM $t").head().toSeq == Seq(179969L, 1L))
    assert(rowsSought(s"DELETE FROM $t WHERE k < -7 OR k = 1000000") == 0)
  }

  test("a dynamic overwrite reads only zones that may have its keys") {
    create()
    (0 until 3).foreach(i => insert(i * 60000L, (i + 1) * 60000L))
    val sought = new CompletableFuture[Seq[Long]]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit =
        if (name == "rows to be replaced") {
          val scans = collect(query.executedPlan) { case b: BatchScanExec => b.metrics }
          sought.complete(scans.flatMap(m =>
            Seq("lanceRowsRead", "lanceFilteredRows").map(m(_).value)
          )): Unit
        }
      override def onFailure(name: String, query: QueryExecution, e: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    val counts =
      try {
        spark.range(70000, 70010).selectExpr("id AS k", "'new' AS v").writeTo(t)
          .overwritePartitions()
        sought.get(2, TimeUnit.MINUTES)
      } finally spark.listenerManager.unregister(listener)
    assert(counts.sum > 0 && counts.sum <= 8192)
    assert(sql(s"SELECT count(*), count_if(v = 'new') FROM $t").head().toSeq == Seq(180000L, 10L))
  }

  test("CREATE TABLE AS SELECT, overwrites, and replaced tables") {
    sql(s"CREATE TABLE $t PARTITIONED BY (k) AS SELECT id AS k, 'a' AS v FROM range(100)")
    assertCovered("k_zonemap")
    sql(s"INSERT OVERWRITE $t SELECT id, 'b' FROM range(50)")
    assertCovered("k_zonemap")
    assert(rowsRead("k >= 50") == 0)
    spark.range(45, 60).selectExpr("id AS k", "'c' AS v").writeTo(t).overwritePartitions()
    assertCovered("k_zonemap")
    assert(sql(s"SELECT count(*), count_if(v = 'c') FROM $t").head().toSeq == Seq(60L, 15L))
    spark.range(3).selectExpr("-id AS k", "'d' AS v").writeTo(t)
      .overwrite(org.apache.spark.sql.functions.col("k") > 30)
    assertCovered("k_zonemap")
    sql(s"CREATE OR REPLACE TABLE $t PARTITIONED BY (v) AS SELECT id AS k, 'a' AS v FROM range(9)")
    assertCovered("v_zonemap")
  }

  test("compaction and Z-order write zones of new fragments") {
    create("TBLPROPERTIES ('lance.spark.write.zonemap' = 'v')")
    (0 until 5).foreach(i => insert(i * 12000L, (i + 1) * 12000L))
    assertCovered("k_zonemap", "v_zonemap")
    sql(s"DELETE FROM $t WHERE k % 3 = 1")
    sql(s"OPTIMIZE $t")
    assert(allFragments.size == 1)
    assertCovered("k_zonemap", "v_zonemap")
    assert(rowsRead("k < 100") == 8192)
    insert(70000, 71000)
    sql(s"OPTIMIZE $t ZORDER BY (v)")
    assert(allFragments.size == 1)
    assertCovered("k_zonemap", "v_zonemap")
    assert(rowsRead("v = '0'") == 8192)
    insert(0, 10)
    insert(0, 10)
    sql(s"OPTIMIZE $t WITH (compaction_mode = 'force_binary_copy')")
    assertCovered("k_zonemap", "v_zonemap")
    assert(rowsRead("v = '0'") <= 2 * 8192)
  }

  test("UPDATE COLUMNS and data replacement remove the changed fragments from the coverage") {
    create("TBLPROPERTIES ('lance.spark.write.zonemap' = 'v')")
    (0 until 3).foreach(i => insert(i * 1000L, (i + 1) * 1000L))
    def update(column: String, value: String, condition: String): Unit = sql(
      s"ALTER TABLE $t UPDATE COLUMNS $column FROM " +
        s"(SELECT _rowaddr, $value AS $column FROM $t WHERE $condition)"
    ): Unit
    update("v", "concat('new', v)", "true")
    assert(zoneMaps == Map("k_zonemap" -> (1 -> allFragments), "v_zonemap" -> (1 -> Set.empty)))
    assert(rowsRead("v = 'new3'") == 3000)
    sql(s"OPTIMIZE INDEX v_zonemap ON $t")
    assertCovered("k_zonemap", "v_zonemap")
    assert(rowsRead("v = '3'") == 0)
    update("k", "k + 10000", "k = 1500")
    assert(zoneMaps("k_zonemap") == (1 -> Set(0L, 2L)))
    assert(zoneMaps("v_zonemap") == (1 -> allFragments))
    assert(rowsRead("k = 11500") == 1000 && rowsRead("k = 1500") == 1000)
    Pylance.run(
      """
      from lance.file import LanceFileWriter
      from lance.fragment import DataFile
      ds = dataset(path)
      [old] = [f for f in ds.get_fragment(2).metadata.files if f.fields == [1]]
      version = (old.file_major_version, old.file_minor_version)
      with LanceFileWriter(path + '/data/other.lance', version='%d.%d' % version) as file:
          file.write_batch(pa.table({'v': ['other'] * 1000}))
      new = DataFile('other.lance', [1], [0], *version)
      op = lance.LanceOperation
      group = op.DataReplacementGroup(2, new)
      lance.LanceDataset.commit(path, op.DataReplacement([group]), read_version=ds.version)
      """,
      "path" -> path
    )
    assert(zoneMaps == Map("k_zonemap" -> (1, Set(0L, 2L)), "v_zonemap" -> (1, Set(0L, 1L))))
    assert(rowsRead("v = 'other'") == 1000 && rowsRead("v = 'new3'") == 3000)
    sql(s"OPTIMIZE $t")
    assert(allFragments.size == 1)
    assertCovered("k_zonemap", "v_zonemap")
    assert(rowsRead("v = 'other'") == 3000 && rowsRead("k = 11500") == 3000)
    assert(rowsRead("v = '3'") == 0 && rowsRead("k > 11500") == 0)
  }

  test("a compaction with partial commits writes the zones of all parts") {
    create("TBLPROPERTIES ('lance.spark.write.zonemap' = 'v')")
    (0 until 8).foreach(i => insert(i * 1000L, (i + 1) * 1000L))
    sql(s"OPTIMIZE $t WITH (target_rows_per_fragment = 2000, partial_commits = 4)")
    assert(allFragments.size == 4)
    assertCovered("k_zonemap", "v_zonemap")
    assert(rowsRead("k = 7") == 2000)
  }

  test("a fragment with a long bound is not covered, because pylance would skip its zone") {
    create("TBLPROPERTIES ('lance.spark.write.zonemap' = 'v')")
    sql(s"INSERT INTO $t SELECT id, 'short' FROM range(0, 10, 1, 1)")
    sql(
      s"INSERT INTO $t SELECT id, IF(id = 13, repeat('x', 5000), 'short') FROM range(10, 20, 1, 1)"
    )
    sql(
      s"INSERT INTO $t SELECT id, IF(id = 23, repeat('x', 5000), 'short') FROM range(20, 30, 1, 1)"
    )
    assert(zoneMaps("k_zonemap") == (1 -> allFragments))
    val short = sql(
      s"SELECT shiftright(_rowaddr, 32) AS f FROM $t GROUP BY 1 HAVING max(length(v)) < 5000"
    ).collect().map(_.getLong(0)).toSet
    assert(short.nonEmpty && short != allFragments)
    assert(zoneMaps("v_zonemap") == (1 -> short))
    assert(rowsRead("v = 'short'") > 0)
    assert(sql(s"SELECT count(*) FROM $t WHERE v = 'short'").head().getLong(0) == 28)
  }

  test("names and types of columns, and disabled zone maps") {
    sql(s"CREATE TABLE $t (`odd, näme!` DOUBLE, s STRUCT<`b``c`: DECIMAL(10, 2), at: TIMESTAMP>, " +
      "l ARRAY<INT>, c CHAR(4)) TBLPROPERTIES ('lance.spark.write.zonemap' = " +
      "'`odd, näme!`, s.`b``c`, S.AT, l, c, missing')")
    sql(s"INSERT INTO $t SELECT IF(id % 5 = 0, double('NaN'), IF(id % 5 = 1, -0.0D, id)), " +
      "IF(id % 7 = 0, NULL, named_struct('b`c', CAST(id / 100 AS DECIMAL(10, 2)), 'at', " +
      "timestamp_seconds(id))), array(1), CAST(id AS STRING) FROM range(2000)")
    val names = Seq("odd, näme!", "s.`b``c`", "s.at", "c").map(_ + "_zonemap")
    assertCovered(names: _*)
    val questions = Seq(
      "`odd, näme!` = 0.0",
      "isnan(`odd, näme!`)",
      "`odd, näme!` > 1990",
      "s.`b``c` = 1.01",
      "s.at >= TIMESTAMP'1970-01-01 00:33:00'",
      "s.at IS NULL",
      "c = '12'",
      "c >= '998'"
    )
    questions.foreach { q =>
      val used = sql(s"SELECT * FROM $t WHERE $q").collect().map(_.toString).sorted.toSeq
      val off = spark.read.option("useScalarIndex", "false").table(t).where(q)
      assert(used == off.collect().map(_.toString).sorted.toSeq && used.nonEmpty, q)
    }
    spark.table(t).limit(1).writeTo(t).option("automaticZoneMaps", "false").append()
    assert(zoneMaps.values.forall(_._2.size == allFragments.size - 1))
    sql(s"OPTIMIZE INDEX `c_zonemap` ON $t")
    assert(zoneMaps("c_zonemap")._2 == allFragments)
  }

  test("branches and restored versions keep their zone maps") {
    create()
    insert(0, 20000)
    val first = table.version
    sql(s"ALTER TABLE $t CREATE BRANCH dev")
    sql("INSERT INTO lake.zones.t.branch_dev VALUES (-1, 'dev')")
    assertCovered("k_zonemap")
    val dev = spark.read.option("branch", "dev").table(t).where("k < 0")
    assert(dev.collect().length == 1)
    assert(metric(dev, "lanceRowsRead") + metric(dev, "lanceFilteredRows") == 1)
    insert(20000, 20010)
    sql(s"CALL lake.system.restore('zones.t', version => $first)")
    assertCovered("k_zonemap")
    insert(30000, 30010)
    assertCovered("k_zonemap")
    assert(rowsRead("k >= 20000") == 10)
  }

  test("tables with stable row ids have zone maps of the columns in the property") {
    create("TBLPROPERTIES ('enableStableRowIds' = 'true')")
    insert(0, 10)
    assert(zoneMaps.isEmpty)
    sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.spark.write.zonemap' = 'k')")
    insert(10, 20)
    assert(zoneMaps == Map("k_zonemap" -> (1, Set(1L))))
    sql(s"OPTIMIZE $t")
    assertCovered("k_zonemap")
    assert(rowsRead("k = 15") == 20)
  }
}
