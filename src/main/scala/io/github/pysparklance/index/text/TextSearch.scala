// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.text.analysis.{Granularity, TextColumn}
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.index.text.search._

/** Finds the rows with the highest scores for a query. Searches indices, and returns a scan for the
  * rows that they do not cover.
  *
  * Scores of indexed rows depend on the statistics of the index, which include deleted documents.
  * Scores of other rows depend on the statistics of the index and of these rows.
  *
  * @param query query whose leaves all have a column
  * @param resolve returns the column with a name
  * @param default granularity of leaves that have none; `None` for the granularity of the indices
  */
final class TextSearch(
    indices: TextIndices,
    query: TextQuery,
    resolve: String => TextColumn,
    default: Option[Granularity] = None
) {
  private val table = indices.table
  private val place = Place(path = Some(table.path), version = Some(table.version))
  private val its = new QueryColumns(indices, query, resolve, default)
  import its.{columnOf, hasEqualTerms, hasFuzzyLeaf, parametersOf, scan, scanned, uncovered}

  /** The distinct columns of the query. */
  def columns: IndexedSeq[TextColumn] = its.columns

  /** The usable index of each column, if any. */
  def found: IndexedSeq[Option[TextIndex]] = its.found

  /** Numbers of the documents of the result if they are list elements; `None` if they are rows.
    *
    * @throws InvalidRequestException if the query has other documents than the indices
    */
  lazy val elements: Option[ElementKeys] =
    Place.in(place)(Optional.when(its.hasElements)(indices.elementKeys))

  /** Returns the scan that a fuzzy query needs before [[run]], if the indices do not cover all
    * rows.
    *
    * @param fastSearch see [[run]]
    */
  def wordScan(fastSearch: Boolean = false, useIndex: Boolean = true): Option[WordScan] = {
    lazy val fragments =
      if (fastSearch) new RoaringBitmap else uncovered(its.opened(useIndex, Set.empty))
    val fuzzy = query.leaves.zipWithIndex.collect { case (m: MatchQuery, i) if m.isFuzzy => m -> i }
    Optional.unless(fuzzy.isEmpty || fragments.isEmpty) {
      WordScan(
        columns,
        columns.indices.map(parametersOf),
        for {
          (m, leaf) <- fuzzy
          group <- new SimilarTerms(m, parametersOf(columnOf(leaf))).words
          word <- group.terms
        } yield SoughtWord(
          (leaf, group.position),
          columnOf(leaf),
          word,
          m,
          m.maxExpansions
        ),
        scanned(fragments)
      )
    }
  }

  /** Finds rows in indices.
    *
    * @param limit number of rows
    * @param rows addresses of rows that may be found; `None` for all
    * @param fastSearch whether to skip rows that the indices do not cover
    * @param useIndex whether indices may be used; otherwise, all rows must be scanned
    * @param words result of [[wordScan]]; without it, similar words in scanned rows are not found
    * @param tasks searches large indices; `None` to search all of them here
    * @throws InvalidRequestException if `fastSearch` needs an index that does not exist or cannot
    *   be used, or for a phrase query with `fastSearch` on an index without positions
    */
  def run(
      limit: Int,
      rows: Option[AddressSet] = None,
      fastSearch: Boolean = false,
      useIndex: Boolean = true,
      words: Option[FoundWords] = None,
      tasks: Option[ShardTasks] = None
  ): TextResult = Place.in(place) {
    if (fastSearch) columns.zip(found).foreach { case (column, index) =>
      if (index.isEmpty || !useIndex || !hasEqualTerms(columns.indexOf(column)))
        throw new InvalidRequestException(
          s"fast_search reads full-text indices, and column ${column.name} has none that may be used for this query: " +
            "create one, or leave fast_search out"
        )
    }
    query.leaves.zip(columnOf).foreach {
      case (m: MatchQuery, c)
          if m.isFuzzy && words.isEmpty && !(useIndex && found(c).isDefined && hasEqualTerms(c)) =>
        throw new UnsupportedFeatureException(
          s"a fuzzy search in column ${m.column.get} without a full-text index: create one, or leave fuzziness out"
        )
      case _ =>
    }
    elements: Unit
    run(limit, rows, fastSearch, useIndex, words, tasks, Set.empty)
  }

  /** @param damaged ids of segments to skip, because they could not be read */
  private def run(
      limit: Int,
      rows: Option[AddressSet],
      fastSearch: Boolean,
      useIndex: Boolean,
      words: Option[FoundWords],
      tasks: Option[ShardTasks],
      damaged: Set[UUID]
  ): TextResult = {
    val opened = its.opened(useIndex, damaged)
    val failed = mutable.HashSet.empty[UUID]
    val scanned = if (fastSearch) new RoaringBitmap else uncovered(opened)
    val inTasks = tasks.filter(_.suit(query, opened))
    val leaves = query.leaves.indices.map { i =>
      val c = columnOf(i)
      new LeafSearch(
        query.leaves(i),
        parametersOf(c),
        opened(c),
        failed,
        position => words.flatMap(_.terms.get((i, position))).getOrElse(IndexedSeq.empty),
        inTasks.isDefined
      )
    }
    checkCombined(leaves)
    val isVerified = leaves.exists(_.lacksPositions)
    if (isVerified && fastSearch) failWithoutPositions(leaves, opened)
    lazy val plan = scan(leaves, opened, limit, scanned)
    // Scores of combined fields and of list elements also depend on scanned rows.
    val needsKeys = query.combined().nonEmpty || its.hasElements && !scanned.isEmpty
    val keys = Optional.when(needsKeys && failed.isEmpty && !isVerified)(
      new IndexedKeys(plan, leaves).find(rows, scanned)
    )
    val scored =
      if (failed.nonEmpty || isVerified || keys.isDefined && !scanned.isEmpty) ScoredRows.empty
      else
        keys.map(k => ScannedRows.best(plan, Seq(k)))
          .orElse(inTasks.map { t =>
            val shards = TextShards.of(opened, leaves, columnOf)
            combined(t(new TextShards(shards, scanned, rows, limit), leaves.length, failed), limit)
          })
          .getOrElse(search(leaves, limit, rows, scanned))
    val verified = Optional.when(isVerified)(verifying(plan, leaves, rows, scanned))
    if (failed.nonEmpty) {
      if (fastSearch)
        throw new InvalidRequestException(
          s"fast_search reads only full-text indices, and the segment ${failed.head} cannot be read: " +
            "leave fast_search out, or create the index again"
        )
      if (hasFuzzyLeaf)
        throw new InvalidRequestException(
          s"a fuzzy search needs all terms of an index, and the segment ${failed.head} cannot be read: " +
            "create the index again, or search with use_index = false"
        )
      run(limit, rows, fastSearch, useIndex, words, tasks, damaged ++ failed)
    } else
      new TextResult(
        scored,
        verified.orElse(Optional.unless(scanned.isEmpty)(plan.copy(indexed = keys)))
      )
  }

  /** Returns a scan that also finds rows that indices cover, because an index has no positions. Of
    * these rows, it reads the ones that have the words of a phrase, unless there are too many or
    * the query has several parts.
    */
  private def verifying(
      plan: TextScan,
      leaves: IndexedSeq[LeafSearch],
      rows: Option[AddressSet],
      scanned: RoaringBitmap
  ): TextScan = query match {
    case _: LeafQuery | _: MultiMatchQuery
        if leaves.iterator.map(_.maxCandidates).sum <= TextSearch.maxCandidates =>
      val found = leaves.toArray.flatMap(l => addresses(l.candidates(rows, scanned)))
      plan.copy(candidates = Some(AddressSet.of(found)))
    case _ => plan.copy(fragments = None)
  }

  private def failWithoutPositions(
      leaves: IndexedSeq[LeafSearch],
      opened: IndexedSeq[Option[OpenIndex]]
  ): Nothing = {
    val c = columnOf(leaves.indexWhere(_.lacksPositions))
    throw new InvalidRequestException(
      s"fast_search reads only full-text indices, and ${opened(c).get.index.name} of column ${columns(c).name} has " +
        "no positions, which a phrase needs: leave fast_search out, or create the index again with positions"
    )
  }

  private def checkCombined(leaves: IndexedSeq[LeafSearch]): Unit =
    query.combined().foreach { case (first, q) =>
      val ofQuery = leaves.slice(first, first + q.fields.length)
      if (
        ofQuery.exists(l =>
          l.parameters != ofQuery.head.parameters || l.terms.terms != ofQuery.head.terms.terms
        )
      )
        throw new InvalidRequestException(
          s"the full-text indices of ${q.fields.map(_._1).mkString(", ")} split text in different ways, so that " +
            "combined_fields cannot search them together: create them with the same options"
        )
    }

  /** @param excluded ids of fragments that are scanned */
  private def search(
      leaves: IndexedSeq[LeafSearch],
      limit: Int,
      rows: Option[AddressSet],
      excluded: RoaringBitmap
  ): ScoredRows = query match {
    case _: LeafQuery =>
      val top = new TopScores(limit)
      leaves.head.run(rows, excluded, top)
      top.result()
    case _: MultiMatchQuery =>
      // A row among the best by its highest score is among the best of the leaf with that score.
      combined(
        leaves.map { leaf =>
          val top = new TopScores(limit)
          leaf.run(rows, excluded, top)
          top.result()
        },
        limit
      )
    case _ =>
      combined(
        leaves.map { leaf =>
          val all = new AllScores
          leaf.run(rows, excluded, all)
          all.result()
        },
        limit
      )
  }

  private def combined(found: IndexedSeq[ScoredRows], limit: Int): ScoredRows = {
    val scores = mutable.LongMap.empty[Array[Float]]
    found.indices.foreach { leaf =>
      val (rows, ofRows) = (found(leaf).rows, found(leaf).scores)
      rows.indices.foreach { i =>
        scores.getOrElseUpdate(rows(i), Array.fill(found.length)(Float.NaN))(leaf) = ofRows(i)
      }
    }
    val top = new TopScores(limit)
    scores.foreach { case (row, ofLeaves) =>
      val score = query.score(ofLeaves)
      if (!score.isNaN) top.offer(row, score)
    }
    top.result()
  }

  /** Returns the addresses of rows. */
  def addresses(rows: Array[Long]): Array[Long] =
    if (table.hasStableRowIds) table.rowIdIndex.addressesOf(rows) else rows
}

private object TextSearch {

  /** Maximum number of rows whose texts are read because an index has no positions. With more, all
    * texts are read.
    */
  private val maxCandidates = 2L << 20
}
