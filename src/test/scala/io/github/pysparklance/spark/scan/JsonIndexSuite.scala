// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder, TestRun}

/** Conditions on members of JSON documents find the same rows with the indices of pylance, without
  * them, and in pylance, after any changes of the table.
  */
class JsonIndexSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  import JsonIndexSuite._

  private lazy val spark = SharedSpark.interpreted
  private var numTables = 0

  /** A table of pylance with a column of JSON documents, and an index for each path. */
  final private class JsonTable(isStable: Boolean, indices: Seq[(String, String)] = indices) {
    numTables += 1
    val path: String = folder.resolve(s"t$numTables").toString
    val name: String = s"lance.`$path`"
    private var numRows = 0
    private val built = indices.filterNot { case (kind, _) => isStable && kind == "btree" }

    change(
      s"""
      write(rows(0, 1200), path, max_rows_per_file=300, enable_stable_row_ids=${python(isStable)})
      for kind, p in indices:
          create(kind, p)
      """,
      "indices" -> built.map { case (kind, p) => Seq(kind, p) }
    )
    numRows = 1200

    def change(code: String, arguments: (String, Any)*): Unit = Pylance.run(
      s"$helpers\n${code.stripIndent}\nresult = None",
      (Seq("path" -> path) ++ arguments): _*
    ): Unit

    def append(): Unit = {
      change(s"write(rows($numRows, 300), path, mode='append')")
      numRows += 300
    }

    def sql(text: String): Unit = spark.sql(text.replace("{t}", name)): Unit

    def frame(useIndex: Boolean): DataFrame =
      spark.read.format("lance").option("useScalarIndex", useIndex.toString).load(path)

    def ids(condition: String, useIndex: Boolean): Seq[Int] =
      frame(useIndex).where(condition).select("id").collect().toSeq.map(_.getInt(0)).sorted

    /** Ids in pylance, without its indices. */
    def reference(condition: String): Seq[Int] = Pylance.run(
      """
      s = dataset(path).scanner(columns=['id'], filter=condition, use_scalar_index=False)
      result = sorted(s.to_table()['id'].to_pylist())
      """,
      "path" -> path,
      "condition" -> condition
    ).elements.asScala.map(_.asInt).toSeq

    def description(condition: String): String = {
      val plan = frame(useIndex = true).where(condition).select("id").queryExecution.executedPlan
      collectWithSubqueries(plan) { case b: BatchScanExec => b.scan.description() }.head
    }

    /** Checks conditions, and returns the kinds of the used indices. */
    def check(): Set[String] = {
      val used = (always ++ TestRun.sample(3, conditions)).flatMap { case (condition, pylance) =>
        withClue(s"$condition: ") {
          val found = ids(condition, useIndex = true)
          assert(found == ids(condition, useIndex = false))
          assert(found == reference(if (pylance.isEmpty) condition else pylance))
          assert(frame(useIndex = true).where(condition).count() == found.length)
        }
        val shown = description(condition)
        indices.map(_._1).filter(kind => shown.contains(s"JSON ${kind.toUpperCase} on"))
      }
      used.toSet
    }
  }

  private def python(flag: Boolean): String = if (flag) "True" else "False"

  for (isStable <- Seq(false, true)) {
    val ids = if (isStable) "stable row ids" else "row addresses"

    changes.foreach { case (name, steps) =>
      test(s"$name, $ids") {
        val table = new JsonTable(isStable)
        steps(table)
        val used = table.check()
        val wanted = Set("bitmap", "ngram") ++ (if (isStable) Nil else Seq("btree"))
        assert(wanted.subsetOf(used), used)
      }
    }
  }

  test("EXPLAIN names the index and its path") {
    val table = new JsonTable(isStable = false)
    table.append()
    Seq(
      "json_get_int(j, 'n') = 7" -> "btree_n (JSON BTREE on n, 4 of 5 fragments, 1 not indexed)",
      "json_get_string(j, 's') IN ('s3', 's4')" -> "bitmap_s (JSON BITMAP on $.s, 4 of 5",
      "json_get_float(json_get(j, 'o'), 'f') > 98" -> "zonemap_f (JSON ZONEMAP on $.o.f, 4 of 5",
      "json_get_string(j, 't') LIKE '%w077x%'" -> "ngram_t (JSON NGRAM on t, 4 of 5",
      "json_get_bool(j, 'b')" -> "bitmap_b (JSON BITMAP on $[\"b\"], 4 of 5",
      "json_get_int(j, 'n') = 7 OR json_get_string(j, 's') = 's3'" -> "bitmap_s (JSON BITMAP"
    ).foreach { case (condition, wanted) =>
      val shown = table.description(condition)
      assert(shown.contains(wanted), s"$condition: $shown")
    }
  }

  test("indices are not used for other keys and types") {
    val table = new JsonTable(isStable = false)
    Seq(
      // The key is the name of a member.
      "json_get_int(j, '$.n') = 7",
      "json_get_string(j, 'n') = '7'",
      "json_get_float(j, 'n') = 7",
      "json_get_int(j, 'x') = 7",
      "json_get_float(j, 'f') > 98",
      "json_get_string(json_get(j, 's'), 's') = 's3'",
      "json_get(j, 's') = '\"s3\"'",
      "j = '{}'",
      "json_get_int(j, IF(id < 9, 'n', 'm')) = 7",
      // A bloom filter does not record the type of its values.
      "json_get_int(j, 'm') = 7"
    ).foreach { condition =>
      val shown = table.description(condition)
      assert(!shown.contains("JSON "), s"$condition: $shown")
    }
  }

  test("DELETE and UPDATE find their rows") {
    Seq(false, true).foreach { isStable =>
      val table = new JsonTable(isStable)
      val before = table.ids("true", useIndex = false)
      val gone = table.ids("json_get_string(j, 's') = 's3'", useIndex = false)
      table.sql("DELETE FROM {t} WHERE json_get_string(j, 's') = 's3'")
      assert(table.ids("true", useIndex = false) == before.diff(gone) && gone.nonEmpty)
      val changed = table.ids("json_get_bool(j, 'b') AND id % 2 = 0", useIndex = false)
      table.sql("""UPDATE {t} SET j = '{"s":"new"}' WHERE json_get_bool(j, 'b') AND id % 2 = 0""")
      assert(changed.nonEmpty && table.ids("json_get_string(j, 's') = 'new'", true) == changed)
      table.check(): Unit
    }
  }

  test("pylance uses, extends, and optimizes indices after changes by Spark") {
    val table = new JsonTable(isStable = false)
    table.sql("DELETE FROM {t} WHERE id % 5 = 3")
    table.sql("OPTIMIZE {t}")
    def counts(useIndex: Boolean): Seq[Int] = Seq(
      "json_get_int(j, 'n') = 7",
      "json_get_int(j, 'n') IS NULL",
      "json_get_int(j, 'n') BETWEEN 3 AND 40"
    ).map { condition =>
      Pylance.run(
        """
        s = dataset(path).scanner(filter=condition, use_scalar_index=use)
        assert not use or 'ScalarIndexQuery' in s.explain_plan()
        result = s.count_rows()
        """,
        "path" -> table.path,
        "condition" -> condition,
        "use" -> useIndex
      ).asInt
    }
    assert(counts(useIndex = true) == counts(useIndex = false))
    table.append()
    // pylance 14 merges JSON indices over BTREE only.
    table.change("dataset(path).optimize.optimize_indices(index_names=['btree_n'])")
    assert(counts(useIndex = true) == counts(useIndex = false))
    table.change("dataset(path).optimize.optimize_indices(num_indices_to_merge=0)")
    table.check(): Unit
    table.change("dataset(path).optimize.compact_files(target_rows_per_fragment=10000)")
    table.check(): Unit
    assert(Pylance.validate(table.path) == table.frame(useIndex = false).count())
  }

  test("compactions rewrite indices with the details of pylance") {
    val table = new JsonTable(isStable = false)
    def shown(): Seq[String] =
      spark.sql(s"SHOW INDEXES IN ${table.name}").collect().map(_.toString).toSeq.sorted
    val before = shown()
    assert(before.exists(_.contains("JSON")), before)
    table.sql("DELETE FROM {t} WHERE id % 5 = 3")
    table.sql("OPTIMIZE {t}")
    val after = shown()
    assert(after.length == before.length, after)
    table.check(): Unit
  }

  test("statements that would index rows are rejected by name") {
    val table = new JsonTable(isStable = false)
    def failure(sql: String): String = intercept[Exception](table.sql(sql)).getMessage
    assert(failure("CREATE INDEX i ON {t} USING json (j)").contains("index of the kind json"))
    assert(failure("OPTIMIZE INDEX btree_n ON {t}").contains(
      "optimizing the index btree_n, whose kind is Json"
    ))
    assert(failure("CREATE INDEX i ON {t} USING btree (j)").contains("column of type json"))
    // Statements for all indices skip them.
    table.append()
    spark.sql(s"CALL lance.system.optimize_indices(table => '${table.path}')"): Unit
    table.sql("DROP INDEX btree_n ON {t}")
    assert(!table.description("json_get_int(j, 'n') = 7").contains("JSON"))
  }

  test("numbers above the range of a double, and JSON nulls that are strings") {
    val table = new JsonTable(isStable = false, Nil)
    table.change(
      """
      docs = ['{"f":1e400}', '{"f":-1e400}', '{"f":1.5}', '{"f":null}', '{}', None, '{"f":7}'] * 20
      docs += ['{"s":"null"}', '{"s":null}', '{"s":"x"}', '{"s":"nul"}'] * 20
      write(pa.table({'id': pa.array(range(5000, 5000 + len(docs)), pa.int32()),
                      'j': pa.array(docs, pa.json_())}), path, mode='overwrite')
      create('btree', 'f'); create('zonemap', '$.f'); create('bitmap', '$.s')
      """
    )
    Seq("f" -> "json_get_float(j, 'f')", "s" -> "json_get_string(j, 's')").foreach {
      case (column, value) =>
        val literals = if (column == "f") Seq("1.5", "double('infinity')", "7")
        else
          Seq("'null'", "'x'")
        val tests = Seq("IS NULL", "IS NOT NULL") ++
          literals.flatMap(l => Seq(s"= $l", s"<> $l", s"> $l", s"<= $l", s"<=> $l"))
        val all = tests.flatMap(t => Seq(s"$value $t", s"NOT ($value $t)"))
        TestRun.sample(8, all).foreach { condition =>
          assert(
            table.ids(condition, useIndex = true) == table.ids(condition, useIndex = false),
            condition
          )
        }
    }
  }
}

