// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder, TestRun, TextFixtures}

/** The metadata column `_score` of queries with a condition on text, compared with `search`. */
class ScoredConditionsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString
  private def table: String = s"lance.`$path`"

  private val first =
    """(1, 'The quick brown fox', 'x', array('lazy', 'dogs'), named_struct('t', 'cat')),
      |(2, 'a brown quick FOX', 'y dog', array('dog', NULL), named_struct('t', 'cats')),
      |(3, 'lazy dogs and a dog', 'fox', NULL, NULL),
      |(4, NULL, NULL, array(), named_struct('t', 'dog')),
      |(5, 'The fox, the foxes, and the lazy dog', 'dog', array('fox dog', 'fox'), named_struct('t', 'a'))"""
      .stripMargin

  private val second =
    """(6, 'a lazy fix', 'foxes', array('dog'), named_struct('t', 'cat cat')),
      |(7, 'no animals', 'quick', array('x', 'dog dog'), NULL),
      |(8, 'fox fox quick brown dogs', NULL, NULL, named_struct('t', 'b'))""".stripMargin

  private def write(rows: String, mode: String, options: (String, String)*): Unit =
    spark.sql(
      s"""SELECT id, t, u, CAST(l AS ARRAY<STRING>) l, CAST(s AS STRUCT<t: STRING>) s
         |FROM VALUES $rows AS r(id, t, u, l, s)""".stripMargin
    ).repartition(1).write.format("lance").mode(mode).options(options.toMap).save(path)

  private def write(): Unit = write(first, "overwrite")

  private def scores(frame: DataFrame): Seq[(Int, Float)] =
    frame.collect().map(r => (r.getInt(0), r.getFloat(1))).toSeq.sorted

  private def scores(query: String): Seq[(Int, Float)] = scores(spark.sql(query))

  /** Returns the highest score of each row. */
  private def searched(query: String, arguments: String): Seq[(Int, Float)] = scores(
    s"SELECT id, max(_score) FROM search('$path', $query, 1000, $arguments) GROUP BY id"
  )

  private def scored(condition: String): Seq[(Int, Float)] =
    scores(s"SELECT id, _score FROM $table WHERE $condition")

  private def ids(query: String): Seq[Int] =
    spark.sql(query).collect().map(_.getInt(0)).toSeq.sorted

  private def failure(run: => Any): String = {
    val thrown = intercept[Exception](run)
    Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null).map(_.getMessage)
      .mkString("\n")
  }

  private def rejects(query: String): Assertion = {
    val message = failure(spark.sql(query).collect())
    assert(
      message.contains("_score") && message.contains("search(table, query"),
      s"$query: $message"
    )
  }

  private val cases: Seq[(String, (String, String))] = Seq(
    "lance_match(t, 'quick fox')" -> ("'quick fox'" -> "search_columns => 't'"),
    "lance_match(t, 'fox fox dog')" -> ("'fox fox dog'" -> "search_columns => 't'"),
    "lance_match(t, 'quick dog', 'operator=AND')" ->
      ("'quick dog'" -> "search_columns => 't', operator => 'AND'"),
    "lance_match_phrase(t, 'quick brown')" ->
      ("'quick brown'" -> "search_columns => 't', slop => 0"),
    "lance_match_phrase(t, 'quick fox', 1)" ->
      ("'quick fox'" -> "search_columns => 't', slop => 1"),
    "lance_multi_match('fox dog', t, u)" -> ("'fox dog'" -> "search_columns => 't,u'"),
    "lance_multi_match('quick dog', 'operator=AND', t, u)" ->
      ("'quick dog'" -> "search_columns => 't,u', operator => 'AND'"),
    "lance_match(l, 'dog lazy')" -> ("'dog lazy'" -> "search_columns => 'l'"),
    "lance_match(s.t, 'cat')" -> ("'cat'" -> "search_columns => 's.t'"),
    "lance_match(t, 'fox', 'fuzziness=1')" ->
      ("'fox'" -> "search_columns => 't', fuzziness => 1, max_expansions => 100000"),
    "lance_match(t, 'brwn doge', 'fuzziness=auto, operator=AND')" ->
      ("'brwn doge'" ->
        "search_columns => 't', fuzziness => 'auto', operator => 'AND', max_expansions => 100000"),
    "lance_match(t, 'fox', 'boost=2.5')" ->
      ("'{\"match\": {\"column\": \"t\", \"terms\": \"fox\", \"boost\": 2.5}}'" -> "offset => 0"),
    "lance_match(t, 'fox', 'boost=0')" ->
      ("'{\"match\": {\"column\": \"t\", \"terms\": \"fox\", \"boost\": 0}}'" -> "offset => 0"),
    "lance_match(t, 'the of')" -> ("'the of'" -> "search_columns => 't'"),
    "lance_match(t, 'zebra')" -> ("'zebra'" -> "search_columns => 't'")
  )

  private var checks = 0

  /** Checks all cases, or another third of them each time in a short run. */
  private def check(): Unit = {
    checks += 1
    TestRun.share(checks, 3, cases).foreach { case (condition, (query, arguments)) =>
      val found = scored(condition)
      assert(found == searched(query, arguments), condition)
      assert(found.map(_._1) == ids(s"SELECT id FROM $table WHERE $condition"), condition)
    }
  }

  Seq(false, true).foreach { stable =>
    test(s"scores and rows of all conditions, with an index and without, stable row ids: $stable") {
      write(first, "overwrite", "enableStableRowIds" -> stable.toString)
      check()
      Seq("t", "u", "l", "s.t").foreach { column =>
        val positions = if (column == "t") "OPTIONS (with_position = true)" else ""
        spark.sql(
          s"CREATE INDEX i_${column.replace('.', '_')} ON $table USING inverted ($column) $positions"
        )
      }
      check()
      write(second, "append")
      check()
      spark.sql(s"DELETE FROM $table WHERE id IN (2, 7)")
      check()
      spark.sql(s"DELETE FROM $table")
      assert(TestRun.sample(4, cases).forall(c => scored(c._1).isEmpty))
    }
  }

  test("other conditions, orders, limits, and aggregates") {
    write()
    write(second, "append")
    val all = searched("'fox'", "search_columns => 't'")
    val byScore = all.sortBy(r => (-r._2, r._1))
    val match1 = "lance_match(t, 'fox')"
    assert(scored(s"$match1 AND id > 1 AND u <> 'fox'") ==
      all.filter(r => Set(2, 5)(r._1)))
    assert(scored(s"id > 1 AND $match1 AND (u IS NULL OR NOT lance_match(t, 'quick'))") ==
      all.filter(r => Set(5, 8)(r._1)))
    val middle = (byScore(1)._2 + byScore(2)._2) / 2
    assert(scored(s"$match1 AND _score > $middle") == all.filter(_._2 > middle))
    assert(spark.sql(s"SELECT max(_score), count(*) FROM $table WHERE $match1").head() ==
      Row(byScore.head._2, 4L))
    assert(ids(s"SELECT id FROM $table WHERE $match1 AND _score IS NOT NULL") == all.map(_._1))
    assert(ids(s"SELECT count(_score) :: INT FROM $table WHERE $match1") == Seq(4))
    assert(spark.sql(s"SELECT DISTINCT _score IS NULL FROM $table WHERE $match1").collect().toSeq ==
      Seq(Row(false)))
    def best(query: String): Seq[Int] = spark.sql(query).collect().map(_.getInt(0)).toSeq
    val order = s"SELECT id FROM $table WHERE $match1 ORDER BY _score DESC"
    assert(best(s"$order, id") == byScore.map(_._1))
    assert(best(s"$order, id LIMIT 3") == byScore.map(_._1).take(3))
    assert(best(s"$order LIMIT 1") == Seq(byScore.head._1))
    assert(
      best(s"SELECT id FROM $table WHERE $match1 AND id < 3 ORDER BY _score DESC, id LIMIT 1") ==
        byScore.map(_._1).filter(_ < 3).take(1)
    )
    assert(best(s"SELECT id FROM $table WHERE $match1 ORDER BY _score, id DESC LIMIT 2") ==
      byScore.map(_._1).reverse.take(2))
    assert(best(s"SELECT id, _score FROM $table WHERE $match1 LIMIT 2").length == 2)
    def plan(query: String): String = spark.sql(s"EXPLAIN $query").head().getString(0)
    assert(plan(s"$order LIMIT 2").contains("full-text search in t (k 2)"))
    assert(plan(s"SELECT _score FROM $table WHERE $match1 LIMIT 2").contains("(k 2)"))
    Seq(
      s"$order, id LIMIT 2",
      s"SELECT id FROM $table WHERE $match1 ORDER BY _score LIMIT 2",
      s"SELECT id FROM $table WHERE $match1 AND id > 1 ORDER BY _score DESC LIMIT 2",
      order
    ).foreach(query => assert(plan(query).contains("full-text search in t (all rows)"), query))
    // Without the score, the condition remains a filter.
    Seq("id", "_rowid", "id, _rowaddr", "count(*)").foreach { selected =>
      assert(!plan(s"SELECT $selected FROM $table WHERE $match1").contains("full-text search"))
    }
  }

  test("other metadata columns") {
    write(first, "overwrite", "enableStableRowIds" -> "true")
    write(second, "append")
    spark.sql(s"UPDATE $table SET u = 'new' WHERE id = 5")
    val others = Seq("_rowid", "_rowaddr", "_rowoffset", "_fragid", "_row_created_at_version") ++
      Seq("_row_last_updated_at_version", "_file", "_deleted")
    val condition = "lance_match(t, 'fox')"
    val plain = spark.sql(s"SELECT id, ${others.mkString(", ")} FROM $table WHERE $condition")
    val withScore =
      spark.sql(s"SELECT id, ${others.mkString(", ")}, _score FROM $table WHERE $condition")
    assert(withScore.drop("_score").collect().toSet == plain.collect().toSet)
    val everything =
      spark.sql(s"SELECT *, ${others.mkString(", ")}, _score FROM $table WHERE $condition")
    assert(everything.count() == 4 && everything.columns.length == 14)
    assert(spark.sql(s"SELECT * FROM $table WHERE $condition").columns.toSeq ==
      Seq("id", "t", "u", "l", "s"))
  }

  test("joins, UNION, common table expressions, subqueries, and views") {
    write()
    write(second, "append")
    val fox = searched("'fox'", "search_columns => 't'")
    val dog = searched("'dog'", "search_columns => 'u'")
    val both = for ((a, x) <- fox; (b, y) <- dog if a == b) yield Row(a, x, b, y)
    val joined =
      s"""SELECT a.id, a._score, b.id, b._score FROM $table a JOIN $table b ON a.id = b.id
         |WHERE lance_match(a.t, 'fox') AND lance_match(b.u, 'dog')""".stripMargin
    assert(both.nonEmpty && spark.sql(joined).collect().toSet == both.toSet)
    assert(scores(
      s"""SELECT r.id :: INT, x._score FROM range(6) r JOIN $table x
         |ON r.id = x.id AND lance_match(t, 'fox')""".stripMargin
    ) == fox.filter(_._1 < 6))
    // Rows without a match have no score.
    val outer = spark.sql(
      s"""SELECT r.id, x._score FROM range(1, 4) r LEFT JOIN $table x
         |ON r.id = x.id AND lance_match(t, 'fox')""".stripMargin
    ).collect().map(r => r.getLong(0).toInt -> Option(r.get(1))).toMap
    assert(outer == (1 to 3).map(i => i -> fox.find(_._1 == i).map(_._2)).toMap)
    assert(scores(
      s"""SELECT id, _score FROM $table WHERE lance_match(t, 'fox')
         |UNION ALL SELECT id + 10, _score FROM $table WHERE lance_match(u, 'dog')""".stripMargin
    ) == fox ++ dog.map(r => (r._1 + 10, r._2)))
    assert(scores(
      s"""WITH c AS (SELECT *, _score AS score FROM $table WHERE lance_match(t, 'fox'))
         |SELECT a.id, a.score FROM c a JOIN c b ON a.id = b.id""".stripMargin
    ) == fox)
    // Filters reach the table through the columns of an inner query.
    val inner = s"(SELECT id, t AS w, upper(u) AS u, _score AS points FROM $table)"
    assert(scores(s"SELECT id, points FROM $inner WHERE lance_match(w, 'fox') AND id > 0") == fox)
    val top = fox.map(_._2).max
    assert(ids(
      s"""SELECT id FROM $table WHERE id IN (SELECT id FROM $table
         |WHERE lance_match(t, 'fox') AND _score > ${top - 0.001f})""".stripMargin
    ) == fox.filter(_._2 == top).map(_._1))
    assert(spark.sql(
      s"""SELECT (SELECT max(_score) FROM $table WHERE lance_match(t, 'fox')),
         |(SELECT max(_score) FROM $table WHERE lance_match(u, 'dog'))""".stripMargin
    ).head() == Row(top, dog.map(_._2).max))
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY VIEW scored_texts AS SELECT id, t AS w, _score FROM $table"
    )
    try {
      assert(scores("SELECT id, _score FROM scored_texts WHERE lance_match(w, 'fox')") == fox)
      rejects("SELECT id, _score FROM scored_texts")
      assert(ids("SELECT id FROM scored_texts") == (1 to 8))
    } finally spark.sql("DROP VIEW scored_texts"): Unit
  }

  test("data frames, also cached ones") {
    write()
    val fox = searched("'fox'", "search_columns => 't'")
    val frame = spark.read.format("lance").load(path)
    assert(!frame.columns.contains("_score"))
    val condition = expr("lance_match(t, 'fox')")
    assert(scores(frame.where(condition).select("id", "_score")) == fox)
    assert(scores(frame.where(condition).select(col("id"), frame.metadataColumn("_score"))) == fox)
    assert(scores(frame.select("id", "t", "_score").where(condition).drop("t")) == fox)
    val cached = frame.where(condition).select("id", "_score").cache()
    try assert(scores(cached) == fox && scores(cached.where("_score > 0")) == fox)
    finally cached.unpersist(): Unit
    val whole = frame.cache()
    try assert(whole.count() == 5 && scores(whole.where(condition).select("id", "_score")) == fox)
    finally whole.unpersist(): Unit
  }

  test("versions, tags, and branches") {
    write()
    val before = scored("lance_match(t, 'fox')")
    spark.sql(s"ALTER TABLE $table CREATE TAG old")
    spark.sql(s"ALTER TABLE $table CREATE BRANCH side")
    write(second, "append")
    val after = scored("lance_match(t, 'fox')")
    assert(after.length == 4 && before.length == 3)
    def at(clause: String): Seq[(Int, Float)] =
      scores(s"SELECT id, _score FROM $table $clause WHERE lance_match(t, 'fox')")
    assert(at("VERSION AS OF 1") == before && at("VERSION AS OF 'old'") == before)
    assert(at("VERSION AS OF 'side'") == before && at("VERSION AS OF 2") == after)
    val options = Seq("versionAsOf" -> "1", "tag" -> "old", "branch" -> "side")
    options.foreach { option =>
      val frame = spark.read.format("lance").options(Map(option)).load(path)
      assert(scores(frame.where("lance_match(t, 'fox')").select("id", "_score")) == before, option)
    }
    val named = spark.read.options(Map("versionAsOf" -> "1")).table(table)
    assert(scores(named.where("lance_match(t, 'fox')").select("id", "_score")) == before)
  }

  test("list elements and JSON documents") {
    write()
    val elements = "lance_match(l, 'fox dog', 'document_granularity=list_element')"
    def same(): Assertion = assert(
      scored(elements) == searched(
        "'fox dog'",
        "search_columns => 'l', document_granularity => 'list_element'"
      )
    )
    same()
    spark.sql(
      s"CREATE INDEX i ON $table USING inverted (l) OPTIONS (document_granularity = 'list_element')"
    )
    same()
    assert(scored("lance_match(l, 'fox dog')") == scored(elements))
    write(second, "append")
    same()
    assert(scored(elements).map(_._1) == ids(s"SELECT id FROM $table WHERE $elements"))
    assert(failure(scored("lance_multi_match('dog', l, t)")).contains("list elements"))
    spark.sql(
      """SELECT * FROM VALUES (1, '{"user": {"name": "Ann Fox"}, "tags": ["a", "foxes"]}'),
        |(2, '{"user": {"name": "Bob"}, "tags": ["fox hunting"]}') AS r(id, e)""".stripMargin
    ).write.format("lance").option("column.e.lance.type", "json")
      .mode("overwrite").option("overwriteSchema", "true").save(path)
    val documents = "lance_match(e, 'tags,str,fox hunting')"
    Seq("", s"CREATE INDEX j ON $table USING inverted (e)").foreach { statement =>
      if (statement.nonEmpty) spark.sql(statement)
      val found = scored(documents)
      assert(found.length == 2)
      assert(found == searched("'tags,str,fox hunting'", "search_columns => 'e'"))
    }
  }

  test("an index with another analyzer") {
    write()
    spark.sql(
      s"CREATE INDEX w ON $table USING inverted (t) OPTIONS (stem = false, lower_case = false)"
    )
    assert(scored("lance_match(t, 'FOX')").map(_._1) == Seq(2))
    val other = s"lance.`${folder.resolve("other")}`"
    spark.sql(s"CREATE TABLE $other AS SELECT id, t FROM $table")
    // Spark infers the condition on the other table, whose texts are split differently.
    val joined = s"FROM $table a JOIN $other b ON a.t = b.t WHERE lance_match(a.t, 'FOX')"
    assert(scores(s"SELECT a.id, a._score $joined").map(_._1) == Seq(2))
    assert(failure(spark.sql(s"SELECT b.id, b._score $joined").collect()).contains("_score"))
    val frame = spark.read.format("lance").load(path).where("lance_match(t, 'FOX')")
    assert(frame.select("_score").count() == 1)
  }

  test("the column _score is rejected without a single condition on text") {
    write()
    val match1 = "lance_match(t, 'fox')"
    Seq(
      s"SELECT _score FROM $table",
      s"SELECT id FROM $table WHERE _score > 1",
      s"SELECT id FROM $table ORDER BY _score LIMIT 1",
      s"SELECT max(_score) FROM $table",
      s"SELECT _score, count(*) FROM $table GROUP BY _score",
      s"SELECT DISTINCT _score FROM $table",
      s"SELECT _score FROM $table WHERE $match1 OR id = 1",
      s"SELECT _score FROM $table WHERE NOT $match1",
      s"SELECT _score FROM $table WHERE $match1 AND lance_match(t, 'dog')",
      s"SELECT _score FROM $table WHERE lance_match(upper(t), 'FOX')",
      s"SELECT _score FROM (SELECT *, _score FROM $table LIMIT 3) WHERE $match1",
      s"SELECT _score, $match1 FROM $table",
      s"SELECT a._score FROM $table a JOIN $table b ON a.id = b.id WHERE lance_match(b.u, 'dog')",
      s"SELECT a.id, a._score FROM $table a LEFT JOIN $table b ON a.id = b.id AND lance_match(a.t, 'fox')",
      s"DELETE FROM $table WHERE _score > 1",
      s"DELETE FROM $table WHERE $match1 AND _score > 1",
      s"UPDATE $table SET u = _score WHERE $match1",
      s"UPDATE $table SET u = 'a' WHERE $match1 AND _score > 1",
      s"UPDATE $table SET u = 'a' WHERE _score IS NULL"
    ).foreach(rejects)
    val merge = s"MERGE INTO $table x USING (SELECT * FROM range(9)) s " +
      "ON x.id = s.id AND lance_match(x.t, 'fox')"
    rejects(s"$merge AND x._score > 0 WHEN MATCHED THEN UPDATE SET u = 'a'")
    rejects(s"$merge WHEN MATCHED AND _score > 0 THEN DELETE")
    rejects(s"$merge WHEN MATCHED THEN UPDATE SET u = x._score")
    assert(failure(spark.sql(s"UPDATE $table SET _score = 1")).contains("_score"))
    assert(ids(s"SELECT id FROM $table WHERE u = 'a'").isEmpty)
    assert(ids(s"SELECT id FROM $table") == (1 to 5))
    val deleted = spark.read.format("lance").option("includeDeletedRows", "true").load(path)
    assert(failure(deleted.where(match1).select("_score").collect()).contains("includeDeletedRows"))
    val stream = spark.readStream.format("lance").load(path).where(match1).select("_score")
    assert(failure {
      val query = stream.writeStream.format("noop")
        .option("checkpointLocation", folder.resolve("checkpoint").toString).start()
      try query.processAllAvailable()
      finally query.stop()
    }.contains("_score"))
  }

  test("statements with other metadata columns, and with scores in subqueries") {
    write()
    spark.sql(s"UPDATE $table SET u = 'first' WHERE _rowaddr = 0")
    spark.sql(s"UPDATE $table SET u = concat(u, _fragid) WHERE _rowoffset >= 0 AND id = 1")
    assert(ids(s"SELECT id FROM $table WHERE u LIKE 'first%'") == Seq(1))
    val best = s"SELECT id FROM $table WHERE lance_match(t, 'fox') AND _score > 0.4"
    val found = ids(best)
    assert(found.nonEmpty && found.length < 5)
    spark.sql(s"UPDATE $table SET u = 'best' WHERE id IN ($best)")
    assert(ids(s"SELECT id FROM $table WHERE u = 'best'") == found)
    spark.sql(
      s"""MERGE INTO $table x USING (SELECT id, _score FROM $table WHERE lance_match(t, 'fox')) s
         |ON x.id = s.id WHEN MATCHED AND s._score > 0.4 AND _score > 0 THEN UPDATE SET u = 'merged'"""
        .stripMargin
    )
    assert(ids(s"SELECT id FROM $table WHERE u = 'merged'") == found)
    spark.sql(s"DELETE FROM $table WHERE id IN ($best)")
    assert(ids(s"SELECT id FROM $table") == (1 to 5).filterNot(found.contains))
  }

  test("a column of the table with the name of the score") {
    spark.sql(s"CREATE TABLE $table AS SELECT 1 AS id, 'a fox' AS t, 7.5F AS _Score")
    assert(scored("lance_match(t, 'fox')") == Seq((1, 7.5f)))
    assert(scored("id = 1 OR lance_match(t, 'fox')") == Seq((1, 7.5f)))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try assert(failure(scored("lance_match(t, 'fox')")).contains("rename the column"))
    finally spark.conf.unset("spark.sql.caseSensitive")
  }

  private val searched = TextFixtures.cases.filter(_.family.startsWith("fts"))

  TestRun.sample(12, searched).foreach { c =>
    test(s"scores of the rows of a condition: ${c.name}") {
      val path = c.path.toAbsolutePath
      def rows(query: String): Seq[Seq[Any]] = spark.sql(query).collect().map(_.toSeq).toSeq
      val searched = s"search('$path', 'not over quick dogs', 100000, search_columns => 't'"
      val where = s"FROM lance.`$path` WHERE lance_match(t, 'not over quick dogs')"
      val found = rows(s"SELECT id, _score $where")
      assert(found.map(_.head).toSet == rows(s"SELECT id $where").map(_.head).toSet)
      val ofSearches = Seq(")", ", use_index => false)")
        .map(end => rows(s"SELECT id, _score FROM $searched$end").toSet)
      assert(ofSearches.contains(found.toSet))
    }
  }
}
