// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.text.query._
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Searches with and without skipping and an index find the same rows and scores as pylance.
  */
class PylanceSearchSuite extends AnyFunSuite with TemporaryFolder {

  /** Returns words with the frequencies of a natural language. */
  private def word(random: Random): String = s"w${(math.pow(random.nextDouble(), 3) * 300).toInt}"

  private def write(options: String, stable: Boolean = false): String = {
    val path = folder.resolve(s"t${options.hashCode}").toString
    val random = new Random(options.hashCode)
    val texts = IndexedSeq.fill(20000)(Seq.fill(1 + random.nextInt(12))(word(random)).mkString(" "))
    Pylance.run(
      s"""
      write({'id': list(range(len(texts))), 't': texts}, path, max_rows_per_file=7000,
            enable_stable_row_ids=stable)
      dataset(path).create_scalar_index('t', 'INVERTED', stem=False, $options)
      result = None
      """,
      "path" -> path,
      "texts" -> texts,
      "stable" -> stable
    )
    path
  }

  private def reference(path: String, query: String, limit: Int): IndexedSeq[Float] =
    Pylance.run(
      s"""
      import lance.query as Q
      q = $query
      # With a limit, the reference counts deleted rows.
      t = dataset(path).scanner(columns=['id', '_score'], full_text_query=q).to_table()
      result = sorted(t['_score'].to_pylist(), reverse=True)[:limit]
      """,
      "path" -> path,
      "limit" -> limit
    ).elements.asScala.map(_.floatValue).toIndexedSeq

  private def isNear(a: Float, b: Float): Boolean = math.abs(a - b) <= 1e-4f * math.abs(b)

  private def assertNear(found: IndexedSeq[Float], wanted: IndexedSeq[Float]): Assertion = {
    assert(found.length == wanted.length)
    found.zip(wanted).foreach { case (a, b) => assert(isNear(a, b), s"$found, not $wanted") }
    succeed
  }

  Seq("with_position=True", "block_size=256, with_position=True", "format_version=1").foreach {
    options =>
      test(s"an index with $options") {
        val path = write(options)
        val table = new SearchedTable(path)
        val random = new Random(3)
        (1 to 30).foreach { i =>
          val words = Seq.fill(1 + random.nextInt(4))(word(random)).mkString(" ")
          val operator = if (i % 3 == 0) Operator.And else Operator.Or
          val query = MatchQuery(words, Some("t"), operator = operator)
          val all = table.search(query)
          val limit = 1 + random.nextInt(40)
          // Equal scores are ordered by row.
          assert(table.search(query, Some(limit)) == all.take(limit))
          val kept = (id: Long) => id % 7 == 3 || id > 19000
          assert(table.search(query, Some(limit), Some(kept)) ==
            all.filter(r => kept(r._1)).take(limit))
          if (i % 5 == 0) {
            val python =
              s"Q.MatchQuery('$words', 't', operator=Q.FullTextOperator.${operator.name})"
            assertNear(all.map(_._2).take(limit), reference(path, python, limit))
          }
        }
      }
  }

  test("phrases, with and without an index") {
    val path = write("with_position=True, remove_stop_words=False")
    val table = new SearchedTable(path)
    val random = new Random(4)
    (1 to 20).foreach { i =>
      val words = Seq.fill(2 + random.nextInt(2))(s"w${random.nextInt(6)}").mkString(" ")
      val slop = if (words.count(_ == ' ') > 1) 0 else random.nextInt(4)
      val found = table.search(PhraseQuery(words, Some("t"), slop))
      val scanned = table.search(PhraseQuery(words, Some("t"), slop), useIndex = false)
      assert(found.map(_._1).toSet == scanned.map(_._1).toSet)
      assertNear(found.map(_._2), scanned.map(_._2))
      if (i % 4 == 0)
        assertNear(
          found.map(_._2).take(20),
          reference(path, s"Q.PhraseQuery('$words', 't', slop=$slop)", 20)
        )
    }
  }

  test("rows that the index does not cover, deleted rows, and stable row ids") {
    val path = write("with_position=True, lower_case=True", stable = true)
    val random = new Random(5)
    val texts = IndexedSeq.fill(3000)(Seq.fill(1 + random.nextInt(12))(word(random)).mkString(" "))
    Pylance.run(
      """
      write({'id': list(range(100000, 100000 + len(texts))), 't': texts}, path, mode='append')
      dataset(path).delete('id % 5 = 1')
      dataset(path).optimize.compact_files()
      result = None
      """,
      "path" -> path,
      "texts" -> texts
    )
    val table = new SearchedTable(path)
    (1 to 10).foreach { i =>
      val words = Seq.fill(1 + i % 4)(word(random)).mkString(" ")
      val query = MatchQuery(words, Some("t"))
      val all = table.search(query)
      assert(all.map(_._1).distinct.length == all.length && all.forall(_._1 % 5 != 1))
      assert(table.search(query, Some(25)) == all.take(25))
      assertNear(all.map(_._2).take(25), reference(path, s"Q.MatchQuery('$words', 't')", 25))
    }
  }