private object JsonIndexSuite {

  /** The kinds of indices with their paths. */
  private val indices = Seq(
    "btree" -> "n",
    "bitmap" -> "$.s",
    "bitmap" -> "$[\"b\"]",
    "zonemap" -> "$.o.f",
    "ngram" -> "t",
    "bloomfilter" -> "m",
    "btree" -> "$.o.\"d e\""
  )

  private val helpers =
    """
    from lance.indices import IndexConfig
    def create(kind, p):
        name = kind + '_' + ''.join(c for c in p if c.isalpha())[-1:]
        config = IndexConfig(index_type='json', parameters={'target_index_type': kind, 'path': p})
        dataset(path).create_scalar_index('j', config, name=name)
    def doc(i):
        if i % 97 == 5: return None
        if i % 89 == 7: return ['[]', '{}', 'null', '7', '"n"', '[{"n":1}]'][i % 6]
        d = {'n': i * 7919 % 400, 's': f's{i * 31 % 50}', 'b': i % 101 == 2, 'm': i * 7 % 60,
             't': f'text of w{i * 17 % 90:03d}x and {i % 7}',
             'o': {'f': i / 16 if i % 2 == 0 else i // 16, 'd e': -(i % 33)}, '$.n': 1, 'o.f': 2}
        for k in list(d):
            if (i * 31 + len(k) + ord(k[0])) % 11 == 0: del d[k]
            elif (i * 17 + ord(k[-1])) % 13 == 0: d[k] = None
        return json.dumps(d)
    def rows(first, n):
        return pa.table({'id': pa.array(range(first, first + n), pa.int32()),
                         'j': pa.array([doc(i) for i in range(first, first + n)], pa.json_())})
    import json
    """.stripIndent

