// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.text.query.{MatchQuery, PhraseQuery}
import io.github.pysparklance.testkit.{IndexFixtures, RecordedTextSearch, TextCase, TextFixtures}

/** Searches in full-text indices of other writers find the rows of the reference, with its scores, whatever happened to
  * the table since the index was built.
  */
class TextFixturesSuite extends AnyFunSuite {

  test("every format of full-text indices is kept with the tests") {
    assert(TextFixtures.kept.map(_.writtenBy).toSet == Set("14.0.2", "0.19.2", "0.30.0"))
    assert(TextFixtures.kept.map(_.family).toSet ==
      Set("fts", "fts_pos", "fts_v1", "fts_v3_256", "fts_list"))
  }

  TextFixtures.cases.foreach { c =>
    test(c.name) {
      val table = new SearchedTable(c.path.toString)
      assert(table.indices.columns.nonEmpty)
      c.queries.zipWithIndex.foreach { case (q, i) =>
        withClue(s"query $i, ${q.query}: ") {
          val keeps = q.filter.map {
            case "id % 3 = 0" => (id: Long) => id % 3 == 0
          }
          val found = table.search(q.query, q.limit, keeps)
          if (lacksRows(c, q)) checkContained(q, found)
          // Early releases did not record that their indices have positions.
          else if (q.error.isEmpty) check(q, found)
        }
      }
    }
  }

  /** Whether the reference does not find all rows: phrases of several words with a slop, similar words in rows outside of
    * the index, and a number of rows after a compaction with stable row ids, where it counts deleted rows.
    */
  private def lacksRows(c: TextCase, q: RecordedTextSearch): Boolean = q.query match {
    case PhraseQuery(text, _, slop) if slop > 0 && text.count(_ == ' ') > 1 => true
    case m: MatchQuery if m.isFuzzy => Seq("appended", "updated").exists(c.name.endsWith)
    case _ => q.limit.isDefined && c.name.endsWith("-stable-compacted")
  }

  /** All rows of the reference are found, with its scores, unless there are better ones. */
  private def checkContained(q: RecordedTextSearch, found: IndexedSeq[(Long, Float)]): Assertion = {
    assert(found.length >= q.count)
    val scores = found.toMap
    val last = if (found.isEmpty || q.limit.isEmpty) 0f else found.last._2 * 1.001f
    q.top.filter(_._2 > last).foreach { case (id, score) =>
      assert(scores.get(id).exists(isNear(_, score)), s"$id with $score is not in $found")
    }
    succeed
  }

  private def check(q: RecordedTextSearch, found: IndexedSeq[(Long, Float)]): Assertion = {
    assert(found.length == q.count)
    val scores = found.map(_._2)
    assert(scores == scores.sorted.reverse)
    scores.zip(q.top.map(_._2)).zipWithIndex.foreach { case ((own, reference), i) =>
      assert(isNear(own, reference), s"score $i: $own, not $reference")
    }
    q.ids.foreach { wanted =>
      val ids = IndexFixtures.text(found.map(_._1))
      assert(ids == wanted || IndexFixtures.sha1(ids) == wanted, found.take(30))
    }
    // Rows at the last score may be others.
    val last = if (q.top.isEmpty) 0f else q.top.last._2
    def inner(rows: IndexedSeq[(Long, Float)]): Set[Long] =
      rows.filter { case (_, s) => s > last && !isNear(s, last) }.map(_._1).toSet
    assert(inner(found.take(q.top.length)) == inner(q.top))
    assert(isNear(scores.map(_.toDouble).sum.toFloat, q.scoreSum.toFloat))
  }

  private def isNear(a: Float, b: Float): Boolean =
    math.abs(a - b) <= 1e-4 * math.max(math.abs(b), 1e-2)
}