  test("combined fields") {
    val path = folder.resolve("combined").toString
    val random = new Random(6)
    def texts(numRows: Int, most: Int) =
      IndexedSeq.fill(numRows)(Seq.fill(random.nextInt(most))(word(random)).mkString(" "))
    Pylance.run(
      """
      write({'id': list(range(len(t))), 't': t, 'u': u}, path, max_rows_per_file=1000)
      for c in ['t', 'u']:
          dataset(path).create_scalar_index(c, 'INVERTED', stem=False)
      write({'id': list(range(10000, 10000 + len(x))), 't': x, 'u': y}, path, mode='append')
      dataset(path).delete('id % 7 = 1')
      result = None
      """,
      "path" -> path,
      "t" -> texts(3000, 12),
      "u" -> texts(3000, 4),
      "x" -> texts(500, 12),
      "y" -> texts(500, 4)
    )
    val table = new SearchedTable(path)
    (1 to 8).foreach { i =>
      val words = Seq.fill(1 + i % 3)(word(random)).mkString(" ")
      val operator = if (i % 2 == 0) Operator.And else Operator.Or
      val query = CombinedFieldsQuery(words, IndexedSeq("t" -> 2f, "u" -> 1f), operator)
      val python = s"Q.CombinedFieldsQuery('$words', ['t', 'u'], boosts=[2.0, 1.0], " +
        s"operator=Q.FullTextOperator.${operator.name})"
      val all = table.search(query).map(_._2)
      assertNear(all, reference(path, python, all.length + 1))
    }
  }

  test("queries in JSON") {
    val query = TextQueryJson.parse(
      """{"boolean": {"must": [{"match": {"terms": "a b", "column": "t", "operator": "and", "fuzziness": "auto"}}],
        |"should": [{"phrase": {"terms": "c d", "slop": 2}}], "must_not": [{"multi_match": {"match_queries":
        |[{"terms": "x", "column": "u", "boost": 2}]}}]}}""".stripMargin
    )
    assert(query == BooleanQuery(
      IndexedSeq(MatchQuery("a b", Some("t"), fuzziness = None, operator = Operator.And)),
      IndexedSeq(PhraseQuery("c d", slop = 2)),
      IndexedSeq(MultiMatchQuery(IndexedSeq(MatchQuery("x", Some("u"), 2f))))
    ))
    assert(
      TextQueryJson.parse(
        """{"combined_fields": {"query": "a", "columns": ["t", "u"], "boost": [2, 1]}}"""
      ) ==
        CombinedFieldsQuery("a", IndexedSeq("t" -> 2f, "u" -> 1f))
    )
    val columns = MultiMatchQuery(
      IndexedSeq(MatchQuery("a b", Some("t"), 2f), MatchQuery("a b", Some("u"), 1f))
    )
    assert(TextQueryJson.parse(
      """{"multi_match": {"query": "a b", "columns": ["t", "u"], "boost": [2.0, 1.0]}}"""
    ) == columns)
    // pylance 14 writes both forms.
    assert(TextQueryJson.parse(
      """{"multi_match": {"query": "a b", "columns": ["t", "u"], "boost": [2.0, 1.0], "match_queries":
        |[{"column": "t", "terms": "a b", "boost": 2.0, "fuzziness": 0, "max_expansions": 50, "operator": "Or",
        |"prefix_length": 0, "document_granularity": null}, {"column": "u", "terms": "a b"}]}}""".stripMargin
    ) == columns)
    assert(
      TextQueryJson.parse("""{"multi_match": {"query": "a", "columns": ["t"], "boost": null}}""") ==
        MultiMatchQuery(IndexedSeq(MatchQuery("a", Some("t"))))
    )
    Seq(
      """{"multi_match": {}}""",
      """{"multi_match": {"columns": ["t"]}}""",
      """{"multi_match": {"query": "a"}}""",
      """{"multi_match": {"query": "a", "columns": ["t"], "boost": [1, 2]}}""",
      """{"multi_match": {"query": "a", "columns": ["t"], "boost": [-1]}}""",
      "",
      "{",
      "[]",
      "{}",
      """{"match": {}}""",
      """{"match": {"terms": "a", "boots": 2}}""",
      """{"match": {"terms": "a", "boost": -1}}""",
      """{"match": {"terms": "a", "operator": "XOR"}}""",
      """{"boolean": {"must_not": [{"match": {"terms": "a"}}]}}""",
      """{"combined_fields": {"query": "a", "columns": []}}""",
      """{"combined_fields": {"query": "a", "columns": ["t", "t"]}}""",
      """{"combined_fields": {"query": "a", "columns": ["t"], "boost": [0.5]}}""",
      """{"nothing": {}}"""
    ).foreach { text =>
      intercept[io.github.pysparklance.core.InvalidRequestException](TextQueryJson.parse(text))
    }
  }
}