  /** Conditions, with their form in pylance if it differs. */
  private val conditions: Seq[(String, String)] = Seq(
    "json_get_int(j, 'n') = 7" -> "",
    "json_get_int(j, 'n') > 390" -> "",
    "json_get_int(j, 'n') <= 3" -> "",
    "json_get_int(j, 'n') IS NULL" -> "",
    "json_get_int(j, 'n') IS NOT NULL" -> "",
    "NOT (json_get_int(j, 'n') > 5)" -> "",
    "json_get_int(j, 'n') BETWEEN 10 AND 14" -> "",
    "json_get_int(j, 'n') IN (7, 8, 1000, -1)" -> "",
    "json_get_int(j, 'n') NOT IN (7, 8)" -> "",
    "json_get_int(j, 'n') <=> 9" -> "json_get_int(j, 'n') = 9",
    "json_get_int(j, 'n') = 7 AND json_get_string(j, 's') = 's3'" -> "",
    "json_get_int(j, 'n') = 7 OR json_get_string(j, 's') = 's3'" -> "",
    "json_get_int(j, 'n') = 7 OR id = 3" -> "",
    "json_get_int(j, 'n') > 390 AND json_get_int(j, 'n') IS NOT NULL AND id < 500" -> "",
    "json_get_string(j, 's') = 's3'" -> "",
    "json_get_string(j, 's') IN ('s3', 's4', 'none')" -> "",
    "json_get_string(j, 's') >= 's8'" -> "",
    "json_get_string(j, 's') IS NULL" -> "",
    "NOT (json_get_string(j, 's') < 's5')" -> "",
    "json_get_string(j, 's') LIKE 's4%'" -> "",
    "json_get_bool(j, 'b')" -> "",
    "NOT json_get_bool(j, 'b')" -> "",
    "json_get_bool(j, 'b') IS NULL" -> "",
    "json_get_bool(j, 'b') OR json_get_int(j, 'n') = 7" -> "",
    "json_get_bool(j, 'b') = false AND id < 20" -> "",
    "json_get_float(json_get(j, 'o'), 'f') > 70" -> "",
    "json_get_float(json_get(j, 'o'), 'f') < 0.5" -> "",
    "json_get_float(json_get(j, 'o'), 'f') = 3.0625" -> "",
    "json_get_float(json_get(j, 'o'), 'f') IS NULL" -> "",
    "json_get_int(json_get(j, 'o'), 'd e') = -5" -> "",
    "json_get_int(json_get(j, 'o'), 'd e') < -30" -> "",
    "json_get_string(j, 't') LIKE '%w077x%'" -> "",
    "contains(json_get_string(j, 't'), 'w08')" -> "",
    "json_get_int(j, 'm') = 7" -> "",
    "json_get_int(j, '$.n') = 1 AND id < 9" -> ""
  )

