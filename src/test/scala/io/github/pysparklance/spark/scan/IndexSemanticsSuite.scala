// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{
  ExactRows,
  SharedSpark,
  SparkLine,
  TemporaryFolder,
  TestRun
}

/** Indices do not change the semantics of Spark: time zones, collations, casts, and prefixes. */
class IndexSemanticsSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark: SparkSession = SharedSpark.newInterpreted()
  private def path: String = folder.resolve("t").toString

  private def write(rows: DataFrame): Unit =
    rows.write.format("lance").option("maxRowsPerFile", "700").save(path)

  private def index(kind: String, columns: String*): Unit = columns.foreach { column =>
    spark.sql(
      s"ALTER TABLE lance.`$path` CREATE INDEX `$kind $column` USING $kind (`$column`)"
    ): Unit
  }

  private def delete(condition: String): Unit =
    spark.sql(s"DELETE FROM lance.`$path` WHERE $condition"): Unit

  private def query(sql: String, usesIndex: Boolean): DataFrame = {
    spark.read.format("lance").option("useScalarIndex", usesIndex.toString).load(path)
      .createOrReplaceTempView("used")
    spark.sql(sql)
  }

  /** Fails if the result differs from the result without indices. Returns the number of rows. */
  private def check(sql: String): Int = {
    val expected = ExactRows(query(sql, usesIndex = false))
    val found = ExactRows(query(sql, usesIndex = true))
    assert(found.sorted == expected.sorted, sql)
    found.length
  }

  /** Checks the rows with a condition, and their number. */
  private def where(condition: String): Int = {
    val number = check(s"SELECT * FROM used WHERE $condition")
    val sql = s"SELECT count(*) FROM used WHERE $condition"
    assert(query(sql, usesIndex = true).head().getLong(0) == number, sql)
    number
  }

  /** Whether the query of a condition uses an index. */
  private def isIndexed(condition: String): Boolean = {
    val plan = query(s"SELECT * FROM used WHERE $condition", usesIndex = true).queryExecution
    collectWithSubqueries(plan.executedPlan) { case b: BatchScanExec => b }
      .exists(_.scan.description().contains("index "))
  }

  private def conf(settings: (String, String)*)(body: => Unit): Unit = {
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  for (kind <- TestRun.sample(1, Seq("BTREE", "BITMAP", "ZONEMAP")))
    test(s"timestamps in changing time zones, $kind") {
      // Around the ends of summer time, when local times occur twice or never.
      write(
        spark.range(0, 2000, 1, 1).selectExpr(
          "id",
          "IF(id % 11 = 3, NULL, timestamp_seconds(1603584000 + (id DIV 5) * 900)) AS ts",
          "IF(id % 7 = 2, NULL, TIMESTAMP_NTZ'2020-10-25 00:00:00'" +
            " + make_dt_interval(0, 0, CAST(15 * (id DIV 5) AS INT))) AS ntz",
          "IF(id % 13 = 5, NULL, date_add(DATE'2020-10-01', CAST(id % 60 AS INT))) AS day"
        )
      )
      index(kind, "ts", "ntz", "day")
      delete("id % 17 = 4")
      val conditions = Seq(
        "ts = TIMESTAMP'2020-10-25 02:30:00'",
        "ts = '2020-10-25 02:30:00'",
        "ts >= '2020-10-25 02:15' AND ts < '2020-10-25 03:00'",
        "ts = TIMESTAMP'2020-10-25 01:30:00Z'",
        "ts < DATE'2020-10-26'",
        "CAST(ts AS DATE) = DATE'2020-10-25'",
        "ts IN (TIMESTAMP'2020-10-25 02:30:00', TIMESTAMP'2020-10-26 00:00:00', NULL)",
        "NOT ts > TIMESTAMP'2020-10-25 02:30:00'",
        "ntz = TIMESTAMP_NTZ'2020-10-25 02:30:00'",
        "ntz BETWEEN TIMESTAMP_NTZ'2020-10-25 02:15:00' AND TIMESTAMP_NTZ'2020-10-25 03:00:00'",
        "ntz = TIMESTAMP'2020-10-25 02:30:00'",
        "ntz <=> ts",
        "CAST(ntz AS TIMESTAMP) >= TIMESTAMP'2020-10-25 02:30:00'",
        "ntz < DATE'2020-10-26'",
        "ntz IS NULL AND ts IS NOT NULL",
        "day = DATE'2020-10-25'",
        "day = TIMESTAMP'2020-10-25 00:00:00'",
        "day = TIMESTAMP'2020-10-25 00:00:01'",
        "day >= TIMESTAMP'2020-10-25 12:00:00'",
        "day < TIMESTAMP_NTZ'2020-10-25 12:00:00'",
        "day IN ('2020-10-25', '2020-11-11')",
        "CAST(day AS TIMESTAMP) <= TIMESTAMP'2020-10-25 00:00:00'",
        "ts = day",
        "hour(ts) = 2 AND ts < '2020-10-26'"
      )
      val zones = Seq("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu")
      TestRun.sample(1, zones).foreach { zone =>
        conf("spark.sql.session.timeZone" -> zone) {
          withClue(s"$zone: ") {
            TestRun.sample(4, conditions).foreach(where)
            assert(where("ts = TIMESTAMP'2020-10-26 00:30:00'") > 0)
            assert(isIndexed("ts = TIMESTAMP'2020-10-26 00:30:00'"))
            assert(where("ntz = TIMESTAMP_NTZ'2020-10-25 02:30:00'") > 0)
            assert(isIndexed("ntz = TIMESTAMP_NTZ'2020-10-25 02:30:00'"))
            check("SELECT min(ts), max(ts), min(ntz), max(ntz), min(day), max(day) FROM used")
            check("SELECT ts FROM used ORDER BY ts DESC LIMIT 7")
            check("SELECT ntz FROM used ORDER BY ntz NULLS LAST LIMIT 7")
            check("SELECT ts, count(*) FROM used WHERE ts < DATE'2020-10-26' GROUP BY ts"): Unit
          }
        }
      }
    }

  for (kind <- TestRun.sample(1, Seq("BTREE", "BITMAP", "ZONEMAP", "BLOOMFILTER")))
    test(s"casts of integers to wider types, $kind") {
      write(
        spark.range(0, 2000, 1, 1).selectExpr(
          "id",
          "IF(id % 9 = 4, NULL, CAST(id % 100 - 50 AS TINYINT)) AS b",
          "IF(id % 9 = 5, NULL, CAST(id DIV 4 AS SMALLINT)) AS s",
          "IF(id = 77, 2147483647, IF(id = 78, -2147483648, CAST(id AS INT))) AS i"
        )
      )
      index(kind, "b", "s", "i")
      delete("id % 17 = 4")
      val indexed = Seq(
        "CAST(i AS BIGINT) = 5L",
        "i = 5L",
        "5L = i",
        "CAST(s AS BIGINT) = 5L",
        "CAST(CAST(s AS INT) AS BIGINT) = 5L",
        "CAST(i AS BIGINT) <=> 5L",
        "CAST(i AS BIGINT) IN (5L, 6L, 3000000000L)",
        "CAST(s AS INT) IN (5, 70000)",
        "i IN (5L, 1999L)"
      ) ++ (if (kind == "BLOOMFILTER") Nil
            else
              Seq(
                "CAST(i AS BIGINT) < 5L",
                "CAST(i AS BIGINT) BETWEEN 4L AND 5L",
                "i < 5.5",
                "i <= 5.5D",
                "i > 1998.5 AND i < 3000000000",
                "s < 5.0D"
              ))
      val others = Seq(
        "CAST(i AS BIGINT) = 3000000000L",
        "CAST(i AS BIGINT) <> 3000000000L",
        "CAST(i AS BIGINT) < 3000000000L",
        "CAST(i AS BIGINT) > -3000000000L",
        "NOT CAST(i AS BIGINT) > -3000000000L",
        "CAST(i AS BIGINT) <=> 3000000000L",
        "CAST(i AS BIGINT) IN (3000000000L, NULL)",
        "NOT CAST(i AS BIGINT) IN (5L, 3000000000L)",
        "i >= 2147483647L",
        "i > 2147483647L",
        "i <= -2147483648L",
        "i < -2147483648L",
        "i < -2147483648.5",
        "CAST(b AS INT) = 128",
        "CAST(b AS INT) < 128",
        "CAST(b AS INT) >= -128",
        "CAST(b AS SMALLINT) = -50",
        "CAST(b AS BIGINT) IS NULL",
        "i = 5.5",
        "i = 5.0",
        "i <> 5.5",
        "CAST(i AS DOUBLE) = double('NaN')",
        "CAST(i AS FLOAT) > 2147483520",
        "CAST(i AS STRING) = '5'",
        "CAST(i AS TINYINT) = 5"
      )
      // Spark evaluates casts of a narrower type only without ANSI mode.
      val rule = "org.apache.spark.sql.catalyst.optimizer.UnwrapCastInBinaryComparison"
      for {
        settings <- Seq(
          Seq("spark.sql.ansi.enabled" -> "false"),
          Seq(
            "spark.sql.ansi.enabled" -> "false",
            "spark.sql.optimizer.excludedRules" -> rule
          )
        )
      } conf(settings: _*) {
        withClue(s"$settings: ") {
          val isUnwrapped = settings.length == 1
          TestRun.sample(4, indexed).foreach { c =>
            assert(where(c) > 0, c)
            assert(!isUnwrapped && c.contains('.') || isIndexed(c), c)
          }
          TestRun.sample(3, others).foreach(where)
        }
      }
    }

  for (kind <- Seq("BTREE", "BITMAP", "ZONEMAP", "NGRAM"))
    test(s"prefixes of strings, $kind") {
      // The last code point has no successor, and UTF-16 orders the smiley before U+FFFF.
      val words =
        Seq("", "a_b", "a%b", "Item", "item", "Stra\u00dfe", "Strasse", "\u65e5\u672c\u8a9e") ++
          Seq("\u65e5\u672c", "zzz", "\uffff", "\ud83d\ude00 smile", "\udbff\udfff", "a'b")
      val word = s"element_at(array(${words.map(w => s"r\"$w\"").mkString(", ")}), " +
        "CAST(id DIV 150 AS INT) + 1)"
      write(
        spark.range(0, 150L * words.length, 1, 1).selectExpr(
          "id",
          s"CASE WHEN id % 11 = 3 THEN NULL WHEN id < 150 THEN '' ELSE concat($word, id % 150) END AS t"
        )
      )
      index(kind, "t")
      delete("id % 17 = 4")
      val indexed = Seq(
        "startswith(t, 'Stra\u00df')",
        "t LIKE 'Stra\u00df%'",
        "startswith(t, 'Item14')",
        "t LIKE 'Item1%4'"
      )
      // An NGRAM has ASCII letters and digits.
      val multiByte = Seq("t LIKE '\u65e5\u672c\u8a9e%'", "startswith(t, '\ud83d\ude00')")
      val others = Seq(
        "t LIKE '\u65e5%'",
        "startswith(t, '\uffff')",
        "startswith(t, '\udbff\udfff')",
        "startswith(t, '')",
        "t LIKE '%'",
        "t LIKE ''",
        "t LIKE 'a\\\\_b%'",
        "t LIKE 'a_b%'",
        "startswith(t, 'a%')",
        "NOT startswith(t, 'Stra\u00df')",
        "NOT t LIKE '\u65e5\u672c%'",
        "NOT (startswith(t, 'Item') AND id < 500)"
      )
      (indexed ++ multiByte ++ TestRun.sample(5, others)).foreach(c => assert(where(c) > 0, c))
      assert(where("startswith(t, 'none')") == 0 && where("NOT startswith(t, '')") == 0)
      indexed.foreach { c =>
        val plan = query(s"EXPLAIN SELECT id FROM used WHERE $c", usesIndex = true).head()
        assert(plan.getString(0).contains(s"index $kind t ($kind, 3 of 3 fragments)"), c)
      }
      multiByte.foreach(c => assert(isIndexed(c) == (kind != "NGRAM"), c))
    }

  test("collated strings") {
    assume(SparkLine.isFrom("4.0"), "Spark has collations since 4.0")
    spark.sql(
      s"CREATE TABLE lance.`$path` (id BIGINT, lower STRING COLLATE UTF8_LCASE, plain STRING, " +
        "unicode STRING COLLATE UNICODE_CI)"
    )
    spark.range(0, 600, 1, 1).selectExpr(
      "id",
      "IF(id % 7 = 1, NULL, concat(IF(id % 2 = 0, 'Word', 'wORD'), id % 49)) AS lower",
      "IF(id % 7 = 2, NULL, concat(IF(id % 2 = 0, 'Word', 'wORD'), id % 49)) AS plain",
      "IF(id % 7 = 3, NULL, concat(IF(id % 2 = 0, 'Stra\u00dfe', 'STRASSE'), id % 49)) AS unicode"
    ).createOrReplaceTempView("more")
    spark.sql(s"INSERT INTO lance.`$path` SELECT * FROM more")
    Seq("BTREE", "BITMAP", "NGRAM", "ZONEMAP").foreach(index(_, "lower", "plain", "unicode"))
    delete("id % 17 = 4")
    val conditions = Seq(
      "lower = 'word7'",
      "lower IN ('WORD7', 'word8')",
      "lower < 'WORD2'",
      "lower >= 'word48' AND lower <= 'WORD5'",
      "startswith(lower, 'WORD4')",
      "contains(lower, 'RD4')",
      "lower LIKE 'wORD%9'",
      "NOT lower = 'word7'",
      "lower IS NULL",
      "unicode = 'strasse7'",
      "unicode = lower COLLATE UNICODE_CI",
      "plain = 'Word8'",
      "plain COLLATE UTF8_LCASE = 'word8'",
      "plain = lower COLLATE UTF8_BINARY"
    )
    TestRun.sample(6, conditions).foreach(where)
    assert(where("lower = 'word10'") > where("plain = 'Word10'"))
    assert(isIndexed("plain = 'Word8'") && !isIndexed("lower = 'word8'"))
    Seq("lower" -> "UTF8_LCASE", "plain" -> "UTF8_BINARY").foreach { case (column, collation) =>
      check(s"SELECT lower(min($column)), lower(max($column)) FROM used")
      check(s"SELECT lower(min($column)), count(*) FROM used GROUP BY $column")
      check(s"SELECT lower($column) FROM used ORDER BY $column LIMIT 5")
      check(s"SELECT count(DISTINCT $column) FROM used")
      check(
        s"SELECT count(*) FROM used u JOIN more m ON u.$column = m.lower COLLATE $collation AND m.id < 9"
      ): Unit
    }
  }
}
