// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.functions.{expr, lit}
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.{AnalysisException, DataFrame}

import io.github.pysparklance.spark.jobs.JobSuite
import io.github.pysparklance.testkit.{Pylance, SparkLine}

/** Changes of tables with columns that Spark has no type for. */
class UnreadableColumnsSuite extends JobSuite {

  /** Columns `id`, `s`, `w` (a decimal of 60 digits), and a struct `r` with `w` among its members.
    */
  private def table(options: (String, Any)*): String = {
    val path = fresh()
    val wide = "pa.array(range(6), pa.int64()).cast(pa.decimal256(60, 2))"
    Pylance.write(
      s"""pa.table({'id': pa.array(range(6), pa.int64()), 's': pa.array(list('abcdef')), 'w': $wide,
         |'r': pa.StructArray.from_arrays([pa.array(range(6), pa.int64()), $wide], names=['a', 'w'])})""".stripMargin
        .replace("\n", " "),
      path,
      Seq("max_rows_per_file" -> 3) ++ options: _*
    )
    path
  }

  /** The values of pylance, in the order of `id`. */
  private def values(path: String): Seq[String] = {
    val rows = Pylance.run(
      """
        rows = dataset(path).to_table().sort_by('id').to_pylist()
        member = lambda r: None if r['r'] is None else (r['r']['a'], str(r['r']['w']))
        result = ['%s %s %s %s' % (r['id'], r['s'], r['w'], member(r)) for r in rows]
      """,
      "path" -> path
    )
    (0 until rows.size).map(rows.get(_).asText)
  }

  private def row(id: Int, s: String): String = s"$id $s $id.00 ($id, '$id.00')"

  private val all = "abcdef".zipWithIndex.map { case (s, id) => row(id, s.toString) }

  private def rejected(words: String*)(body: => Any): Unit = {
    val e = intercept[AnalysisException](body)
    words.foreach(w => assert(e.getMessage.contains(w)))
  }

  Seq("2.0", "2.1", "2.2").foreach { version =>
    test(s"deletes, updates, and compactions keep the values, files of $version") {
      val path = table("data_storage_version" -> version, "enable_stable_row_ids" -> true)
      spark.sql(s"DELETE FROM lance.`$path` WHERE s = 'b'")
      assert(values(path) == all.patch(1, Nil, 1))
      spark.sql(s"UPDATE lance.`$path` SET s = upper(s) WHERE id >= 4")
      val expected = Seq(row(0, "a"), row(2, "c"), row(3, "d"), row(4, "E"), row(5, "F"))
      assert(values(path) == expected)
      spark.sql(s"OPTIMIZE lance.`$path`")
      assert(open(path).fragments.length == 1 && values(path) == expected)
      assert(Pylance.validate(path) == 5)
    }

    test(s"appended rows have null in the column, files of $version") {
      val path = table("data_storage_version" -> version)
      val r = "named_struct('a', 9L, 'w', NULL)"
      spark.sql(s"INSERT INTO lance.`$path` (id, s, r) VALUES (6, 'g', $r)")
      spark.sql(s"INSERT INTO lance.`$path` VALUES (7, 'h', NULL, $r)")
      def frame(id: Int): DataFrame =
        spark.range(id.toLong, id + 1L).select(expr("id"), lit("i").as("s"), expr(s"$r AS r"))
      frame(8).withColumn("w", lit(null)).select("id", "s", "w", "r")
        .write.format("lance").mode("append").save(path)
      frame(9).write.format("lance").mode("append").option("mergeSchema", "true").save(path)
      val added = Seq("6 g", "7 h", "8 i", "9 i").map(_ + " None (9, 'None')")
      assert(values(path) == all ++ added)
      spark.sql(s"OPTIMIZE lance.`$path`")
      assert(values(path) == all ++ added)
      assert(read(path).select("id").collect().length == 10)
    }
  }

  test("rows are replaced, and a MERGE adds and deletes rows") {
    val path = table()
    spark.sql(
      s"INSERT INTO lance.`$path` REPLACE WHERE id < 2 " +
        "SELECT 1L, 'z', NULL, named_struct('a', 1L, 'w', NULL)"
    )
    val replaced = "1 z None (1, 'None')" +: all.drop(2)
    assert(values(path) == replaced)
    spark.sql(
      s"MERGE INTO lance.`$path` t USING (SELECT 8L AS id) s ON t.id = s.id " +
        "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'm')"
    )
    assert(values(path) == replaced :+ "8 m None None")
    spark.sql(s"INSERT OVERWRITE lance.`$path` SELECT 1L, 'z', NULL, NULL")
    assert(values(path) == Seq("1 z None None"))
  }

  test("clones and MERGEs without updates keep the values") {
    val path = table()
    Seq("SHALLOW", "DEEP").foreach { kind =>
      val clone = fresh()
      spark.sql(s"CREATE TABLE lance.`$clone` $kind CLONE lance.`$path`")
      assert(values(clone) == all)
    }
    spark.sql(
      s"MERGE INTO lance.`$path` t USING (SELECT explode(array(1L, 9L)) AS id) s ON t.id = s.id " +
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'm')"
    )
    assert(values(path) == all.patch(1, Nil, 1) :+ "9 m None None")
  }

  test("statements that would lose the values are rejected with the name of the column") {
    val path = table()
    rejected("column \"w\"", "decimal:256:60:2") {
      spark.conf.set("spark.lance.write.updateMode", "rows")
      try spark.sql(s"UPDATE lance.`$path` SET s = 'z' WHERE id = 1")
      finally spark.conf.unset("spark.lance.write.updateMode")
    }
    rejected("column \"w\"", "decimal:256:60:2")(spark.sql(
      s"MERGE INTO lance.`$path` t USING (SELECT 1L AS id) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET s = 'z'"
    ))
    rejected("column \"r.w\"") {
      spark.sql(s"UPDATE lance.`$path` SET r = named_struct('a', 1L, 'w', NULL)")
    }
    rejected("column \"w\"")(spark.sql(s"OPTIMIZE lance.`$path` ZORDER BY (id)"))
    rejected("column \"w\"")(read(path).select("w").collect())
    rejected("VOID")(spark.sql(s"INSERT INTO lance.`$path` (id, w) VALUES (1, 2)"))
    assert(values(path) == all)
  }

  test("no rows can be added if the column is NOT NULL") {
    val path = fresh()
    Pylance.write(
      "pa.table([pa.array([1]), pa.array([1]).cast(pa.decimal256(60, 2))], " +
        "schema=pa.schema([('id', pa.int64()), pa.field('w', pa.decimal256(60, 2), nullable=False)]))",
      path
    )
    assert(!read(path).schema("w").nullable && read(path).schema("w").dataType == NullType)
    rejected("`w`")(spark.sql(s"INSERT INTO lance.`$path` (id) VALUES (2)"))
    intercept[Exception](spark.sql(s"INSERT INTO lance.`$path` VALUES (2, NULL)"))
    spark.sql(s"UPDATE lance.`$path` SET id = 7")
    spark.sql(s"ALTER TABLE lance.`$path` ADD COLUMN n INT")
    if (SparkLine.isFrom("4.0")) spark.sql(s"ALTER TABLE lance.`$path` CLUSTER BY (id)")
    assert(read(path).select("id", "n").collect().map(_.toString).toSeq == Seq("[7,null]"))
    assert(Pylance.run(
      "result = str(dataset(path).to_table()['w'][0])",
      "path" -> path
    ).asText == "1.00")
  }
}