  private val always: Seq[(String, String)] = Seq(
    "json_get_int(j, 'n') IN (7, 8)" -> "",
    "json_get_string(j, 's') IN ('s3', 's4')" -> "",
    "json_get_float(json_get(j, 'o'), 'f') > 74" -> "",
    "contains(json_get_string(j, 't'), 'w077x')" -> ""
  )

  private type Steps = JsonIndexSuite#JsonTable => Unit

  /** Changes of a table by pylance and Spark. */
  private val changes: Seq[(String, Steps)] = Seq(
    "fresh" -> (_ => ()),
    "appended" -> (_.append()),
    "deleted" -> (_.sql("DELETE FROM {t} WHERE id % 3 = 1")),
    "updated by Spark" -> (_.sql(
      """UPDATE {t} SET j = '{"n":7,"s":"s3","b":true,"o":{"f":99.5}}' WHERE id % 7 = 2"""
    )),
    "updated by pylance" -> (_.change(
      "dataset(path).update({'id': 'id + 100000'}, where='id % 9 = 4')"
    )),
    "compacted by Spark" -> { t =>
      t.sql("DELETE FROM {t} WHERE id % 3 = 1")
      t.sql("OPTIMIZE {t}")
    },
    "compacted by Spark, appended, and extended by pylance" -> { t =>
      t.sql("DELETE FROM {t} WHERE id % 4 = 1")
      t.sql("OPTIMIZE {t}")
      t.append()
      t.change("dataset(path).optimize.optimize_indices(num_indices_to_merge=0)")
    },
    "compacted by pylance, appended, and compacted by Spark" -> { t =>
      t.sql("DELETE FROM {t} WHERE id % 4 = 1")
      t.change("dataset(path).optimize.compact_files(target_rows_per_fragment=700)")
      t.append()
      t.append()
      t.sql("DELETE FROM {t} WHERE id % 4 = 2")
      t.sql("OPTIMIZE {t}")
    }
  )
}
