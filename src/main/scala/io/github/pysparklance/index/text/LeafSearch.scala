// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.RowSet
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.index.text.search._
import io.github.pysparklance.index.text.segment.{PostingList, TextPartition}

/** Searches the index of a column for one leaf of a query. Reads posting lists when created.
  *
  * @param parameters parameters of the analyzer
  * @param open index of the column; `None` if it has no usable index
  * @param failed receives the ids of segments that cannot be read
  * @param scanned similar terms in rows that the index does not cover, by the position of the word
  */
final private[text] class LeafSearch(
    query: LeafQuery,
    column: TextColumn,
    val parameters: AnalyzerParameters,
    open: Option[OpenIndex],
    failed: mutable.Set[UUID],
    scanned: Int => IndexedSeq[String]
) {
  import LeafSearch._

  query match {
    case _: PhraseQuery =>
      open.filterNot(_.index.hasPositions).foreach { o =>
        throw new InvalidRequestException(
          s"a phrase cannot be found by the index ${o.index.name} of column ${column.name}, which has no positions: " +
            "create it again with positions"
        )
      }
    case _ =>
  }

  /** The terms to search. */
  val terms: LeafTerms = new LeafAnalysis(parameters, open, failed).terms(query, scanned)

  private val needsPositions = terms.slop.isDefined && terms.groups.length > 1

  /** Posting lists of the terms that a partition contains. */
  final private class Postings(
      val part: OpenIndex.Part,
      val partition: TextPartition,
      val lists: Map[String, PostingList]
  )

  private val postings: IndexedSeq[Postings] = for {
    o <- open.toIndexedSeq
    part <- o.parts
    partition <- part.open.partitions
    lists <- read(o, part, partition)
  } yield new Postings(part, partition, lists)

  private def read(
      o: OpenIndex,
      part: OpenIndex.Part,
      partition: TextPartition
  ): Option[Map[String, PostingList]] = {
    var found = Option.empty[Map[String, PostingList]]
    o.reading(part, failed) {
      val ids = terms.terms.map(term => term -> partition.tokens.id(term)).filter(_._2 >= 0)
      val lists =
        if (ids.isEmpty) IndexedSeq.empty
        else partition.postings(part.files, ids.map(_._2), needsPositions)
      found = Some(ids.map(_._1).zip(lists).filter(_._2.numDocs > 0).toMap)
    }
    found
  }

  /** Statistics of all segments of the index. */
  val statistics: TextStatistics = open.fold(TextStatistics.empty) { o =>
    TextStatistics(
      o.parts.iterator.map(_.open.numDocs).sum,
      o.parts.iterator.map(_.open.totalTokens).sum,
      terms.terms.map { term =>
        term -> postings.iterator.flatMap(_.lists.get(term)).map(_.numDocs.toLong).sum
      }.toMap
    )
  }

  /** Calls `f` with the documents of each partition, and the posting lists of its terms. */
  def foreachPartition(rows: Option[RowSet], excluded: RoaringBitmap)(
      f: (SearchedDocuments, Map[String, PostingList]) => Unit
  ): Unit = open.foreach { o =>
    postings.foreach { p =>
      o.reading(
        p.part,
        failed
      )(o.documents(p.part, p.partition, excluded, rows).foreach(f(_, p.lists)))
    }
  }

  /** Finds rows.
    *
    * @param rows addresses of rows that may be found; `None` for all
    * @param excluded ids of fragments whose rows are not searched
    */
  def run(rows: Option[RowSet], excluded: RoaringBitmap, sink: ScoreSink): Unit =
    open.foreach { o =>
      val bm25 = new Bm25(statistics)
      postings.foreach { p =>
        if (mayMatch(p.lists)) o.reading(p.part, failed) {
          o.documents(p.part, p.partition, excluded, rows).foreach { docs =>
            search(new PartitionSearch(docs, bm25, terms.boost, sink), p.lists, sink)
          }
        }
      }
    }

  private def mayMatch(lists: Map[String, PostingList]): Boolean =
    lists.nonEmpty &&
      (!terms.needsAll || terms.groups.forall(_.terms.exists(lists.contains)))

  private def search(
      partition: PartitionSearch,
      lists: Map[String, PostingList],
      sink: ScoreSink
  ): Unit = {
    val present = terms.terms.indices.filter(i => lists.contains(terms.terms(i)))
    val numberOf = present.map(terms.terms).zipWithIndex.toMap.withDefaultValue(-1)
    val weighted = present.map { i =>
      val term = terms.terms(i)
      WeightedTerm(lists(term), statistics.idf(term) * terms.counts(i))
    }
    val groups = terms.groups.map(_.terms.map(numberOf).filter(_ >= 0))
    val phrase = Optional.when(needsPositions)(
      new PhraseMatch(
        groups.map(_.toArray).toArray,
        terms.groups.map(_.position).toArray,
        terms.slop.get
      )
    )
    if (terms.needsAll && terms.groups.forall(_.terms.length == 1)) partition.all(weighted, phrase)
    else if (terms.needsAll) partition.groups(weighted, groups, phrase)
    else if (
      prunes(sink) && weighted.length <= maxCursors && weighted.forall(_.list.impacts.isDefined)
    )
      partition.any(weighted)
    else partition.groups(weighted, IndexedSeq(weighted.indices), None)
  }

  private def prunes(sink: ScoreSink): Boolean = sink match {
    case _: TopScores => true
    case _ => false
  }
}

private object LeafSearch {

  /** Maximum number of posting lists to iterate over together. */
  private val maxCursors = 16
}
