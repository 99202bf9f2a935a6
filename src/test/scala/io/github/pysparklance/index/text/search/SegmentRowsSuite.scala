// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi.{ResultSize, SegmentResult}
import io.github.pysparklance.index.text.TextIndices
import io.github.pysparklance.index.text.query.{MatchQuery, Operator}
import io.github.pysparklance.index.text.segment.TextSegment
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.TextFixtures

/** Segments read files once for the size and the rows of a predicate, and only as needed. */
class SegmentRowsSuite extends AnyFunSuite {

  /** An open segment with an empty cache of its own. */
  final private class Opened {
    private val path = TextFixtures.kept.find(_.name.endsWith("fts_v1-plain-fresh")).get.path
    private val table = LanceTable.open(Storage.local, path.toString)
    private val meter = new IndexMeter
    private val indices = new TextIndices(table, meter, new IndexCache(64L << 20))
    val files =
      indices.filesOf(table.indices.find(_.detailsType.endsWith("InvertedIndexDetails")).get)
    private val segment = TextSegment.cached(files)

    def predicate(query: MatchQuery): TextPredicate = TextPredicate(query, segment.parameters)
    def rows(query: MatchQuery): SegmentRows = new SegmentRows(files, segment, predicate(query))
    def numReads: Long = meter.reads.requests

    def numRows(query: MatchQuery): Long = rows(query).result match {
      case Some(SegmentResult.Trues(found)) => found.numRows
      case other => fail(s"the result is $other")
    }
  }

  test("the lengths of posting lists are read once") {
    val opened = new Opened
    val size = opened.rows(MatchQuery("quick fox")).size
    assert(size.entries > 0)
    val numReads = opened.numReads
    assert(opened.rows(MatchQuery("fox quick")).size == size && opened.numReads == numReads)
    assert(opened.numRows(MatchQuery("quick fox")) <= size.rows && opened.numReads > numReads)
  }

  test("no posting list is read if a needed term is missing") {
    val opened = new Opened
    val numReads = opened.numReads
    val all = MatchQuery("quick nosuchword", operator = Operator.And)
    assert(opened.rows(all).size == ResultSize.small && opened.numRows(all) == 0)
    assert(opened.numReads == numReads)
    assert(opened.numRows(all.copy(operator = Operator.Or)) > 0)
  }

  test("similar terms are found once for the size and the rows") {
    val opened = new Opened
    val query = MatchQuery("vectro", fuzziness = Some(2))
    val predicate = opened.predicate(query)
    assert(!opened.files.isCached(("terms", predicate)))
    assert(opened.rows(query).size.entries > 0)
    assert(opened.files.isCached(("terms", predicate)))
    assert(opened.numRows(query) == new Opened().numRows(query))
  }
}
