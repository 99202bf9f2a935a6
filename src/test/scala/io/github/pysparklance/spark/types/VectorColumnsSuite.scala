// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder, Warnings}

/** Declaration, preservation, and display of vector columns in SQL, and the warning for undeclared
  * vectors.
  */
class VectorColumnsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)

  override def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE lake.vectors"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.vectors CASCADE"): Unit
    super.afterEach()
  }

  private def table: LanceTable = LanceTable.open(
    Storage.local,
    sql("DESCRIBE DETAIL lake.vectors.t").select("location").head().getString(0)
  )

  private def typeOf(column: String): LogicalType = table.schema.field(column).get.logicalType

  private def vector(n: Int): LogicalType = LogicalType.FixedSizeList(LogicalType.Float, n)

  private def fails(text: String): String =
    intercept[AnalysisException](sql(text).collect()).getMessage

  private def warnings(body: => Unit): Seq[String] =
    Warnings.of("io.github.pysparklance.spark.write.LanceBatchWrite")(body)

  test("SET TBLPROPERTIES declares vectors and blobs for ADD COLUMNS, at any depth") {
    sql("CREATE TABLE lake.vectors.t (id BIGINT, s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>)")
    sql("INSERT INTO lake.vectors.t VALUES (1, struct(1), array())")
    sql(
      """ALTER TABLE lake.vectors.t SET TBLPROPERTIES (
        |  'column.v.arrow.fixed-size-list.size' = '3',
        |  'h.arrow.fixed-size-list.size' = '2', 'h.arrow.float16' = 'true',
        |  'column.s.v.arrow.fixed-size-list.size' = '4',
        |  'column.l.element.v.arrow.fixed-size-list.size' = '5',
        |  'b.lance.encoding' = 'blob')""".stripMargin
    )
    sql(
      """ALTER TABLE lake.vectors.t ADD COLUMNS (
        |  v ARRAY<FLOAT>, h ARRAY<FLOAT>, s.v ARRAY<FLOAT>, l.element.v ARRAY<FLOAT>, b BINARY,
        |  plain ARRAY<FLOAT>)""".stripMargin
    )
    assert(typeOf("v") == vector(3))
    assert(typeOf("h") == LogicalType.FixedSizeList(LogicalType.HalfFloat, 2))
    assert(table.schema.field("s").get.children(1).logicalType == vector(4))
    assert(table.schema.field("l").get.children.head.children(1).logicalType == vector(5))
    assert(table.schema.field("b").get.isBlob)
    assert(typeOf("plain").isInstanceOf[LogicalType.List])
    sql("INSERT INTO lake.vectors.t (id, v) VALUES (2, array(1, 2, 3))")
    assert(sql("SELECT v FROM lake.vectors.t ORDER BY id").collect().toSeq ==
      Seq(Row(null), Row(Seq(1f, 2f, 3f))))
    val described =
      sql("DESCRIBE lake.vectors.t").collect().map(r => r.getString(0) -> r.getString(1))
    val section = described.dropWhile(_._1 != "# Lance Types").drop(2).toSeq
    assert(section == Seq(
      "s.v" -> "vector(4)",
      "v" -> "vector(3)",
      "h" -> "vector(2) of halffloat",
      "b" -> "blob"
    ))
    assert(described.contains("v" -> "array<float>"))
  }

  test("options of existing columns are rejected, options of other columns can be removed") {
    sql("CREATE TABLE lake.vectors.t (id BIGINT, v ARRAY<FLOAT>, s STRUCT<v: ARRAY<FLOAT>>)")
    for (path <- Seq("v", "V", "s.v", "v.element"))
      assert(
        fails("ALTER TABLE lake.vectors.t SET TBLPROPERTIES " +
          s"('column.$path.arrow.fixed-size-list.size' = '3')").contains(
          "cannot change after the column is created"
        )
      )
    assert(fails("ALTER TABLE lake.vectors.t SET TBLPROPERTIES ('column.w.size' = '3')")
      .nonEmpty)
    sql("ALTER TABLE lake.vectors.t SET TBLPROPERTIES ('w.arrow.fixed-size-list.size' = '3')")
    sql("ALTER TABLE lake.vectors.t UNSET TBLPROPERTIES ('w.arrow.fixed-size-list.size')")
    sql("ALTER TABLE lake.vectors.t ADD COLUMN w ARRAY<FLOAT>")
    assert(typeOf("w").isInstanceOf[LogicalType.List])
    assert(!sql("DESCRIBE lake.vectors.t").collect().exists(_.getString(0) == "# Lance Types"))
  }

  test("mergeSchema adds a declared column as a vector") {
    sql("CREATE TABLE lake.vectors.t (id BIGINT)")
    sql(
      "ALTER TABLE lake.vectors.t SET TBLPROPERTIES ('column.v.arrow.fixed-size-list.size' = '2')"
    )
    sql("SELECT 1L AS id, array(1f, 2f) AS v")
      .writeTo("lake.vectors.t")
      .option("mergeSchema", "true")
      .append()
    assert(typeOf("v") == vector(2))
  }

  test("appended arrays without the size keep the vector type, and their lengths are checked") {
    sql("CREATE TABLE lake.vectors.t (id BIGINT, v ARRAY<FLOAT>) " +
      "TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2')")
    val lost = sql("SELECT 1L AS id, first(array(1f, 2f)) AS v")
    lost.writeTo("lake.vectors.t").append()
    sql("INSERT INTO lake.vectors.t SELECT 2, coalesce(NULL, array(3, 4))")
    sql("INSERT OVERWRITE lake.vectors.t SELECT id, v FROM lake.vectors.t")
    assert(typeOf("v") == vector(2) && spark.table("lake.vectors.t").count() == 2)
    val e = intercept[Exception](sql("INSERT INTO lake.vectors.t VALUES (3, array(1, 2, 3))"))
    assert(
      e.getMessage.contains("an array of 3 items in a vector column, whose arrays have 2 items")
    )
    assert(spark.table("lake.vectors.t").count() == 2)
  }

  test("new columns of float arrays with equal lengths log a warning") {
    val path = folder.resolve("t").toString
    def save(text: String, mode: String, options: (String, String)*): Unit =
      sql(text).write.format("lance").mode(mode).options(options.toMap).save(path)
    val rows = "SELECT id, transform(sequence(1, 8), x -> CAST(x AS FLOAT)) AS v, " +
      "array(1f) AS short, array_repeat(1f, CAST(id AS INT) + 8) AS ragged FROM range(0, 100, 1, 3)"
    val seen = warnings(save(rows, "error"))
    assert(seen.length == 1, seen)
    assert(
      seen.head.contains("column.v.arrow.fixed-size-list.size = 8") && seen.head.contains(path)
    )
    assert(warnings(save(rows, "append")).isEmpty)
    assert(warnings(save(rows, "overwrite", "overwriteSchema" -> "true")).length == 1)
    val sized = Seq("overwriteSchema" -> "true", "column.v.arrow.fixed-size-list.size" -> "8")
    assert(warnings(save(rows, "overwrite", sized: _*)).isEmpty)
    assert(warnings(sql(s"CREATE TABLE lake.vectors.t AS $rows"): Unit).length == 1)
  }
}
