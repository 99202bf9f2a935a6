// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.{IndexFiles, RowSet}
import io.github.pysparklance.index.text.analysis.{Analyzer, AnalyzerParameters}
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.index.text.search._
import io.github.pysparklance.index.text.segment._
import io.github.pysparklance.index.vector.search.RowMask
import io.github.pysparklance.table.manifest.IndexSegment

/** The segments of an index that a search reads.
  *
  * @param damaged segments to leave out, as they could not be read
  */
final private[text] class OpenIndex(
    indices: TextIndices,
    val index: TextIndex,
    damaged: Set[UUID]
) {
  import OpenIndex._

  /** The segments, with the fragments that each is searched for. */
  val parts: IndexedSeq[Part] = indices.coverage(index).collect {
    case (segment, open, covered) if !damaged(segment.uuid) =>
      new Part(segment, open, covered, indices.filesOf(segment))
  }

  /** Ids of the fragments that are searched. */
  val covered: RoaringBitmap = {
    val all = new RoaringBitmap
    parts.foreach(p => all.or(p.covered))
    all
  }

  /** Ids of the fragments that are not searched. */
  val uncovered: RoaringBitmap = RoaringBitmap.andNot(indices.mapping.present, covered)

  /** Runs `read` on a segment; adds the segment to `failed` if its files cannot be read. */
  def reading(part: Part, failed: mutable.Set[UUID])(read: => Unit): Unit =
    if (indices.readable(part.segment)(read).isEmpty) failed += part.segment.uuid

  /** The documents of a partition that a search may return; `None` if there are none.
    *
    * @param excluded ids of fragments that are scanned instead
    * @param rows addresses of rows that may be found; `None`: all
    */
  def documents(
      part: Part,
      partition: TextPartition,
      excluded: RoaringBitmap,
      rows: Option[RowSet]
  ): Option[SearchedDocuments] = {
    val mask = indices.masks.of(part.files, RoaringBitmap.andNot(part.covered, excluded), rows)
    if (mask.isEmpty) None
    else {
      val docs = partition.documents(part.files)
      val its = indices.masks.rowsOf(part.files, ("text", partition.id), docs.rows)
      val isMoved = !(its eq docs.rows)
      val acceptsAll = !isMoved && mask.acceptsAll(docs.uppers)
      Some(new SearchedDocuments(
        its,
        if (partition.roundsLengths) docs.roundedLengths else docs.lengths,
        !isMoved && docs.isAscending,
        if (acceptsAll) RowMask.All else mask
      ))
    }
  }
}

private[text] object OpenIndex {

  /** @param covered ids of the fragments that the segment is searched for */
  final class Part(
      val segment: IndexSegment,
      val open: TextSegment,
      val covered: RoaringBitmap,
      val files: IndexFiles
  )
}

/** Searches the index of a column for one leaf of a query. Reads posting lists when created.
  *
  * @param parameters of the analyzer
  * @param open `None` if the column has no index that may be used
  * @param failed takes the segments that cannot be read
  */
final private[text] class LeafSearch(
    query: LeafQuery,
    column: TextColumn,
    val parameters: AnalyzerParameters,
    open: Option[OpenIndex],
    failed: mutable.Set[UUID]
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
  val terms: LeafTerms = query match {
    case m: MatchQuery if m.isFuzzy =>
      // The reference does not filter words that may differ.
      val words = new Analyzer(wordsOnly).query(m.text)
      LeafTerms(
        expanded(m, TermGroup.of(words.terms, words.positions)),
        m.operator == Operator.And,
        None,
        m.boost
      )
    case m: MatchQuery =>
      val found = new Analyzer(parameters).query(m.text)
      val groups = TermGroup.of(found.terms, found.positions)
      LeafTerms(groups, m.operator == Operator.And, None, m.boost)
    case p: PhraseQuery =>
      val found = new Analyzer(parameters).query(p.text)
      val groups = TermGroup.of(found.terms, found.positions)
      if (groups.exists(_.terms.length > 1))
        throw new UnsupportedFeatureException(
          s"a phrase in column ${column.name}, whose index has several terms at one position"
        )
      LeafTerms(groups, needsAll = true, Some(p.slop), 1f)
  }

  /** Replaces words by the similar terms of the index: for each position the first ones by bytes, as
    * long as there are not too many.
    */
  private def expanded(query: MatchQuery, words: IndexedSeq[TermGroup]): IndexedSeq[TermGroup] = {
    var left = query.maxExpansions
    words.map { group =>
      val found = new java.util.TreeSet[String](byBytes)
      for {
        o <- open.toSeq
        part <- o.parts
        partition <- part.open.partitions
        word <- group.terms
      } o.reading(part, failed) {
        val similar = new SimilarWord(word, query.maxEdits(word), query.prefixLength)
        partition.tokens.similar(similar, left, found)
      }
      val taken = new java.util.ArrayList[String](found).toArray(Array.empty[String]).take(left)
      left -= taken.length
      TermGroup(group.position, taken.toIndexedSeq)
    }
  }

  private val needsPositions = terms.slop.isDefined && terms.groups.length > 1

  /** Posting lists of the terms in a partition, without those that it does not have. */
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

  /** Finds rows.
    *
    * @param rows addresses of rows that may be found; `None`: all
    * @param excluded ids of fragments whose rows are not searched
    */
  def run(rows: Option[RowSet], excluded: RoaringBitmap, sink: ScoreSink): Unit = open.foreach { o =>
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
    lazy val weighted = present.map { i =>
      val term = terms.terms(i)
      WeightedTerm(lists(term), statistics.idf(term) * terms.counts(i))
    }
    if (terms.needsAll && terms.groups.forall(_.terms.length == 1))
      terms.slop match {
        case Some(slop) if needsPositions =>
          val phrase = new PhraseMatch(
            terms.groups.map(g => present.indexOf(terms.terms.indexOf(g.terms.head))).toArray,
            terms.groups.map(_.position).toArray,
            slop
          )
          partition.all(weighted)(phrase(_))
        case _ => partition.all(weighted)(_ => true)
      }
    else if (terms.needsAll)
      partition.groups(
        terms.groups.map(_.terms.flatMap { term =>
          lists.get(term).map(WeightedTerm(_, statistics.idf(term)))
        }),
        needsAll = true
      )
    else if (prunes(sink) && weighted.length <= maxCursors && weighted.forall(_.list.impacts.isDefined))
      partition.any(weighted)
    else partition.groups(IndexedSeq(weighted), needsAll = false)
  }

  private def prunes(sink: ScoreSink): Boolean = sink match {
    case _: TopScores => true
    case _ => false
  }
}

private object LeafSearch {

  /** Maximum number of posting lists that are walked together. */
  private val maxCursors = 16

  private val wordsOnly = AnalyzerParameters(
    maxTokenLength = None,
    lowerCase = false,
    stem = false,
    removeStopWords = false,
    asciiFolding = false
  )

  /** Strings by their bytes in UTF-8. */
  private val byBytes: java.util.Comparator[String] = (a: String, b: String) =>
    java.util.Arrays.compareUnsigned(
      a.getBytes(java.nio.charset.StandardCharsets.UTF_8),
      b.getBytes(java.nio.charset.StandardCharsets.UTF_8)
    )
}
