// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.io.RandomAccessFile
import java.nio.file.Files

import scala.collection.concurrent.TrieMap
import scala.util.Using

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{ForwardingFileStore, TablePath}
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** The options of a catalog that resolve names, and user-provided backends. */
class WarehouseSuite extends AnyFunSuite with TemporaryFolder {
  private def session(options: (String, String)*): SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set("spark.sql.catalog.w", "io.github.pysparklance.spark.LanceCatalog")
    s.conf.set("spark.sql.catalog.w.root", folder.toString)
    options.foreach { case (k, v) => s.conf.set(s"spark.sql.catalog.w.$k", v) }
    s
  }

  test("single_level_ns gives the root a name") {
    val spark = session("single_level_ns" -> "true")
    spark.sql("CREATE TABLE w.default.t AS SELECT 1 AS a")
    assert(spark.sql("SHOW NAMESPACES IN w").collect().toSeq == Seq(Row("default")))
    assert(Files.exists(folder.resolve("t.lance")))
    assert(spark.sql("SELECT * FROM w.t").collect().toSeq == Seq(Row(1)))
    intercept[AnalysisException](spark.sql("CREATE NAMESPACE w.other"))
  }

  test("the folder of a failed CREATE TABLE AS SELECT is not listed, and can become a table") {
    val spark = session()
    def tables = spark.sql("SHOW TABLES IN w").collect().map(_.getString(1)).toSeq
    val create =
      "CREATE TABLE w.t AS SELECT id, if(id = %s, raise_error('stop'), id) AS v FROM range(9)"
    intercept[Exception](spark.sql(create.format("8")))
    // Whether the folder stays depends on the tasks that still run when the statement is aborted.
    Files.createDirectories(folder.resolve("t.lance/data"))
    assert(tables.isEmpty)
    spark.sql(create.format("-1"))
    assert(tables == Seq("t"))
  }

  test("parent resolves all names below a namespace") {
    val whole = session()
    whole.sql("CREATE NAMESPACE w.a")
    whole.sql("CREATE NAMESPACE w.a.b")
    val spark = session("parent" -> "a/b", "parent_delimiter" -> "/")
    spark.sql("CREATE TABLE w.t AS SELECT 2 AS a")
    spark.sql("CREATE NAMESPACE w.c")
    assert(whole.sql("SELECT * FROM w.a.b.t").collect().toSeq == Seq(Row(2)))
    assert(whole.sql("SHOW NAMESPACES IN w.a.b").collect().toSeq == Seq(Row("a.b.c")))
  }

  test("properties of a namespace that are too long or not valid JSON are an error") {
    val spark = session()
    spark.sql("CREATE NAMESPACE w.a")
    val file = folder.resolve("a/_namespace.json")
    def rejected(): String =
      intercept[Exception](spark.sql("DESCRIBE NAMESPACE EXTENDED w.a").collect()).getMessage
    Files.writeString(file, "{not JSON")
    assert(rejected().contains("namespace properties are not valid JSON"))
    Using.resource(new RandomAccessFile(file.toFile, "rw"))(_.setLength(3L << 30))
    val message = rejected()
    assert(message.contains("3221225472 bytes of namespace properties"), message)
    assert(message.contains("_namespace.json"), message)
  }

  test("DROP NAMESPACE keeps a table that another process creates at the same time") {
    val table = folder.resolve("a/t.lance/_versions/1.manifest")
    var creates = true
    val store = new ForwardingFileStore(Storage.local) {
      override def delete(path: String): Boolean = {
        if (creates) {
          Files.createDirectories(table.getParent)
          Files.write(table, Array[Byte](1))
        }
        super.delete(path)
      }
    }
    val backend = new FolderBackend(TablePath(folder.toString), store)
    backend.createNamespace(Seq("a"), Map("k" -> "v"))
    val e = intercept[InvalidRequestException](backend.dropNamespace(Seq("a"), cascade = false))
    assert(e.getMessage.contains("holds other files: t.lance"))
    assert(Files.exists(table) && backend.namespaceProperties(Seq("a")).get("k").contains("v"))
    backend.dropNamespace(Seq("a"), cascade = true)
    assert(!backend.namespaceExists(Seq("a")))

    creates = false
    backend.createNamespace(Seq("a"), Map.empty)
    backend.dropNamespace(Seq("a"), cascade = false)
    assert(!Files.exists(folder.resolve("a")))
  }

  test("a user-provided class as the back end") {
    val spark = session("impl" -> classOf[MapBackend].getName)
    spark.sql("CREATE TABLE w.t AS SELECT 3 AS a")
    spark.sql("ALTER TABLE w.t RENAME TO u")
    assert(spark.sql("SELECT * FROM w.u").collect().toSeq == Seq(Row(3)))
    assert(spark.sql("SHOW TABLES IN w").collect().map(_.getString(1)).toSeq == Seq("u"))
    spark.sql("DROP TABLE w.u")
    assert(!spark.catalog.tableExists("w.u"))
    def rejected(impl: String) =
      intercept[AnalysisException](session("impl" -> impl).sql("SHOW TABLES IN w")).getMessage
    assert(rejected("com.example.None").contains("com.example.None"))
    assert(rejected("java.lang.String").contains("CatalogBackend"))
    assert(rejected("rest").contains("option root is for catalogs in folders"))
    assert(rejected("hive").contains("LanceSessionCatalog"))
  }
}

/** Names in a map. */
class MapBackend extends CatalogBackend {
  private val places = TrieMap.empty[Seq[String], String]
  private var root = ""

  def initialize(catalog: String, options: Map[String, String]): Unit = root = options("root")
  def namespaceExists(namespace: Seq[String]): Boolean = namespace.isEmpty
  def namespaces(parent: Seq[String]): Seq[String] = Nil
  def namespaceProperties(namespace: Seq[String]): Map[String, String] = Map.empty
  def createNamespace(namespace: Seq[String], properties: Map[String, String]): Boolean = false
  def alterNamespace(namespace: Seq[String], changes: Seq[(String, Option[String])]): Unit = ()
  def dropNamespace(namespace: Seq[String], cascade: Boolean): Unit = ()
  def tables(namespace: Seq[String]): Seq[String] =
    places.keys.filter(_.init == namespace).map(_.last).toSeq
  def location(namespace: Seq[String], table: String): Option[String] =
    places.get(namespace :+ table)
  def newLocation(namespace: Seq[String], table: String, wanted: Option[String]): String =
    wanted.getOrElse(s"$root/${java.util.UUID.randomUUID()}")
  def register(namespace: Seq[String], table: String, location: String): Boolean =
    places.putIfAbsent(namespace :+ table, location).isEmpty
  def unregister(namespace: Seq[String], table: String): Unit =
    places.remove(namespace :+ table): Unit
  def renamedLocation(
      namespace: Seq[String],
      table: String,
      to: Seq[String],
      name: String
  ): String = places(namespace :+ table)
}
