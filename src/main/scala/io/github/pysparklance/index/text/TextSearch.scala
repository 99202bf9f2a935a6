// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.RowSet
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Characters, TextColumn}
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
  */
final class TextSearch(
    indices: TextIndices,
    query: TextQuery,
    resolve: String => TextColumn
) {
  private val table = indices.table
  private val place = Place(path = Some(table.path), version = Some(table.version))

  /** The distinct columns of the query. */
  val columns: IndexedSeq[TextColumn] =
    query.leaves.map(leaf => resolve(leaf.column.get)).distinct

  private val columnOf: IndexedSeq[Int] =
    query.leaves.map(leaf => columns.indexOf(resolve(leaf.column.get)))

  /** The usable index of each column, if any. */
  lazy val found: IndexedSeq[Option[TextIndex]] = columns.map(c => indices.find(c.field.id))

  /** Returns the scan that a fuzzy query needs before [[run]], if the indices do not cover all rows.
    *
    * @param fastSearch see [[run]]
    */
  def wordScan(fastSearch: Boolean = false, useIndex: Boolean = true): Option[WordScan] = {
    val fragments = if (fastSearch) new RoaringBitmap else uncovered(opened(useIndex, Set.empty))
    val fuzzy = query.leaves.zipWithIndex.collect { case (m: MatchQuery, i) if m.isFuzzy => m -> i }
    Optional.unless(fragments.isEmpty || fuzzy.isEmpty) {
      WordScan(
        columns,
        columns.indices.map(parametersOf),
        for {
          (m, leaf) <- fuzzy
          group <- LeafAnalysis.words(m, parametersOf(columnOf(leaf)))
          word <- group.terms
        } yield SoughtWord(
          (leaf, group.position),
          columnOf(leaf),
          word,
          m.maxEdits(word),
          m.prefixLength,
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
    * @throws InvalidRequestException if an index cannot be used, so that the terms of its column are
    *   unknown; if `fastSearch` needs an index that does not exist; or for a phrase query on an index
    *   without positions
    */
  def run(
      limit: Int,
      rows: Option[RowSet] = None,
      fastSearch: Boolean = false,
      useIndex: Boolean = true,
      words: Option[FoundWords] = None
  ): TextAnswer = Place.in(place) {
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
    if (useIndex) columns.zip(found).foreach {
      case (column, None) =>
        indices.names(column.field.id).headOption.foreach { name =>
          throw new InvalidRequestException(
            s"the full-text index $name of column ${column.name} cannot be used, so its terms are unknown: " +
              "create it again, or search with use_index = false"
          )
        }
      case _ =>
    }
    run(limit, rows, fastSearch, useIndex, words, Set.empty)
  }

  /** @param damaged ids of segments to skip, because they could not be read */
  private def run(
      limit: Int,
      rows: Option[RowSet],
      fastSearch: Boolean,
      useIndex: Boolean,
      words: Option[FoundWords],
      damaged: Set[UUID]
  ): TextAnswer = {
    val opened = this.opened(useIndex, damaged)
    val failed = mutable.HashSet.empty[UUID]
    val scanned = if (fastSearch) new RoaringBitmap else uncovered(opened)
    val leaves = query.leaves.indices.map { i =>
      val c = columnOf(i)
      new LeafSearch(
        query.leaves(i),
        columns(c),
        parametersOf(c),
        opened(c),
        failed,
        position => words.flatMap(_.terms.get((i, position))).getOrElse(IndexedSeq.empty)
      )
    }
    checkCombined(leaves)
    lazy val plan = scan(leaves, opened, limit, scanned)
    // Scores of combined fields also depend on scanned rows.
    val keys = Optional.when(query.combined().nonEmpty && failed.isEmpty)(
      new IndexedKeys(plan, leaves).find(rows, scanned)
    )
    val scored =
      if (failed.nonEmpty || keys.isDefined && !scanned.isEmpty) ScoredRows.empty
      else keys.fold(search(leaves, limit, rows, scanned))(k => ScannedRows.best(plan, Seq(k)))
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
      run(limit, rows, fastSearch, useIndex, words, damaged ++ failed)
    } else
      new TextAnswer(scored, Optional.unless(scanned.isEmpty)(plan.copy(indexed = keys)))
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

  private def opened(useIndex: Boolean, damaged: Set[UUID]): IndexedSeq[Option[OpenIndex]] =
    found.indices.map { c =>
      found(c).filter(_ => useIndex && hasEqualTerms(c)).map(new OpenIndex(indices, _, damaged))
    }

  /** Whether the index of a column contains the terms of the query. The dictionaries of ICU differ from
    * the dictionaries of the reference, so for languages without spaces, the texts are scanned.
    */
  private def hasEqualTerms(column: Int): Boolean =
    !parametersOf(column).hasDictionary ||
      query.leaves.indices.forall { i =>
        columnOf(i) != column || !Characters.needDictionary(query.leaves(i).text)
      }

  private def parametersOf(column: Int): AnalyzerParameters =
    found(column).fold(AnalyzerParameters.default)(_.parameters)

  private def hasFuzzyLeaf: Boolean = query.leaves.exists {
    case m: MatchQuery => m.isFuzzy
    case _ => false
  }

  /** Returns the fragments that the index of any column does not cover. */
  private def uncovered(opened: IndexedSeq[Option[OpenIndex]]): RoaringBitmap = {
    val all = new RoaringBitmap
    opened.foreach(o => all.or(o.fold(indices.mapping.present)(_.uncovered)))
    all
  }

  /** @param excluded ids of fragments that are scanned */
  private def search(
      leaves: IndexedSeq[LeafSearch],
      limit: Int,
      rows: Option[RowSet],
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

  private def scan(
      leaves: IndexedSeq[LeafSearch],
      opened: IndexedSeq[Option[OpenIndex]],
      limit: Int,
      fragments: RoaringBitmap
  ): TextScan = {
    TextScan(
      query,
      columns.indices.map { c =>
        val ofColumn = leaves.indices.filter(columnOf(_) == c).map(leaves)
        ScannedColumn(
          columns(c),
          ofColumn.head.parameters,
          ofColumn.map(_.statistics).reduce((a, b) =>
            a.copy(numWithTerm = a.numWithTerm ++ b.numWithTerm)
          ),
          opened(c).map(_.uncovered)
        )
      },
      leaves.map(_.terms),
      columnOf,
      limit,
      scanned(fragments)
    )
  }

  /** The ids of fragments to scan; `None` for all fragments. */
  private def scanned(fragments: RoaringBitmap): Option[IndexedSeq[Long]] =
    Optional.unless(fragments == indices.mapping.present)(
      fragments.toArray.map(_ & 0xffffffffL).toIndexedSeq
    )

  /** Returns the addresses of rows. */
  def addresses(rows: Array[Long]): Array[Long] =
    if (table.hasStableRowIds) table.rowIdIndex.addressesOf(rows) else rows
}
