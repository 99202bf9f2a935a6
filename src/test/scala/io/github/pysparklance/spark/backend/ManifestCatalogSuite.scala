// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.operation.{UpdateConfig, UpdateMap}
import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

/** Folders with a `__manifest` table are shared with pylance's directory namespace. */
class ManifestCatalogSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set("spark.sql.catalog.dirs", "io.github.pysparklance.spark.LanceCatalog")
    s.conf.set("spark.sql.catalog.dirs.root", root)
    s.conf.set("spark.sql.catalog.dirs.manifest_enabled", "true")
    s
  }
  private def root: String = ManifestCatalogSuite.root
  private def sql(text: String): DataFrame = spark.sql(text)
  private def names(df: DataFrame, column: Int): Seq[String] =
    df.collect().map(_.getString(column)).toSeq.sorted

  private def pylance(code: String): com.fasterxml.jackson.databind.JsonNode =
    Pylance.run(
      s"""
      import io
      from lance.namespace import DirectoryNamespace
      from lance_namespace import *
      def ipc(t):
          b = io.BytesIO()
          w = pa.ipc.new_stream(b, t.schema)
          w.write_table(t)
          w.close()
          return b.getvalue()
      ns = DirectoryNamespace(root=root)
      $code
      """,
      "root" -> root
    )

  test("pylance and the catalog find each other's namespaces and tables") {
    pylance("""
      ns.create_namespace(CreateNamespaceRequest(id=['n1'], properties={'k': 'v'}))
      ns.create_namespace(CreateNamespaceRequest(id=['n1', 'n2']))
      ns.create_table(CreateTableRequest(id=['top']), ipc(pa.table({'a': [1, 2]})))
      ns.create_table(CreateTableRequest(id=['n1', 'n2', 'deep']), ipc(pa.table({'a': [3]})))
      result = 0""".trim)
    assert(names(sql("SHOW NAMESPACES IN dirs"), 0) == Seq("n1"))
    assert(names(sql("SHOW NAMESPACES IN dirs.n1"), 0) == Seq("n1.n2"))
    assert(sql("DESCRIBE NAMESPACE EXTENDED dirs.n1").collect().mkString.contains("(k,v)"))
    assert(sql("SELECT a FROM dirs.top ORDER BY a").collect().toSeq == Seq(Row(1L), Row(2L)))
    assert(sql("SELECT a FROM dirs.n1.n2.deep").collect().toSeq == Seq(Row(3L)))
    sql("CREATE NAMESPACE dirs.ours WITH DBPROPERTIES ('x' = 'y')")
    sql("ALTER NAMESPACE dirs.ours SET PROPERTIES ('z' = '1')")
    sql("CREATE TABLE dirs.ours.t AS SELECT 7 AS b")
    sql("CREATE TABLE dirs.plain (b INT)")
    sql("INSERT INTO dirs.plain VALUES (8)")
    val seen = pylance("""
      d = ns.describe_table(DescribeTableRequest(id=['ours', 't']))
      result = [sorted(ns.list_namespaces(ListNamespacesRequest(id=[])).namespaces),
                sorted(ns.list_tables(ListTablesRequest(id=[])).tables),
                ns.list_tables(ListTablesRequest(id=['ours'])).tables,
                ns.describe_namespace(DescribeNamespaceRequest(id=['ours'])).properties['z'],
                lance.dataset(d.location).to_table().to_pylist()[0]['b']]""".trim)
    assert(seen.toString == """[["n1","ours"],["plain","top"],["t"],"1",7]""")
    pylance("ns.drop_table(DropTableRequest(id=['ours', 't']))\n      result = 0")
    assert(!spark.catalog.tableExists("dirs.ours.t"))
    sql("ALTER TABLE dirs.n1.n2.deep RENAME TO ours.moved")
    assert(names(sql("SHOW TABLES IN dirs.ours"), 1) == Seq("moved"))
    assert(sql("SELECT a FROM dirs.ours.moved").collect().toSeq == Seq(Row(3L)))
    sql("ALTER TABLE dirs.plain RENAME TO renamed")
    assert(names(sql("SHOW TABLES IN dirs"), 1) == Seq("renamed", "top"))
    val e = intercept[AnalysisException](sql("DROP NAMESPACE dirs.n1"))
    assert(e.getMessage.contains("n1"))
    sql("DROP NAMESPACE dirs.n1 CASCADE")
    sql("DROP TABLE dirs.renamed")
    val left = pylance("result = [ns.list_namespaces(ListNamespacesRequest(id=[])).namespaces, " +
      "ns.list_tables(ListTablesRequest(id=[])).tables]")
    assert(left.toString == """[["ours"],["top"]]""")
    sql("DROP NAMESPACE dirs.ours CASCADE")
    sql("DROP TABLE dirs.top"): Unit
  }

  test("invalid requests are rejected without side effects") {
    sql("CREATE TABLE dirs.a AS SELECT 1 AS x")
    intercept[TableAlreadyExistsException](sql("CREATE TABLE dirs.a (x INT)"))
    intercept[Exception](sql("CREATE TABLE dirs.b AS SELECT raise_error('stop') AS x").collect())
    assert(names(sql("SHOW TABLES IN dirs"), 1) == Seq("a"))
    def rejected(text: String) = intercept[AnalysisException](sql(text)).getMessage
    assert(rejected("CREATE TABLE dirs.`x$y` (a INT)").contains("is not a valid name"))
    assert(rejected("CREATE TABLE dirs.c (a INT) LOCATION '/elsewhere/c'").contains("lie below"))
    rejected("CREATE NAMESPACE dirs.no.parent")
    sql(s"CREATE TABLE dirs.placed (a INT) LOCATION '$root/any/where'")
    sql("INSERT INTO dirs.placed VALUES (1)")
    assert(spark.read.format("lance").load(s"$root/any/where").count() == 1)
    // A statement without columns registers a table, and changes nothing.
    val wrong = rejected(s"CREATE TABLE dirs.typo USING lance LOCATION '$root/any/wehre'")
    assert(wrong.contains("PATH_NOT_FOUND"))
    assert(!LanceTable.exists(Storage.local, s"$root/any/wehre"))
    val again = s"CREATE TABLE dirs.typo USING lance LOCATION '$root/any/where'"
    assert(
      rejected(s"$again COMMENT 'c' TBLPROPERTIES (p = '1')").contains("properties: comment, p.")
    )
    // Names can be read, but not changed.
    val rows = LanceTable.open(Storage.local, s"$root/__manifest")
    def flags(value: String) = Some(UpdateMap.upsert(
      Map("lance.namespace.manifest.writer_feature_flags" -> value)
    ))
    rows.commit(UpdateConfig(tableMetadata = flags("1")))
    intercept[Exception](sql("ALTER TABLE dirs.a RENAME TO other"))
    intercept[Exception](sql("CREATE TABLE dirs.d AS SELECT 1 AS x"))
    rows.latest.commit(UpdateConfig(tableMetadata = flags("0")))
    assert(names(sql("SHOW TABLES IN dirs"), 1) == Seq("a", "placed"))
    assert(sql("SELECT x FROM dirs.a").collect().toSeq == Seq(Row(1)))
    Seq("a", "placed").foreach(t => sql(s"DROP TABLE dirs.$t"))
  }
}

private object ManifestCatalogSuite {
  val root: String = java.nio.file.Files.createTempDirectory("lance manifest").toString
}
