// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

/** `lance_match`, `lance_match_phrase`, and `lance_multi_match`. */
class TextConditionsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString
  private def table: String = s"lance.`$path`"

  private def write(): Unit =
    spark.sql(
      """SELECT * FROM VALUES
        |  (1, 'The quick brown fox', 'x', array('lazy', 'dogs'), named_struct('t', 'cat')),
        |  (2, 'a brown quick FOX', 'y', array('dog', NULL), named_struct('t', 'cats')),
        |  (3, 'lazy dogs', 'fox', NULL, NULL),
        |  (4, NULL, NULL, array(), named_struct('t', 'dog')) AS r(id, t, u, l, s)""".stripMargin
    ).repartition(1).write.format("lance").mode("overwrite").save(path)

  private def ids(condition: String): Set[Int] =
    spark.sql(s"SELECT id FROM $table WHERE $condition").collect().map(_.getInt(0)).toSet

  private def failure(condition: String): String =
    intercept[Exception](ids(condition)).getMessage

  test("conditions match the rows of searches, in all kinds of columns") {
    write()
    assert(ids("lance_match(t, 'foxes')") == Set(1, 2))
    assert(ids("lance_match(t, 'quick dog')") == Set(1, 2, 3))
    assert(ids("lance_match(t, 'quick brown', 'operator=AND')") == Set(1, 2))
    assert(ids("lance_match(t, 'quick dog', 'operator=and, boost=2')").isEmpty)
    assert(ids("lance_match_phrase(t, 'quick brown')") == Set(1))
    assert(ids("lance_match_phrase(t, 'quick fox', 1)") == Set(1, 2))
    assert(ids("lance_multi_match('fox', t, u)") == Set(1, 2, 3))
    assert(ids("lance_multi_match('quick fox', 'operator=AND', t, u)") == Set(1, 2))
    assert(ids("lance_match(l, 'dog')") == Set(1, 2) && ids("lance_match(s.t, 'cat')") == Set(1, 2))
    // A list is one text.
    assert(ids("lance_match_phrase(l, 'lazy dog')") == Set(1))
    assert(ids("lance_match(l, 'lazy dog', 'operator=AND')") == Set(1))
    // The text of row 4 is null, and so is the condition.
    assert(ids("NOT lance_match(t, 'fox')") == Set(3))
    assert(ids("lance_match(t, 'the of')").isEmpty && ids("lance_match(t, '')").isEmpty)
    assert(ids("id < 2 OR lance_match(t, 'dog') AND id > 2") == Set(1, 3))
    val search = spark.sql(s"SELECT id FROM search('$path', 'fox dog', 9, search_columns => 't')")
    assert(search.collect().map(_.getInt(0)).toSet == ids("lance_match(t, 'fox dog')"))
  }

  test("the analyzer of the index applies, also in views, joins, and commands") {
    write()
    Pylance.run(
      "dataset(path).create_scalar_index('t', 'INVERTED', stem=False, lower_case=False)\nresult = None",
      "path" -> path
    )
    assert(ids("lance_match(t, 'foxes')").isEmpty && ids("lance_match(t, 'FOX')") == Set(2))
    assert(ids("lance_match(u, 'foxes')") == Set(3))
    val renamed = s"(SELECT id, w FROM (SELECT id, t AS w FROM $table) WHERE id < 9)"
    def count(sql: String): Long = spark.sql(sql).head().getLong(0)
    assert(count(s"SELECT count(*) FROM $renamed WHERE lance_match(w, 'FOX')") == 1)
    assert(count(
      s"SELECT count(*) FROM $table a JOIN range(3) b ON a.id = b.id AND lance_match(t, 'FOX')"
    ) == 1)
    assert(count(s"SELECT count(*) FROM $table WHERE lance_match(t, 'fox')") == 1)
    assert(count(s"SELECT count(*) FROM search('$path', 'quick') WHERE lance_match(t, 'FOX')") == 1)
    assert(count(
      s"SELECT count(*) FROM range(9) WHERE id IN (SELECT id FROM $table WHERE lance_match(t, 'FOX'))"
    ) == 1)
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY VIEW matched_texts AS SELECT id, t AS w, s FROM $table"
    )
    try assert(count("SELECT count(*) FROM matched_texts WHERE lance_match(w, 'FOX')") == 1)
    finally spark.sql("DROP VIEW matched_texts"): Unit
    assert(count(
      s"""SELECT count(*) FROM $table a WHERE EXISTS (
         |  SELECT 1 FROM range(9) b WHERE b.id = a.id AND lance_match(a.t, 'FOX'))""".stripMargin
    ) == 1)
    val common = s"WITH c AS (SELECT id, t AS w FROM $table)"
    assert(count(
      s"$common SELECT count(*) FROM c a JOIN c b ON a.id = b.id WHERE lance_match(b.w, 'FOX')"
    ) == 1)
    assert(count(
      s"$common SELECT count(*) FROM range(9) WHERE id IN (SELECT id FROM c WHERE lance_match(w, 'FOX'))"
    ) == 1)
    spark.sql(s"UPDATE $table SET u = 'seen' WHERE lance_match(t, 'FOX')")
    assert(ids("u = 'seen'") == Set(2))
    spark.sql(s"DELETE FROM $table WHERE lance_match(t, 'foxes') OR lance_match(t, 'fox')")
    assert(ids("true") == Set(2, 3, 4))
  }

  test("the analyzer of the index of a CHAR column applies") {
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.text")
    spark.sql("DROP TABLE IF EXISTS lake.text.padded")
    spark.sql("CREATE TABLE lake.text.padded (id INT, c CHAR(9))")
    spark.sql("INSERT INTO lake.text.padded VALUES (1, 'fox'), (2, 'FOX')")
    spark.sql(
      """CREATE INDEX words ON lake.text.padded USING inverted (c)
        |OPTIONS (stem = false, lower_case = false)""".stripMargin
    )
    val found = spark.sql("SELECT id FROM lake.text.padded WHERE lance_match(c, 'FOX')")
    assert(found.collect().map(_.getInt(0)).toSeq == Seq(2))
  }

  private def deleteIndexFiles(isDeleted: String => Boolean): Unit = {
    val files = Files.walk(folder.resolve("t").resolve("_indices"))
    try
      files.iterator.asScala.filter(f =>
        Files.isRegularFile(f) && isDeleted(f.getFileName.toString)
      )
        .toList.foreach(Files.delete(_))
    finally files.close()
  }

  test("texts are read with the recorded analyzer if the index of their column cannot be read") {
    write()
    Pylance.run(
      """
      from lance.query import DocumentGranularity
      elements = DocumentGranularity.LIST_ELEMENT
      dataset(path).create_scalar_index('t', 'INVERTED', stem=False, custom_stop_words=['quick'])
      dataset(path).create_scalar_index('l', 'INVERTED', document_granularity=elements)
      result = None
      """,
      "path" -> path
    )
    def check(stopWord: Set[Int]): Assertion = {
      assert(ids("lance_match(t, 'foxes')").isEmpty && ids("lance_match(t, 'fox')") == Set(1, 2))
      assert(ids("lance_match(t, 'quick')") == stopWord)
      assert(ids("lance_match(l, 'lazy dog', 'operator=AND')").isEmpty)
      val search = spark.sql(s"SELECT * FROM search('$path', 'lazy dog', search_columns => 'l')")
      val elements =
        search.collect().map(r => r.getAs[Int]("id") -> r.getAs[Seq[Long]]("_doc_index"))
      assert(elements.toSet == Set(1 -> Seq(0L), 1 -> Seq(1L), 2 -> Seq(0L)))
    }
    check(Set.empty)
    deleteIndexFiles(_.startsWith("part_"))
    check(Set.empty)
    // The manifest does not contain custom stop words.
    deleteIndexFiles(_ => true)
    check(Set(1, 2))
    val fast = s"SELECT id FROM search('$path', 'fox', search_columns => 't', fast_search => true)"
    assert(intercept[Exception](spark.sql(fast).collect()).getMessage.contains("fast_search"))
    assert(ids("lance_match(u, 'fox')") == Set(3))
  }

  test("conditions also apply to texts that are not columns") {
    val found =
      spark.sql("SELECT lance_match('Quick foxes', 'fox'), lance_match(NULL, 'fox')").head()
    assert(found.getBoolean(0) && found.isNullAt(1))
    val lists = spark.sql(
      "SELECT lance_multi_match('fox', array('quick fox'), 'dog'), " +
        "lance_multi_match('quick fox', 'operator=AND', array('quick', 'fox'), 'dog')"
    ).head()
    assert(lists.getBoolean(0) && lists.getBoolean(1))
    val many =
      spark.range(2000).selectExpr("concat('w', id % 7) AS t").where("lance_match(t, 'w3')")
    assert(many.count() == 286)
  }

  test("similar words are found, with an index and without") {
    write()
    def check() = {
      assert(ids("lance_match(t, 'fix', 'fuzziness=1')") == Set(1, 2))
      assert(ids("lance_match(t, 'fix', 'fuzziness=1, prefix_length=2')").isEmpty)
      assert(ids("lance_match(t, 'quack laxy', 'fuzziness=1, operator=AND')").isEmpty)
      assert(ids("lance_match(t, 'quack braun', 'fuzziness=2, operator=AND')") == Set(1, 2))
      assert(ids("lance_match(t, 'Foxe', 'fuzziness=auto')") == Set(1, 2))
      assert(ids("lance_multi_match('fix', 'fuzziness=1', t, u)") == Set(1, 2, 3))
      assert(ids("NOT lance_match(t, 'fix', 'fuzziness=1')") == Set(3))
    }
    check()
    spark.sql(s"CREATE INDEX words ON $table USING inverted (t)")
    check()
  }

  test("queries are constant expressions") {
    write()
    assert(ids("lance_match(t, nvl('fox', 'x'))") == Set(1, 2))
    assert(ids("lance_match(t, concat('f', nvl(NULL, 'ox')), 'operator=AND')") == Set(1, 2))
  }

  test("the sides of UNION ALL keep their analyzers, and a condition on both needs one analyzer") {
    write()
    val other = s"lance.`${folder.resolve("other")}`"
    spark.sql(s"CREATE TABLE $other AS SELECT id + 10 AS id, t FROM $table")
    spark.sql(
      s"CREATE INDEX words ON $other USING inverted (t) OPTIONS (stem = false, lower_case = false)"
    )
    def found(query: String): Set[Int] =
      spark.sql(query).collect().map(_.getInt(0)).toSet
    def sides(condition: String): String =
      s"SELECT id FROM $table WHERE $condition UNION ALL SELECT id FROM $other WHERE $condition"
    assert(found(sides("lance_match(t, 'FOX')")) == Set(1, 2, 12))
    val both = s"(SELECT id, t FROM $table UNION ALL SELECT id, t AS x FROM $other)"
    val queries = Seq(
      s"SELECT id FROM $both WHERE lance_match(t, 'FOX')",
      s"SELECT id FROM (SELECT id, t AS w FROM $both) WHERE lance_match(w, 'FOX')",
      s"WITH c AS $both SELECT id FROM c WHERE lance_match(t, 'FOX')",
      s"SELECT id FROM $both b WHERE EXISTS (SELECT 1 FROM range(2) WHERE lance_match(b.t, 'FOX'))"
    )
    queries.foreach { query =>
      assert(intercept[Exception](found(query)).getMessage.contains("several columns"), query)
    }
    spark.sql(s"DROP INDEX words ON $other")
    queries.foreach(query => assert(found(query) == Set(1, 2, 11, 12), query))
  }

  test("the score of a search in a join with the rows of a condition") {
    write()
    val joined = spark.sql(
      s"""SELECT r.id, s._score > 0 FROM $table r
         |JOIN search('$path', 'fox', 1000, search_columns => 't', with_row_id => true) s
         |ON r._rowid = s._rowid WHERE lance_match(r.t, 'fox')""".stripMargin
    )
    assert(joined.collect().map(r => (r.getInt(0), r.getBoolean(1))).toSet == Set(
      (1, true),
      (2, true)
    ))
  }

  test("invalid arguments are rejected by name") {
    write()
    assert(failure("lance_match(t)").contains("1 arguments"))
    assert(failure("lance_match(id, 'fox')").contains("type INT"))
    assert(failure("lance_match(t, u)").contains("not constant"))
    assert(failure("lance_match(t, NULL)").contains("the query is null"))
    assert(failure("lance_match(t, array('fox'))").contains("the query has the type ARRAY"))
    assert(
      failure("lance_match(t, 'fox', array('a'))").contains("the option list has the type ARRAY")
    )
    assert(failure("lance_multi_match('fox', 1, t)").contains("a text has the type INT"))
    assert(failure("lance_match(t, 'fox', 'fuzziness=1, maxExpansions=9')").contains(
      "finds all similar words"
    ))
    assert(failure("lance_match(t, CAST(1 / 0 AS STRING))").contains("the query is"))
    assert(failure("lance_match(t, 'fox', 'flavor=1')").contains("no argument flavor"))
    Seq("column=u", "k=1", "filter=id > 1", "useIndex=false").foreach { option =>
      assert(failure(s"lance_match(t, 'fox', '$option')").contains("for the table function search"))
    }
    Seq("x", "-1", "NaN", "Infinity", "1e39", "").foreach { boost =>
      assert(failure(s"lance_match(t, 'fox', 'boost=$boost')").contains(s"boost is '$boost'"))
    }
    assert(failure("lance_match(t, 'fox', 'boost=1, boost=2')").contains("given twice"))
    assert(failure("lance_match(t, 'fox', 'AND')").contains("name=value"))
    assert(failure("lance_match_phrase(t, 'fox', -1)").contains("slop must be"))
    assert(failure("lance_match(t, '{\"match\": {}}')").contains("JSON"))
  }
}
