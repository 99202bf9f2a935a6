// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.CommandResultExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.text.query.{LeafQuery, MatchQuery, PhraseQuery}
import io.github.pysparklance.testkit.{
  Pylance,
  SharedSpark,
  TemporaryFolder,
  TestRun,
  TextFixtures
}

/** `lance_match`, `lance_match_phrase`, and `lance_multi_match` select the same rows by full-text
  * indices as by reading all texts.
  */
class IndexedTextConditionsSuite extends AnyFunSuite with TemporaryFolder
    with AdaptiveSparkPlanHelper {
  import IndexedTextConditionsSuite._

  private lazy val spark = SharedSpark.interpreted
  private def path: String = folder.resolve("t").toString
  private def table: String = s"lance.`$path`"
  private def sql(text: String): DataFrame = spark.sql(text)

  private def load(of: String, useIndex: Boolean): DataFrame =
    spark.read.format("lance").option("useScalarIndex", useIndex.toString).load(of)

  private def scans(df: DataFrame): Seq[BatchScanExec] = {
    val executed = df.queryExecution.executedPlan match {
      case c: CommandResultExec => c.commandPhysicalPlan
      case other => other
    }
    collectWithSubqueries(executed) { case b: BatchScanExec => b }
  }

  private def descriptions(df: DataFrame): String =
    scans(df).map(_.scan.description()).mkString("; ")

  private def ids(df: DataFrame): Seq[Long] =
    df.select("id").collect().map(_.getAs[Number](0).longValue).sorted.toSeq

  /** Checks a condition, and returns whether an index was used. */
  private def check(of: String, condition: String): Boolean = withClue(s"$condition: ") {
    val indexed = load(of, useIndex = true).where(condition)
    val expected = ids(load(of, useIndex = false).where(condition))
    assert(ids(indexed) == expected)
    assert(indexed.count() == expected.length)
    descriptions(indexed.select("id")).contains("(INVERTED")
  }

  private def rows(from: Int, until: Int): DataFrame = {
    def words(salt: Int): String =
      s"array_join(transform(sequence(1, 1 + abs(hash(id, $salt)) % 6), " +
        s"i -> element_at(array(${vocabulary.map(w => s"'$w'").mkString(", ")}), " +
        s"CAST(1 + pow(pmod(hash(id, i, $salt), 1000) / 1000.0, 2) * ${vocabulary.length} AS INT))), ' ')"
    spark.range(from.toLong, until.toLong, 1, 1).selectExpr(
      "id",
      s"IF(id % 9 = 4, NULL, ${words(1)}) AS t",
      s"IF(id % 7 = 1, NULL, array(${words(2)}, NULL, ${words(3)})) AS l",
      s"IF(id % 11 = 2, NULL, named_struct('t', IF(id % 5 = 3, NULL, ${words(4)}))) AS s"
    )
  }

  for (isStable <- TestRun.sample(1, Seq(false, true)))
    test(s"random conditions after random changes, stable row ids $isStable") {
      val random = new Random(TestRun.seed)
      withClue(s"seed ${TestRun.seed}L: ") {
        (0 until (if (TestRun.isLong) 20 else 1)).foreach { i =>
          val history = new History(folder.resolve(s"t$i").toString, random, isStable)
          var used = 0
          (0 to (if (TestRun.isLong) 12 else 6)).foreach { step =>
            if (step > 0) history.change()
            (0 until (if (TestRun.isLong) 8 else 4)).foreach { _ =>
              withClue(s"after ${history.changes.mkString("; ")}: ") {
                if (check(history.path, randomCondition(random))) used += 1
              }
            }
          }
          assert(used > 5, "indices were hardly used")
        }
      }
    }

  final private class History(val path: String, random: Random, isStable: Boolean) {
    private val t = s"lance.`$path`"
    private var numRows = 300 + random.nextInt(300)
    var changes: Seq[String] = Nil

    /** Rows with another column of JSON documents. */
    private def documents(from: Int, until: Int): DataFrame = rows(from, until).selectExpr(
      "*",
      "IF(id % 13 = 5, NULL, to_json(named_struct('w', t, 'm', array(s.t, CAST(id % 5 AS STRING))))) AS j"
    )

    documents(0, numRows).write.format("lance").option("enableStableRowIds", isStable.toString)
      .option("maxRowsPerFile", "150").option("column.j.lance.type", "json").save(path)
    Seq("t", "l", "s.t", "j").foreach { column =>
      val options = pick(Seq(
        "with_position = true",
        "with_position = false",
        "with_position = true, stem = false, lower_case = false",
        "base_tokenizer = 'ngram'",
        "with_position = true, block_size = 256, num_workers = 2"
      ))
      sql(
        s"CREATE INDEX `${index(column)}` ON $t USING inverted ($column) OPTIONS ($options)"
      ): Unit
      changes :+= s"$column: $options"
    }

    private def index(column: String): String = s"${column.replace('.', '_')}_words"

    private def pick[A](all: Seq[A]): A = all(random.nextInt(all.length))

    def change(): Unit = {
      val from = random.nextInt(numRows)
      val statement = random.nextInt(7) match {
        case 0 => s"DELETE FROM $t WHERE id BETWEEN $from AND ${from + 20}"
        case 1 => s"DELETE FROM $t WHERE ${randomCondition(random)} AND id % 3 = 1"
        case 2 => s"UPDATE $t SET t = '${text(random)}' WHERE id BETWEEN $from AND ${from + 9}"
        case 3 => s"OPTIMIZE $t"
        case 4 => if (isStable) s"OPTIMIZE $t" else s"OPTIMIZE $t WITH (defer_index_remap = true)"
        case 5 => s"OPTIMIZE INDEX `${index(pick(Seq("t", "l", "s.t", "j")))}` ON $t"
        case _ =>
          numRows += 60
          documents(numRows - 60, numRows).write.format("lance").mode("append").save(path)
          "append"
      }
      changes :+= statement
      if (statement != "append") sql(statement): Unit
    }
  }

  private def conditionOf(query: LeafQuery): String = {
    val words = query.text.replace("'", "\\'")
    query match {
      case m: MatchQuery =>
        val options = Seq(s"operator=${m.operator}", s"prefix_length=${m.prefixLength}") ++
          m.fuzziness.map(n => s"fuzziness=$n")
        s"lance_match(${m.column.get}, '$words', '${options.mkString(", ")}')"
      case p: PhraseQuery => s"lance_match_phrase(${p.column.get}, '$words', ${p.slop})"
    }
  }

  test("indices of other writers") {
    val numQueries = if (TestRun.isLong) Int.MaxValue else 2
    var used = 0
    val cases = if (TestRun.isLong) TextFixtures.cases else TextFixtures.kept
    cases.foreach { c =>
      withClue(s"${c.name}: ") {
        c.queries.map(_.query).collect { case leaf: LeafQuery => conditionOf(leaf) }.distinct
          .take(numQueries).foreach { condition =>
            if (check(c.path.toAbsolutePath.toString, condition)) used += 1
            check(c.path.toAbsolutePath.toString, s"NOT $condition OR id < 3")
          }
      }
    }
    assert(used > 5, "indices were hardly used")
  }

  private def write(numRows: Int): Unit = {
    rows(0, numRows).selectExpr("*", "CAST(id % 7 AS INT) AS n")
      .write.format("lance").option("maxRowsPerFile", "1000").save(path)
    sql(
      s"INSERT INTO $table VALUES (-1, 'a zebra quagga', array('quagga'), named_struct('t', 'quagga'), 1)"
    )
    sql(s"CREATE INDEX words ON $table USING inverted (t) OPTIONS (with_position = true)")
    sql(s"CREATE INDEX lists ON $table USING inverted (l)"): Unit
  }

  private def numRead(df: DataFrame): Long = {
    df.collect(): Unit
    scans(df).flatMap(_.metrics.get("lanceRowsRead")).map(_.value).sum
  }

  test("EXPLAIN names the index, and few rows are read by filters, counts, and joins") {
    write(4000)
    for {
      condition <- Seq(
        "lance_match(t, 'quaggas')",
        "lance_match(t, 'zebra quagga', 'operator=AND') AND n = 1",
        "lance_match_phrase(t, 'zebra quagga')",
        "lance_match(t, 'zebre', 'fuzziness=1')",
        "lance_multi_match('quagga', l, t)",
        "id < 0 AND (lance_match(t, 'zebra') OR lance_match(l, 'zebra'))"
      )
      query <- Seq(
        s"SELECT id FROM $table WHERE $condition",
        s"SELECT count(*) FROM $table WHERE $condition",
        s"SELECT x.id FROM $table x JOIN range(-5, 5) r ON x.id = r.id AND $condition"
          .replace("(id", "(x.id").replace("AND id", "AND x.id")
      )
    } withClue(s"$query: ") {
      val found = sql(query)
      assert(descriptions(found).contains("(INVERTED, 5 of 5 fragments)"))
      assert(numRead(found) == 1)
      assert(found.collect().map(_.getLong(0)).toSeq ==
        Seq(if (query.contains("count")) 1L else -1L))
    }
    // Rows outside of the index are read.
    sql(s"INSERT INTO $table SELECT -2, 'another zebra', NULL, NULL, 2")
    val found = sql(s"SELECT id FROM $table WHERE lance_match(t, 'zebra')")
    assert(descriptions(found).contains("words (INVERTED, 5 of 6 fragments, 1 not indexed)"))
    assert(numRead(found) == 2 && ids(found) == Seq(-2, -1))
  }

  test("statements find the rows that they change by the index") {
    write(4000)
    assert(numRead(sql(s"UPDATE $table SET n = 77 WHERE lance_match(t, 'zebra')")) <= 2)
    assert(ids(load(path, useIndex = false).where("n = 77")) == Seq(-1))
    sql(
      s"""MERGE INTO $table x USING (SELECT 77 AS n) y ON x.n = y.n AND lance_match(x.t, 'quagga')
         |WHEN MATCHED THEN UPDATE SET n = 78""".stripMargin
    )
    assert(ids(load(path, useIndex = false).where("n = 78")) == Seq(-1))
    sql(s"DELETE FROM $table WHERE lance_match_phrase(t, 'zebra quagga')")
    assert(load(path, useIndex = false).where("id < 0").count() == 0)
    assert(load(path, useIndex = false).count() == 4000)
  }

  test("an index with another analyzer than the first is not used") {
    write(4000)
    Pylance.run(
      "dataset(path).create_scalar_index('t', 'INVERTED', name='exact', stem=False, replace=False)\nresult = None",
      "path" -> path
    )
    assert(check(path, "lance_match(t, 'quaggas')"))
    assert(!descriptions(sql(s"SELECT id FROM $table WHERE lance_match(t, 'zebra')"))
      .contains("exact"))
  }
}

