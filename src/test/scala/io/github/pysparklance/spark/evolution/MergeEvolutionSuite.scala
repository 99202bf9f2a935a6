// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.evolution

import java.nio.file.Files

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{AnalysisException, Row}

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.rowlevel.RowLevelSuite
import io.github.pysparklance.spark.write.ColumnEvolution
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.table.transaction.CommitOptions
import io.github.pysparklance.testkit.{FrameMerge, Pylance, SparkLine}

/** MERGE WITH SCHEMA EVOLUTION, in sessions with the extension. */
class MergeEvolutionSuite extends RowLevelSuite {

  private def types: Map[String, String] =
    rows(s"DESCRIBE $t").map(r => r.getString(0) -> r.getString(1)).toMap

  private def typeOf(column: String): String = types(column)

  private def dataFiles: Set[String] =
    Option(folder.resolve("t").resolve("data").toFile.list()).fold(Set.empty[String])(_.toSet)

  /** Merges one row, `id` 2, into a table that has the row 1. */
  private def merged(columnType: String, value: String, comes: String): Unit = {
    sql(s"CREATE TABLE $t (id INT, c $columnType)")
    sql(s"INSERT INTO $t SELECT 1, $value")
    sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING (SELECT 2 AS id, $comes AS c) s ON x.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ): Unit
  }

  // type and value in the table, type and value in the source, and the result
  private val kept = Seq(
    ("double", "CAST(1e300 AS DOUBLE)", "CAST(7.5 AS FLOAT)", "7.5"),
    ("bigint", "9007199254740993L", "7", "7"),
    ("bigint", "9007199254740993L", "CAST(7.9 AS DOUBLE)", "7"),
    ("float", "CAST(1.5 AS FLOAT)", "7", "7.0"),
    ("decimal(5,2)", "123.45BD", "1.239BD", "1.24"),
    ("decimal(5,2)", "123.45BD", "CAST(1.2 AS DECIMAL(6,1))", "1.20"),
    ("decimal(10,2)", "12345678.90BD", "CAST(1.25 AS DECIMAL(5,2))", "1.25"),
    ("decimal(20,2)", "12345678.90BD", "7", "7.00"),
    ("varchar(10)", "'0123456789'", "'abc'", "abc"),
    ("char(3)", "'ab'", "'c'", "c  "),
    ("string", "'a'", "7", "7"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'2026-01-01 01:02:03'", "DATE'2026-02-03'", "2026-02-03T00:00"),
    (
      "struct<a:double,b:string>",
      "named_struct('a', 1e300D, 'b', 'x')",
      "named_struct('a', CAST(7.5 AS FLOAT), 'b', 'y')",
      "[7.5,y]"
    ),
    ("array<bigint>", "array(9007199254740993L)", "array(7)", "ArraySeq(7)"),
    ("map<string,decimal(9,4)>", "map('k', 12345.6789BD)", "map('k', 1.25BD)", "Map(k -> 1.2500)"),
    (
      "array<struct<a:bigint>>",
      "array(named_struct('a', 9007199254740993L))",
      "array(named_struct('a', 7))",
      "ArraySeq([7])"
    ),
    ("struct<a:varchar(4)>", "named_struct('a', 'abcd')", "named_struct('a', 'x')", "[x]")
  )

  /** The value of the second row. Scala 2.12 wraps arrays in another class. */
  private def second: String =
    rows(s"SELECT c FROM $t WHERE id = 2").head.get(0).toString
      .replace("WrappedArray", "ArraySeq")

  kept.zipWithIndex.foreach { case ((columnType, value, comes, read), i) =>
    test(s"$columnType keeps its type if the source has $comes ($i)") {
      merged(columnType, value, comes)
      assert(typeOf("c") == columnType)
      if (!columnType.startsWith("map"))
        assert(rows(s"SELECT c <=> $value FROM $t WHERE id = 1") == Seq(Row(true)))
      assert(second == read)
      assert(Pylance.validate(path) == 2)
    }
  }

  private val widened = Seq(
    ("int", "2147483647", "3000000000L", "bigint", "3000000000"),
    ("float", "CAST(1.5 AS FLOAT)", "1e300D", "double", "1.0E300"),
    ("int", "7", "CAST(7.5 AS DOUBLE)", "double", "7.5"),
    ("decimal(5,2)", "123.45BD", "CAST(1234.5678 AS DECIMAL(8,4))", "decimal(8,4)", "1234.5678"),
    (
      "date",
      "DATE'2026-01-01'",
      "TIMESTAMP_NTZ'2026-01-01 01:02:03'",
      "timestamp_ntz",
      "2026-01-01T01:02:03"
    ),
    (
      "struct<a:int,b:string>",
      "named_struct('a', 1, 'b', 'x')",
      "named_struct('a', 3000000000L, 'b', 'y')",
      "struct<a:bigint,b:string>",
      "[3000000000,y]"
    ),
    ("array<int>", "array(1)", "array(3000000000L)", "array<bigint>", "ArraySeq(3000000000)"),
    (
      "array<struct<a:float>>",
      "array(named_struct('a', CAST(1.5 AS FLOAT)))",
      "array(named_struct('a', 1e300D))",
      "array<struct<a:double>>",
      "ArraySeq([1.0E300])"
    )
  )

  widened.zipWithIndex.foreach { case ((columnType, value, comes, becomes, read), i) =>
    test(s"$columnType becomes $becomes if the source has $comes ($i)") {
      merged(columnType, value, comes)
      assert(typeOf("c") == becomes)
      assert(rows(s"SELECT c <=> CAST($value AS $becomes) FROM $t WHERE id = 1") == Seq(Row(true)))
      assert(second == read)
      assert(table.version == 3 && Pylance.validate(path) == 2)
    }
  }

  test("items of vectors keep their type, items of lists become wider") {
    sql(
      s"CREATE TABLE $t (id INT, v ARRAY<FLOAT>, l ARRAY<FLOAT>, s STRUCT<v: ARRAY<FLOAT>>) " +
        "TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2', 's.v.arrow.fixed-size-list.size' = '2')"
    )
    def floats(a: String, b: String) = s"array(CAST($a AS FLOAT), CAST($b AS FLOAT))"
    sql(s"INSERT INTO $t SELECT 1, ${floats("1.5", "2")}, ${floats("3", "4")}, " +
      s"named_struct('v', ${floats("5", "6")})")
    sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING (SELECT 2 AS id, array(0.1D, 7D) AS v, " +
        "array(1e300D) AS l, named_struct('v', array(8D, 9D)) AS s, 'a' AS more) d ON x.id = d.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert(sql(s"SELECT * FROM $t").schema.catalogString ==
      "struct<id:int,v:array<float>,l:array<double>,s:struct<v:array<float>>,more:string>")
    assert(rows(s"SELECT v, l, s.v, more FROM $t ORDER BY id") == Seq(
      Row(Seq(1.5f, 2f), Seq(3d, 4d), Seq(5f, 6f), null),
      Row(Seq(0.1f, 7f), Seq(1e300), Seq(8f, 9f), "a")
    ))
    assert(LogicalType.text(table.schema.fields(1).logicalType) == "fixed_size_list:float:2")
    assert(table.version == 3 && Pylance.validate(path) == 2)
  }

  test("a value that does not fit the type of the table fails the statement") {
    sql(s"CREATE TABLE $t (id INT, c VARCHAR(3), d INT)")
    sql(s"INSERT INTO $t VALUES (1, 'abc', 1)")
    def merge(columns: String) = sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING (SELECT 2 AS id, $columns, 1 AS more) s " +
        "ON x.id = s.id WHEN NOT MATCHED THEN INSERT *"
    )
    val files = dataFiles
    assert(
      intercept[Exception](merge("'abcd' AS c, 1 AS d")).toString.contains("EXCEED_LIMIT_LENGTH")
    )
    intercept[AnalysisException](merge("'a' AS c, 'x' AS d"))
    assert(types.keySet == Set("id", "c", "d") && table.version == 2 && dataFiles == files)
  }

  Seq(false, true).foreach { stable =>
    test(
      s"new columns, wider types, and rows are committed as one version, stable row ids: $stable"
    ) {
      create(stable = stable)
      val ids = column("_rowid")
      sql(
        "SELECT * FROM VALUES (1L, 1.5D, 'a', named_struct('x', 1)), (50L, 2.5D, 'b', NULL), " +
          "(0L, 0D, NULL, NULL), (2L, 0D, NULL, NULL), (3L, 0D, NULL, NULL), (4L, 0D, NULL, NULL) " +
          "AS s(id, value, text, s)"
      ).selectExpr("id", "CAST(value AS DECIMAL(24, 2)) AS value", "text", "s")
        .createOrReplaceTempView("wide")
      sql(
        s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING wide s ON x.id = s.id " +
          "WHEN MATCHED AND s.id <> 1 AND s.id <> 3 THEN DELETE " +
          "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
      )
      assert(
        table.version == 2 && types("value") == "decimal(24,2)" && types("s") == "struct<x:int>"
      )
      assert(rows(
        s"SELECT id, CAST(value AS STRING), text, s FROM $t WHERE id < 6 OR id > 18 ORDER BY id"
      ) == Seq(
        Row(1L, "1.50", "a", Row(1)),
        Row(3L, "0.00", null, null),
        Row(5L, "50.00", null, null),
        Row(19L, "190.00", null, null),
        Row(50L, "2.50", "b", null)
      ))
      assert(Pylance.validate(path) == 18)
      if (stable) {
        val now = column("_rowid")
        assert(now - 50L == ids -- Seq(0L, 2L, 4L) && now(50L) == 20L)
        assert(column("_row_created_at_version").filter(_._2 == 2L).keySet == Set(50L))
      }
      // Later commands continue with this state.
      sql(s"UPDATE $t SET text = 'c' WHERE id = 5")
      sql(s"DELETE FROM $t WHERE id = 6")
      assert(rows(s"SELECT count(*), count(text) FROM $t") == Seq(Row(17L, 3L)))
    }
  }

  test("EXPLAIN, and a MERGE that fails while it runs, change nothing") {
    create()
    val files = dataFiles
    sql("SELECT * FROM VALUES (1L, 1.5D), (1L, 2.5D) AS s(id, value)")
      .selectExpr("id", "CAST(value AS DECIMAL(24, 2)) AS value", "1 AS more")
      .createOrReplaceTempView("wide")
    val merge = s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING wide s ON x.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET *"
    assert(rows(s"EXPLAIN $merge").head.getString(0).contains("EvolvingWrite"))
    assert(intercept[Exception](sql(merge)).toString.contains("MERGE_CARDINALITY_VIOLATION"))
    assert(table.version == 1 && dataFiles == files)
  }

  test("a concurrent deletion of a row causes a retry, with the columns and types") {
    create(stable = true)
    sql("SELECT * FROM VALUES (1L, 1.5D), (2L, 2.5D) AS s(id, value)")
      .selectExpr("id", "CAST(value AS DECIMAL(24, 2)) AS value", "1 AS more")
      .createOrReplaceTempView("wide")
    val command = analyzed(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING wide s ON x.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    deletedMeanwhile(0, 1)
    run(command)
    assert(table.version == 3 && types("value") == "decimal(24,2)")
    assert(rows(s"SELECT id, CAST(value AS STRING), more FROM $t WHERE id < 4 ORDER BY id") == Seq(
      Row(0L, "0.00", null),
      Row(1L, "1.50", 1),
      Row(2L, "2.50", 1),
      Row(3L, "30.00", null)
    ))
    assert(Pylance.validate(path) == 20)
  }

  test(
    "columns that the source lacks keep their values or are null, and optionally members as well"
  ) {
    sql(s"CREATE TABLE $t (id INT, a INT, s STRUCT<x: INT, y: STRING>)")
    sql(s"INSERT INTO $t VALUES (1, 10, named_struct('x', 1, 'y', 'one'))")
    val merge = s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING " +
      "(SELECT id, named_struct('x', 5, 'z', 7) AS s FROM VALUES (1), (2) AS v(id)) s " +
      "ON x.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    intercept[AnalysisException](sql(merge))
    assert(types("s") == "struct<x:int,y:string>" && table.version == 2)
    assume(SparkLine.isFrom("4.1"), "Spark fills no members before 4.1")
    spark.conf.set("spark.sql.mergeNestedTypeCoercion.enabled", "true")
    try sql(merge)
    finally spark.conf.unset("spark.sql.mergeNestedTypeCoercion.enabled")
    assert(types("s") == "struct<x:int,y:string,z:int>" && table.version == 3)
    assert(rows(s"SELECT id, a, s.x, s.y, s.z FROM $t ORDER BY id") ==
      Seq(Row(1, 10, 5, "one", 7), Row(2, null, 5, null, 7)))
  }

  test("unqualified names that only the source has refer to the source") {
    create()
    sql("SELECT * FROM VALUES (1L, 5L, 1), (2L, 6L, 0), (3L, 7L, 1), (90L, 9L, 1), (91L, 9L, 0) " +
      "AS s(id, value, more)").createOrReplaceTempView("wide")
    sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING wide s ON x.id = s.id AND more >= 0 " +
        "WHEN MATCHED AND more = 0 THEN DELETE " +
        "WHEN MATCHED AND s.id = 3 THEN UPDATE SET value = more + 1, more = more " +
        "WHEN MATCHED THEN UPDATE SET * " +
        "WHEN NOT MATCHED AND more = 1 THEN INSERT * " +
        "WHEN NOT MATCHED BY SOURCE AND x.id > 3 THEN DELETE"
    )
    assert(rows(s"SELECT id, value, more FROM $t ORDER BY id") ==
      Seq(Row(0L, 0L, null), Row(1L, 5L, 1), Row(3L, 2L, 1), Row(90L, 9L, 1)))
  }

  test("only struct members that an assignment names are added") {
    sql(s"CREATE TABLE $t (id INT, s STRUCT<a: INT>)")
    sql(s"INSERT INTO $t VALUES (1, named_struct('a', 1)), (2, named_struct('a', 2))")
    sql("SELECT 1 AS id, named_struct('a', 10, 'b', 'x', 'c', 1) AS s, 'n' AS new, 1 AS other")
      .createOrReplaceTempView("wide")
    sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING wide w ON x.id = w.id " +
        "WHEN MATCHED THEN UPDATE SET s.b = w.s.b, x.new = w.new"
    )
    assert(types == Map("id" -> "int", "s" -> "struct<a:int,b:string>", "new" -> "string"))
    assert(rows(s"SELECT * FROM $t ORDER BY id") ==
      Seq(Row(1, Row(1, "x"), "n"), Row(2, Row(2, null), null)))
  }

  test("from a DataFrame, only new rows, a WITH clause, and a cached table") {
    sql(s"CREATE TABLE $t (id INT, c DOUBLE)")
    sql(s"INSERT INTO $t VALUES (1, 1e300D)")
    sql(s"CACHE TABLE $t")
    val source = sql("SELECT 2 AS k, CAST(7 AS FLOAT) AS c, 'a' AS text")
      .withColumnRenamed("k", "id")
      .as("s")
    FrameMerge(source, s"$t.`?as=x`", col("x.id") === col("s.id"))
      .whenNotMatched().insertAll().withSchemaEvolution().merge()
    assert(types == Map("id" -> "int", "c" -> "double", "text" -> "string"))
    assert(rows(s"SELECT * FROM $t ORDER BY id") ==
      Seq(Row(1, 1e300, null), Row(2, 7.0, "a")) && table.version == 3)
    sql(
      s"WITH s AS (SELECT 3 AS id, 'b' AS text, 1 AS n) MERGE WITH SCHEMA EVOLUTION INTO $t x " +
        "USING s ON x.id = s.id WHEN NOT MATCHED THEN INSERT *"
    )
    assert(rows(s"SELECT id, c, text, n FROM $t ORDER BY id").last == Row(3, null, "b", 1))
    sql(s"UNCACHE TABLE $t")
  }

  test("a MERGE without changed rows adds columns, also on a branch") {
    create()
    sql(s"ALTER TABLE $t CREATE BRANCH dev")
    sql("SELECT 1L AS id, 1L AS value, 'a' AS text").createOrReplaceTempView("wide")
    sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t.branch_dev x USING wide s ON x.id = s.id + 1000 " +
        "WHEN MATCHED THEN UPDATE SET *"
    )
    assert(types.keySet == Set("id", "value"))
    assert(sql(s"SELECT * FROM $t.branch_dev").columns.toSeq == Seq("id", "value", "text"))
  }

  test("if no column changes, rows are committed as in a MERGE without evolution") {
    create(stable = true)
    def merge(source: String, actions: String) = analyzed(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING ($source) s ON x.id = s.id $actions"
    )
    val both = merge(
      "SELECT explode(array(4L, 50L)) AS id, 7 AS value",
      "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    val inserts = merge("SELECT 60L AS id, 8L AS value", "WHEN NOT MATCHED THEN INSERT *")
    sql(s"INSERT INTO $t VALUES (100, 1)")
    run(both)
    assert(table.version == 3 && lastVersion.operation.contains("Update"))
    run(inserts)
    assert(table.version == 4 && lastVersion.operation.contains("Update"))
    assert(rows(s"SELECT id, value FROM $t WHERE id = 4 OR id > 19 ORDER BY id") ==
      Seq(Row(4L, 7L), Row(50L, 7L), Row(60L, 8L), Row(100L, 1L)))
    assert(Pylance.validate(path) == 23)
  }

  test("files of committed columns are kept if the statement fails later") {
    create()
    val evolution = new ColumnEvolution(
      TableLocation(path, Map.empty[String, String]),
      table,
      Seq(SchemaChange.SetType(FieldPath.of("value"), LogicalType.parse("decimal:128:24:2")))
    )
    def failing(): Unit = throw new IllegalStateException("after the commit")
    intercept[IllegalStateException](evolution.during(spark) {
      val files = evolution.handOver()
      evolution.commit(files, Map.empty, IndexedSeq.empty, Map.empty, CommitOptions()): Unit
      failing()
    })
    assert(table.version == 2 && types("value") == "decimal(24,2)")
    assert(rows(s"SELECT CAST(value AS STRING) FROM $t WHERE id = 3") == Seq(Row("30.00")))
    assert(Pylance.validate(path) == 20)
  }

  test("an index blocks a wider type, before anything runs") {
    create()
    assert(Files.exists(folder))
    Pylance.run(
      s"import lance; lance.dataset('$path').create_scalar_index('value', 'BTREE')"
    )
    val version = table.version
    sql("SELECT 1L AS id, CAST(1 AS DECIMAL(24, 2)) AS value").createOrReplaceTempView("wide")
    val e = intercept[AnalysisException](sql(
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING wide s ON x.id = s.id WHEN MATCHED THEN UPDATE SET *"
    ))
    assert(e.getMessage.contains("drop the index first") && table.version == version)
  }
}
