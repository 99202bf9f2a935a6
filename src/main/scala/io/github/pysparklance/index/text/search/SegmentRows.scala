// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import java.util.TreeSet

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{
  IndexFiles,
  ResultSize,
  RowSet,
  RowSetBuilder,
  SegmentResult
}
import io.github.pysparklance.index.text.analysis.Characters
import io.github.pysparklance.index.text.query.{MatchQuery, PhraseQuery}
import io.github.pysparklance.index.text.segment._
import io.github.pysparklance.index.vector.search.RowMask

/** Finds the rows of a segment that match a predicate.
  *
  * The segment must have each text under the terms that [[TextPredicate.parameters]] give it.
  * Otherwise it is not used: if its analyzer differs, if it may be of a release with other stemmers
  * or stop words, or if a dictionary splits the query or similar terms.
  */
final private[text] class SegmentRows(
    files: IndexFiles,
    segment: TextSegment,
    predicate: TextPredicate
) {
  import SegmentRows._
  import predicate.{parameters, query}

  /** Whether the segment can evaluate the predicate. */
  def isUsable: Boolean = {
    val details = TextDetails.parse(files.details)
    segment.parameters == parameters &&
    !(details.mayBeEarly && parameters.dependsOnRelease) &&
    !(parameters.hasDictionary && (query.isFuzzy || Characters.needDictionary(query.text)))
  }

  private lazy val words: IndexedSeq[TermGroup] = query match {
    case m: MatchQuery if m.isFuzzy => new SimilarTerms(m, parameters).words
    case other => TermGroup.of(other.text, parameters)
  }

  /** The terms of the query in a partition; `None` if there are too many. */
  private def termsIn(partition: TextPartition): Option[LeafTerms] = {
    val groups = query match {
      case m: MatchQuery if m.isFuzzy =>
        val similar = new SimilarTerms(m, parameters)
        words.map { group =>
          val found = new TreeSet[String](TokenSet.byBytes)
          similar.add(group, partition.tokens, maxTerms + 1, found)
          TermGroup(group.position, found.toArray(Array.empty[String]).toIndexedSeq)
        }
      case _ => words
    }
    Optional.when(groups.forall(_.terms.length <= maxTerms))(LeafTerms.of(query, groups))
  }

  private def needsPositions: Boolean = query match {
    case _: PhraseQuery => words.length > 1
    case _ => false
  }

  // Dictionaries of other releases may split the text between two words into more or fewer terms.
  private lazy val usesPositions =
    needsPositions && segment.hasPositions && !parameters.hasDictionary

  /** Similar terms are cached, because a query needs them for [[size]] and for [[result]]. */
  private lazy val leaves: Option[IndexedSeq[(TextPartition, LeafTerms)]] = {
    def computed = segment.partitions.map(termsIn)
    val found =
      if (query.isFuzzy) files.cache(("terms", predicate))(new CachedTerms(computed)).ofPartitions
      else computed
    Optional.when(found.forall(_.isDefined))(segment.partitions.zip(found.flatten))
  }

  /** Estimates the size of [[result]]. Reads no posting lists. */
  def size: ResultSize =
    if (!isUsable) ResultSize.small
    else
      leaves.fold(ResultSize.small) { its =>
        var entries = 0L
        var rows = 0L
        for ((partition, terms) <- its if terms.mayMatch(partition.tokens.id(_) >= 0)) {
          val counts = TermLists.numDocs(files, partition, terms.terms)
          entries += counts.valuesIterator.sum
          rows += terms.maxDocs(counts.getOrElse(_, 0L))
        }
        ResultSize(entries, rows, rows)
      }

  /** Returns the matching rows. Without usable positions, a phrase returns the rows that have all
    * of its words. Returns `None` if the segment cannot be used.
    */
  def result: Option[SegmentResult] =
    if (!isUsable) None
    else
      leaves.flatMap { its =>
        val found = its.map { case (partition, terms) =>
          val lists = TermLists.read(files, partition, terms, usesPositions)
          if (!lists.mayMatch) Some(RowSet.empty)
          else {
            val docs = partition.documents(files)
            Optional.unless(docs.hasRepeatedRows)(rowsOf(docs, matching(docs, lists)))
          }
        }
        Optional.when(found.forall(_.isDefined)) {
          val rows = RowSet.union(found.flatten.iterator)
          if (parameters.hasDictionary || needsPositions && !usesPositions)
            SegmentResult.AtMost(rows)
          else SegmentResult.Trues(rows)
        }
      }

  /** Numbers of the documents that match. */
  private def matching(docs: Documents, lists: TermLists): RoaringBitmap =
    if (!usesPositions) lists.docs
    else {
      val found = new RoaringBitmap
      val sink = new ScoreSink {
        def least(firstRow: Long): Float = Float.NegativeInfinity
        def offer(row: Long, score: Float): Unit = found.add(row.toInt)
      }
      val numbers = Array.range(0, docs.numDocs).map(_.toLong)
      val searched = new SearchedDocuments(
        numbers,
        numbers,
        docs.lengths,
        docs.lengths,
        isAscending = true,
        RowMask.All
      )
      val search = new PartitionSearch(searched, noScores, 1f, sink)
      lists.search(search, _ => 1f, prunes = false)
      found
    }

  private def rowsOf(docs: Documents, numbers: RoaringBitmap): RowSet = {
    val rows = new RowSetBuilder
    val it = numbers.getIntIterator
    while (it.hasNext) rows.add(docs.rows(it.next())): Unit
    rows.result()
  }
}

private object SegmentRows {

  /** The similar terms of a query in each partition. */
  final private class CachedTerms(val ofPartitions: IndexedSeq[Option[LeafTerms]])
      extends IndexCache.Part {
    val sizeInBytes: Long = 256L +
      ofPartitions.flatten.flatMap(_.terms).map(term => 128L + 2 * term.length).sum
  }

  /** Similar terms of a word that are read from a partition. With more, texts are scanned. */
  private val maxTerms = 1024

  /** Scores of matching documents do not matter. */
  private val noScores = new Bm25(TextStatistics(1, 1, Map.empty))
}