private object IndexedTextConditionsSuite {
  private val vocabulary: IndexedSeq[String] =
    ("the quick brown fox foxes jumps over a lazy dog dogs data Data database spark lance vector index table " +
      "caf\u00e9 search searching engine engines running runs ran test tests").split(
      ' '
    ).toIndexedSeq

  private def word(random: Random): String = vocabulary(random.nextInt(vocabulary.length))

  private def text(random: Random): String =
    Seq.fill(1 + random.nextInt(3))(word(random)).mkString(" ")

  private def randomCondition(random: Random, depth: Int = 2): String = {
    val column = Seq("t", "j", "l", "s.t")(random.nextInt(4))
    val path = if (column == "j") Seq("w,str,", "m,str,")(random.nextInt(2)) else ""
    def inner(): String = randomCondition(random, depth - 1)
    random.nextInt(if (depth > 0) 11 else 7) match {
      case 0 | 1 => s"lance_match($column, '$path${text(random)}')"
      case 2 => s"lance_match($column, '$path${text(random)}', 'operator=AND')"
      case 3 => s"lance_match_phrase($column, '$path${text(random)}', ${random.nextInt(3)})"
      case 4 =>
        val fuzziness = Seq("1", "2", "auto")(random.nextInt(3))
        s"lance_match($column, '$path${word(random).dropRight(random.nextInt(2))}', " +
          s"'fuzziness=$fuzziness, prefix_length=${random.nextInt(2)}')"
      case 5 => s"lance_multi_match('${text(random)}', 'operator=AND', t, s.t)"
      case 6 => s"id % ${2 + random.nextInt(7)} = 1"
      case 7 => s"NOT (${inner()})"
      case 8 => s"(${inner()}) OR (${inner()})"
      case 9 => s"(${inner()}) AND (${inner()})"
      case _ => s"(${inner()}) IS NULL"
    }
  }
}
