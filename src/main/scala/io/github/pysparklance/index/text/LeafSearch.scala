// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.index.text.search._
import io.github.pysparklance.index.text.segment.{PostingList, TextPartition}

/** Searches the index of a column for one leaf of a query.
  *
  * @param parameters parameters of the analyzer
  * @param open index of the column; `None` if it has no usable index
  * @param failed receives the ids of segments that cannot be read
  * @param scanned similar terms in rows that the index does not cover, by the position of the word
  * @param inTasks whether tasks search the index, so that posting lists are not read here
  */
final private[text] class LeafSearch(
    query: LeafQuery,
    val parameters: AnalyzerParameters,
    open: Option[OpenIndex],
    failed: mutable.Set[UUID],
    scanned: Int => IndexedSeq[String],
    inTasks: Boolean = false
) {

  /** The terms to search. */
  val terms: LeafTerms = new LeafAnalysis(parameters, open, failed).terms(query, scanned)

  /** Whether the index has no positions, so that the texts of [[candidates]] are to be read. */
  val lacksPositions: Boolean = terms.needsPositions && open.exists(!_.index.hasPositions)

  /** Posting lists of the terms that a partition contains. */
  final private class Postings(
      val part: OpenIndex.Part,
      val partition: TextPartition,
      val of: TermLists
  )

  private lazy val postings: IndexedSeq[Postings] = for {
    o <- open.toIndexedSeq
    part <- o.parts
    partition <- part.open.partitions
    lists <- read(o, part, partition)
  } yield new Postings(part, partition, lists)

  private def read(
      o: OpenIndex,
      part: OpenIndex.Part,
      partition: TextPartition
  ): Option[TermLists] = {
    var found = Option.empty[TermLists]
    o.reading(part, failed) {
      val withPositions = terms.needsPositions && !lacksPositions
      found = Some(TermLists.read(part.files, partition, terms, withPositions))
    }
    found
  }

  /** Statistics of all segments of the index. */
  val statistics: TextStatistics = open.fold(TextStatistics.empty) { o =>
    TextStatistics(
      o.parts.iterator.map(_.open.numDocs).sum,
      o.parts.iterator.map(_.open.totalTokens).sum,
      counted(o)
    )
  }

  /** Returns the number of documents with each term. */
  private def counted(o: OpenIndex): Map[String, Long] = {
    val counts = mutable.HashMap.empty[String, Long].withDefaultValue(0L)
    def add(found: Map[String, Long]): Unit =
      found.foreach { case (term, numDocs) => counts(term) += numDocs }
    def read(part: OpenIndex.Part, partition: TextPartition): Unit =
      o.reading(part, failed)(add(TermLists.numDocs(part.files, partition, terms.terms)))
    if (inTasks) for (part <- o.parts; partition <- part.open.partitions) read(part, partition)
    else
      postings.foreach(p => if (p.of.mayMatch) add(p.of.numDocs) else read(p.part, p.partition))
    terms.terms.map(t => t -> counts(t)).toMap
  }

  /** Calls `f` with the documents of each partition, and the posting lists of its terms. */
  def foreachPartition(rows: Option[AddressSet], excluded: RoaringBitmap)(
      f: (SearchedDocuments, Map[String, PostingList]) => Unit
  ): Unit = open.foreach { o =>
    postings.foreach { p =>
      o.reading(
        p.part,
        failed
      )(o.documents(p.part, p.partition, excluded, rows).foreach(f(_, p.of.lists)))
    }
  }

  /** Finds rows.
    *
    * @param rows addresses of rows that may be found; `None` for all
    * @param excluded ids of fragments whose rows are not searched
    */
  def run(rows: Option[AddressSet], excluded: RoaringBitmap, sink: ScoreSink): Unit =
    open.foreach { o =>
      val bm25 = new Bm25(statistics)
      postings.foreach { p =>
        if (p.of.mayMatch) o.reading(p.part, failed) {
          o.documents(p.part, p.partition, excluded, rows).foreach { docs =>
            val search = new PartitionSearch(docs, bm25, terms.boost, sink)
            p.of.search(search, statistics.idf, prunes(sink))
          }
        }
      }
    }

  /** Maximum number of [[candidates]]. */
  def maxCandidates: Long = postings.iterator.map(_.of.maxDocs).sum

  /** Returns the rows with the terms of the query, in any order.
    *
    * @param excluded as for [[run]], and `rows`
    */
  def candidates(rows: Option[AddressSet], excluded: RoaringBitmap): Array[Long] = {
    val found = new LongValues
    for (o <- open; p <- postings) o.reading(p.part, failed) {
      o.documents(p.part, p.partition, excluded, rows).foreach { docs =>
        val numbers = p.of.docs.getIntIterator
        while (numbers.hasNext) {
          val row = docs.rows(numbers.next())
          if (docs.mask.accepts(row)) found.append(row)
        }
      }
    }
    java.util.Arrays.copyOf(found.array, found.numItems)
  }

  private def prunes(sink: ScoreSink): Boolean = sink match {
    case _: TopScores => true
    case _ => false
  }
}
