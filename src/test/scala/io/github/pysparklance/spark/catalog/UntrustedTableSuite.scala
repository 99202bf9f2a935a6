// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.net.{InetAddress, ServerSocket, SocketTimeoutException}
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.types.{DataType, StringType, UserDefinedType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LanceException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.manifest.{BasePath, HostileManifests}
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.transaction.operation.UpdateMap
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SlowFileSystem, SparkLine}

/** Tables with manifests of untrusted writers run no code and remain readable. */
class UntrustedTableSuite extends AnyFunSuite with BeforeAndAfterEach {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)
  private val t = "lake.untrusted.t"
  private val property = "pyspark.lance.untrusted"

  override def beforeEach(): Unit = {
    super.beforeEach()
    System.clearProperty(property)
    sql("CREATE NAMESPACE lake.untrusted")
    sql(s"CREATE TABLE $t (id INT, name STRING DEFAULT 'none', s STRUCT<x: INT>)")
    sql(s"INSERT INTO $t VALUES (1, 'a', struct(1)), (2, 'b', struct(2))"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.untrusted CASCADE")
    super.afterEach()
  }

  private def path: String = sql(s"DESCRIBE DETAIL $t").select("location").head().getString(0)

  private def changes = new MetadataChanges(LanceTable.open(Storage.local, path))

  private def constraint(condition: String, name: String = "a"): Unit = {
    changes.config(UpdateMap.upsert(Map(s"lance.spark.constraint.$name" -> condition))): Unit
    sql(s"REFRESH TABLE $t"): Unit
  }

  private def fieldMetadata(entries: (String, String)*): Unit = {
    val id = LanceTable.open(Storage.local, path).schema.field("name").get.id
    changes.fieldMetadata(Map(id -> UpdateMap.upsert(entries.toMap))): Unit
    sql(s"REFRESH TABLE $t"): Unit
  }

  private def rows: Set[Int] = sql(s"SELECT id FROM $t").collect().map(_.getInt(0)).toSet

  private def fails(body: => Any): String =
    intercept[Exception with SparkThrowable](body).getMessage

  private val callsJava =
    s"java_method('java.lang.System', 'setProperty', '$property', 'y') IS NULL OR id >= 0"

  test("a constraint that calls Java never runs: writes fail with its name, reads work") {
    constraint(callsJava)
    val writes = Seq[(String, () => Any)](
      "insert" -> (() => sql(s"INSERT INTO $t VALUES (3, 'c', NULL)")),
      "overwrite" -> (() => sql(s"INSERT OVERWRITE $t VALUES (3, 'c', NULL)")),
      "update" -> (() => sql(s"UPDATE $t SET name = 'z' WHERE id = 1")),
      "update by columns" -> { () =>
        spark.conf.set("spark.lance.write.updateMode", "columns")
        try sql(s"UPDATE $t SET name = 'z'")
        finally spark.conf.unset("spark.lance.write.updateMode")
      },
      "merge" -> (() =>
        sql(
          s"MERGE INTO $t USING (SELECT 1 AS id) u ON $t.id = u.id WHEN MATCHED THEN UPDATE SET name = 'z'"
        )
      ),
      "frame by name" -> (() => sql(s"SELECT * FROM $t").writeTo(t).append()),
      "frame by path" -> (() =>
        spark.read.format("lance").load(path).write.format("lance").mode("append").save(path)
      ),
      "update columns" -> (() =>
        sql(s"ALTER TABLE $t UPDATE COLUMNS (name) FROM (SELECT _rowaddr, 'z' AS name FROM $t)")
      )
    )
    for ((what, write) <- writes) {
      val message = fails(write())
      assert(
        message.contains("constraint a") && message.contains("java_method"),
        s"$what: $message"
      )
    }
    assert(System.getProperty(property) == null)
    assert(rows == Set(1, 2))
    assert(spark.read.format("lance").load(path).count() == 2)
    sql(s"DESCRIBE EXTENDED $t").collect()
    assert(sql(s"SHOW CREATE TABLE $t").head().getString(0).contains("java_method"))
    sql(s"DELETE FROM $t WHERE id = 1")
    sql(s"ALTER TABLE $t DROP CONSTRAINT a")
    sql(s"INSERT INTO $t VALUES (3, 'c', NULL)")
    assert(rows == Set(2, 3) && System.getProperty(property) == null)
  }

  test("conditions on files, variables, and other tables are rejected") {
    val file = Files.createTempFile("untrusted", ".txt")
    val hasVariables = SparkLine.isFrom("4.0")
    if (hasVariables) sql("DECLARE OR REPLACE VARIABLE secret INT DEFAULT 5"): Unit
    try
      for (
        (condition, why) <- Seq(
          s"(SELECT count(*) FROM text.`$file`) = 0" -> "subquery",
          "secret = 5" -> "names `secret`, which is not a column",
          "session.secret = 5" -> "names `session`.`secret`, which is not a column",
          "s.secret = 5" -> "which is not a column",
          "id >" -> "cannot be parsed",
          "id > 0 " * 5000 -> "more than 10000"
        )
      ) {
        constraint(condition)
        val message = fails(sql(s"INSERT INTO $t VALUES (3, 'c', NULL)"))
        assert(message.contains("constraint a") && message.contains(why), message)
        assert(rows == Set(1, 2))
      }
    finally {
      if (hasVariables) sql("DROP TEMPORARY VARIABLE secret"): Unit
      Files.delete(file)
    }
  }

  test("a function of the session that hides a built-in one is not called") {
    sql(s"ALTER TABLE $t ADD CONSTRAINT short CHECK (length(name) < 5)")
    val other = spark.newSession()
    other.udf.register("length", (s: String) => s.toInt)
    // Since 4.2, it hides the built-in one with this configuration only.
    if (SparkLine.isFrom("4.2")) {
      val checked = fails(other.sql(s"INSERT INTO $t VALUES (3, 'too long', NULL)"))
      assert(checked.contains("CHECK_CONSTRAINT"), checked)
      other.conf.set("spark.sql.functionResolution.sessionOrder", "first")
    }
    val message = fails(other.sql(s"INSERT INTO $t VALUES (3, '4', NULL)"))
    assert(message.contains("hides the built-in function length"), message)
    assert(other.table(t).count() == 2)
    assert(fails(sql(s"INSERT INTO $t VALUES (3, 'too long', NULL)")).contains("CHECK_CONSTRAINT"))
    sql(s"INSERT INTO $t VALUES (3, 'ok', NULL)")
    assert(rows == Set(1, 2, 3))
  }

  test("conditions on nested values and lambdas are evaluated") {
    sql(s"ALTER TABLE $t ADD CONSTRAINT c1 CHECK (s.x > 0 AND lower(name) = name)")
    sql("CREATE TABLE lake.untrusted.l (tags ARRAY<STRING>, n INT, " +
      "CONSTRAINT c2 CHECK (forall(tags, t -> length(t) < n)))")
    sql("INSERT INTO lake.untrusted.l VALUES (array('a', 'bb'), 3)")
    for (
      bad <- Seq(
        s"INSERT INTO $t VALUES (3, 'c', struct(-1))",
        s"INSERT INTO $t VALUES (3, 'C', struct(1))",
        "INSERT INTO lake.untrusted.l VALUES (array('a', 'bbb'), 3)"
      )
    ) assert(fails(sql(bad)).contains("CHECK_CONSTRAINT_VIOLATION"), bad)
    sql(s"INSERT INTO $t VALUES (3, 'c', struct(1))")
    assert(rows == Set(1, 2, 3))
  }

  test("statements that would create such a constraint are rejected") {
    for (
      statement <- Seq(
        s"ALTER TABLE $t ADD CONSTRAINT a CHECK (length(repeat(name, 3)) < 100)",
        "CREATE TABLE lake.untrusted.u (id INT, CONSTRAINT a CHECK (length(repeat('x', id)) < 9))",
        "CREATE TABLE lake.untrusted.u (id INT) TBLPROPERTIES ('lance.spark.constraint.a' = 'repeat(1, id) > 0')"
      )
    ) assert(fails(sql(statement)).contains("repeat"), statement)
    intercept[ParseException](sql(
      "CREATE TABLE lake.untrusted.u (id INT, CONSTRAINT a CHECK (length(repeat('x', id)) < 9)) AS SELECT 1 AS id"
    ))
    assert(!spark.catalog.tableExists("lake.untrusted.u"))
  }

  test("a class that a column names as its type is not instantiated") {
    fieldMetadata("spark.type" -> s"udt(${classOf[UntrustedType].getName})")
    assert(sql(s"SELECT name FROM $t").schema.head.dataType == StringType)
    assert(rows == Set(1, 2) && System.getProperty(property) == null)
  }

  test("defaults that fail or do not fit leave a table readable") {
    val failing = Seq("CAST(1 DIV 0 AS STRING)", "abs('x', 'y')", "array(1)", "CAST('x' AS INT)")
    val growing = Iterator.iterate("'x'")(inner => s"hex($inner)").drop(40).next()
    for (default <- failing :+ growing) {
      fieldMetadata("CURRENT_DEFAULT" -> default, "EXISTS_DEFAULT" -> default)
      assert(rows == Set(1, 2), default)
      assert(spark.read.format("lance").load(path).count() == 2, default)
      sql(s"DESCRIBE EXTENDED $t").collect()
    }
  }

  test("defaults that are not literals are not evaluated") {
    val bomb = "length(repeat('x', 2000000000))"
    for (
      default <-
        Seq(bomb, s"java_method('java.lang.System', 'setProperty', '$property', 'y')", "id")
    ) {
      fieldMetadata("CURRENT_DEFAULT" -> default, "EXISTS_DEFAULT" -> default)
      assert(rows == Set(1, 2))
      assert(sql(s"SELECT name FROM $t").collect().map(_.getString(0)).toSet == Set("a", "b"))
      sql(s"DESCRIBE EXTENDED $t").collect()
      val message = fails(sql(s"INSERT INTO $t (id) VALUES (3)"))
      assert(
        message.contains("default") && message.contains("cannot be evaluated because"),
        message
      )
    }
    assert(System.getProperty(property) == null)
    sql(s"ALTER TABLE $t ALTER COLUMN name DROP DEFAULT")
    sql(s"INSERT INTO $t (id) VALUES (3)")
    assert(rows == Set(1, 2, 3))
    for (
      statement <- Seq(
        "CREATE TABLE lake.untrusted.u (id INT DEFAULT length(repeat('x', 2)))",
        s"ALTER TABLE $t ALTER COLUMN name SET DEFAULT repeat('x', 3)"
      )
    ) assert(fails(sql(statement)).contains("repeat"), statement)
  }

  test("invalid values of read options are ignored by reads, and rejected by writes") {
    for (
      (name, value) <- Seq(
        "batchSize" -> "-1",
        "splitSize" -> "0",
        "lance.spark.read.prefetch-bytes" -> "much",
        "pushDownFilters" -> "maybe",
        "minPartitionNum" -> "9999999999",
        "maxRowsPerFile" -> "-5"
      )
    ) changes.config(UpdateMap.upsert(Map(name -> value)))
    sql(s"REFRESH TABLE $t")
    assert(rows == Set(1, 2))
    assert(spark.read.format("lance").load(path).where("id > 1").count() == 1)
    val message = fails(sql(s"INSERT INTO $t VALUES (3, 'c', NULL)"))
    assert(message.contains("maxRowsPerFile is '-5'"), message)
    val e = fails(spark.read.format("lance").option("batchSize", "-1").load(path).count())
    assert(e.contains("batchSize is '-1'"))
  }

  test("a base path on a server is not contacted") {
    val server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    server.setSoTimeout(200)
    try {
      val table = LanceTable.open(Storage.local, path)
      val base = s"http://127.0.0.1:${server.getLocalPort}/x"
      intercept[LanceException](
        changes.addBases(Seq(BasePath(0, Some("b"), isDatasetRoot = true, base)))
      )
      hostile(table.version) { m =>
        m.addBasePaths(proto.BasePath.newBuilder().setId(1).setIsDatasetRoot(true).setPath(base))
        m.getFragmentsBuilder(0).getFilesBuilder(0).setBaseId(1)
      }
      val e = intercept[Exception](spark.read.format("lance").load(path).collect())
      assert(e.getMessage.contains("another kind of storage") && e.getMessage.contains(base))
      intercept[SocketTimeoutException](server.accept())
    } finally server.close()
  }

  test("external blobs on another storage than the table's require the permission of the reader") {
    val folder = Files.createTempDirectory("untrusted").toRealPath()
    Files.writeString(folder.resolve("outside.bin"), "outside")
    Pylance.run(
      """
      import pathlib
      schema = pa.schema([pa.field('id', pa.int64()), lance.blob_field('b')])
      uri = (pathlib.Path(folder) / 'outside.bin').as_uri()
      table = pa.table([pa.array([1], pa.int64()), lance.blob_array([lance.Blob.from_uri(uri)])], schema=schema)
      write(table, folder + '/t', data_storage_version='2.2', allow_external_blob_outside_bases=True)
      """,
      "folder" -> folder.toString
    )
    val local = LanceTable.open(Storage.local, s"$folder/t")
    val name = "allowedBlobUris"
    val uri = folder.toUri.toString
    new MetadataChanges(local).config(UpdateMap.upsert(Map(name -> uri)))
    val hadoop = SlowFileSystem.configure(new Configuration(false)).asScala
      .map(e => e.getKey -> e.getValue)
      .toMap
    def read(options: (String, String)*): String = new String(
      spark.read.format("lance").options(hadoop ++ options).load(SlowFileSystem.path(s"$folder/t"))
        .select("b").head().getAs[Array[Byte]](0)
    )
    for (rejected <- Seq(Nil, Seq(name -> s"${uri}other"))) {
      val e = intercept[Exception](read(rejected: _*))
      assert(e.getMessage.contains("outside.bin") && e.getMessage.contains(name), e.getMessage)
    }
    assert(read(name -> uri) == "outside")
    spark.conf.set(s"spark.lance.read.$name", uri)
    try assert(read() == "outside")
    finally spark.conf.unset(s"spark.lance.read.$name")
  }

  test("fields with the same id can be read, but not written") {
    hostile(LanceTable.open(Storage.local, path).version) { m =>
      val fields = m.getFieldsList.asScala.map(_.getId)
      m.addFields(m.getFields(0).toBuilder.setName("again").setId(fields.head))
    }
    assert(spark.read.format("lance").load(path).select("again").collect().length == 2)
    val before = LanceTable.open(Storage.local, path).version
    val e = intercept[Exception](
      spark.read.format("lance").load(path).write.format("lance").mode("append").save(path)
    )
    assert(e.getMessage.contains("several fields have the id"), e.getMessage)
    assert(LanceTable.open(Storage.local, path).version == before)
  }

  /** Changes the manifest of a version in place, which writers never do. */
  private def hostile(version: Long)(change: proto.Manifest.Builder => Any): Unit =
    HostileManifests.change(path, version)(change)

  test("configuration in a manifest does not replace properties with a meaning in Spark") {
    val foreign = Map(
      "provider" -> "csv",
      "Location" -> "/etc",
      "external" -> "false",
      "is_managed_location" -> "true",
      "option.path" -> "/etc",
      "path" -> "/etc",
      "lance.version" -> "77",
      "mine" -> "yes\u202e\u0007"
    )
    changes.config(UpdateMap.upsert(foreign))
    sql(s"REFRESH TABLE $t")
    val shown =
      sql(s"SHOW TBLPROPERTIES $t").collect().map(r => r.getString(0) -> r.getString(1)).toMap
    assert(shown("mine") == "yes\\u202E\\u0007")
    assert(shown("lance.version") == "3")
    assert(!shown.exists { case (k, v) => v == "/etc" || v == "csv" || k == "path" })
    val ddl = sql(s"SHOW CREATE TABLE $t").head().getString(0)
    assert(!ddl.contains("/etc") && ddl.contains("USING lance"), ddl)
    assert(rows == Set(1, 2))
  }
}

/** A class that records its instances. */
class UntrustedType extends UserDefinedType[String] {
  System.setProperty("pyspark.lance.untrusted", "loaded")
  override def sqlType: DataType = StringType
  override def serialize(value: String): Any = UTF8String.fromString(value)
  override def deserialize(datum: Any): String = datum.toString
  override def userClass: Class[String] = classOf[String]
}
