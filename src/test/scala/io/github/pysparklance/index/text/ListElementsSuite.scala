// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{InvalidRequestException, UnsupportedFeatureException}
import io.github.pysparklance.index.text.analysis.Granularity
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Searches of list elements find the same elements and scores as pylance: in tasks, on the driver,
  * and without an index.
  */
class ListElementsSuite extends AnyFunSuite with TemporaryFolder {
  private type Found = IndexedSeq[((Long, Int), Float)]

  private def word(random: Random): String = s"w${(math.pow(random.nextDouble(), 3) * 40).toInt}"

  private def write(stable: Boolean, index: String): String = {
    val path = folder.resolve("t").toString
    val random = new Random(7)
    def element(i: Int): String =
      if (i % 9 == 4) "" else Seq.fill(1 + random.nextInt(8))(word(random)).mkString(" ")
    val lists = IndexedSeq.fill(4000)(Seq.tabulate(random.nextInt(5))(element))
    Pylance.run(
      s"""
      from lance.query import DocumentGranularity
      for first in range(0, 4000, 1000):
          part = {'id': list(range(first, first + 1000)), 'l': lists[first:first + 1000]}
          write(part, path, mode='append' if first else 'create', enable_stable_row_ids=stable)
      d = dataset(path)
      d.create_scalar_index('l', 'INVERTED', name='i', stem=False, with_position=True,
                            document_granularity=DocumentGranularity.LIST_ELEMENT, $index)
      write({'id': list(range(4000, 4500)), 'l': lists[:500]}, path, mode='append')
      d = dataset(path)
      d.optimize.optimize_indices(num_indices_to_merge=0)
      d.delete('id % 7 = 2')
      result = None
      """,
      "path" -> path,
      "lists" -> lists,
      "stable" -> stable
    )
    path
  }

  private def append(path: String): Unit = Pylance.run(
    """
    write({'id': [9000, 9001], 'l': [['w1 w2', 'w2', None], None]}, path, mode='append')
    result = None
    """,
    "path" -> path
  ): Unit

  private def reference(path: String, query: String): Map[(Long, Int), Float] = Pylance.run(
    s"""
    import lance.query as Q
    t = dataset(path).scanner(columns=['id', '_score'], full_text_query=$query).to_table()
    result = [[r['id'], r['_doc_index'][0], r['_score']] for r in t.to_pylist()]
    """,
    "path" -> path
  ).elements.asScala.map { r =>
    (r.get(0).asLong, r.get(1).asInt) -> r.get(2).floatValue
  }.toMap

  private def assertSame(found: Found, wanted: Map[(Long, Int), Float]): Assertion = {
    assert(found.map(_._1).toSet == wanted.keySet && found.length == wanted.size)
    found.foreach { case (element, score) =>
      assert(math.abs(score - wanted(element)) <= 1e-4f * math.abs(wanted(element)))
    }
    val ordered = found.sortWith { case ((a, s), (b, t)) =>
      s > t || s == t && a._2 < b._2 && a._1 == b._1
    }
    assert(found.map(_._2) == ordered.map(_._2))
  }

  private val queries: Seq[(TextQuery, String)] = {
    def matching(words: String, operator: Operator = Operator.Or) =
      MatchQuery(words, Some("l"), operator = operator)
    Seq(
      matching("w1 w20 zzz") -> "Q.MatchQuery('w1 w20 zzz', 'l')",
      matching("w0 w3", Operator.And) ->
        "Q.MatchQuery('w0 w3', 'l', operator=Q.FullTextOperator.AND)",
      PhraseQuery("w1 w2", Some("l")) -> "Q.PhraseQuery('w1 w2', 'l')",
      BooleanQuery(
        IndexedSeq(matching("w1")),
        IndexedSeq(matching("w5")),
        IndexedSeq(matching("w0"))
      ) -> ("Q.BooleanQuery([(Q.Occur.MUST, Q.MatchQuery('w1', 'l')), " +
        "(Q.Occur.SHOULD, Q.MatchQuery('w5', 'l')), (Q.Occur.MUST_NOT, Q.MatchQuery('w0', 'l'))])"),
      BoostQuery(matching("w1 w2"), matching("w3")) ->
        "Q.BoostQuery(Q.MatchQuery('w1 w2', 'l'), Q.MatchQuery('w3', 'l'))"
    )
  }

  for {
    stable <- Seq(false, true)
    index <- Seq("block_size=128", "block_size=256")
  } test(s"elements with $index, stable row ids: $stable") {
    val path = write(stable, index)
    Seq(false, true).foreach { isAppended =>
      if (isAppended) append(path)
      val table = new SearchedTable(path)
      queries.foreach { case (query, python) =>
        val wanted = reference(path, python)
        assert(wanted.size > 20)
        val found = table.elements(query)
        assertSame(found, wanted)
        assertSame(table.elements(query, inTasks = true), wanted)
        assert(table.elements(query, limit = Some(15)).map(_._2) == found.map(_._2).take(15))
        assert(table.elements(query, useIndex = false).map(_._1).toSet == wanted.keySet)
      }
    }
  }

  test("queries that do not suit the documents are rejected") {
    val path = write(stable = false, "block_size=128")
    val table = new SearchedTable(path)
    def fails[E <: Throwable](query: TextQuery)(implicit c: scala.reflect.ClassTag[E]): String =
      intercept[E](table.elements(query)).getMessage
    val match1 = MatchQuery("w1", Some("l"))
    assert(fails[UnsupportedFeatureException](MultiMatchQuery(IndexedSeq(match1)))
      .contains("multi_match"))
    assert(fails[InvalidRequestException](match1.copy(granularity = Some(Granularity.Row)))
      .contains("i of list elements"))
    assert(fails[InvalidRequestException](CombinedFieldsQuery("w1", IndexedSeq("l" -> 1f)))
      .contains("i of list elements"))
    val mixed = BooleanQuery(
      IndexedSeq(match1.copy(granularity = Some(Granularity.Row))),
      IndexedSeq(match1.copy(granularity = Some(Granularity.ListElement))),
      IndexedSeq.empty
    )
    assert(fails[InvalidRequestException](mixed).contains("both rows and list elements"))
    assert(table.indices.columns.isEmpty)
  }
}
