// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Characters, TextColumn}
import io.github.pysparklance.index.text.query.TextQuery

/** The columns of a query, and the indices that may be used for it.
  *
  * @param query query whose leaves all have a column
  * @param resolve returns the column with a name
  */
final private[text] class QueryColumns(
    indices: TextIndices,
    query: TextQuery,
    resolve: String => TextColumn
) {

  /** The distinct columns of the query. */
  val columns: IndexedSeq[TextColumn] =
    query.leaves.map(leaf => resolve(leaf.column.get)).distinct

  /** Number of the column of each leaf. */
  val columnOf: IndexedSeq[Int] =
    query.leaves.map(leaf => columns.indexOf(resolve(leaf.column.get)))

  /** The usable index of each column, if any. */
  lazy val found: IndexedSeq[Option[TextIndex]] = columns.map(c => indices.find(c.field.id))

  /** Opens the usable index of each column.
    *
    * @param damaged ids of segments to skip, because they could not be read
    */
  def opened(useIndex: Boolean, damaged: Set[UUID]): IndexedSeq[Option[OpenIndex]] =
    found.indices.map { c =>
      found(c).filter(_ => useIndex && hasEqualTerms(c)).map(new OpenIndex(indices, _, damaged))
    }

  /** Whether the index of a column contains the terms of the query. The dictionaries of ICU differ from
    * the dictionaries of the reference, so for languages without spaces, the texts are scanned.
    */
  def hasEqualTerms(column: Int): Boolean =
    !parametersOf(column).hasDictionary ||
      query.leaves.indices.forall { i =>
        columnOf(i) != column || !Characters.needDictionary(query.leaves(i).text)
      }

  /** The parameters of the analyzer of a column. */
  def parametersOf(column: Int): AnalyzerParameters =
    found(column).fold(AnalyzerParameters.default)(_.parameters)

  /** Whether any leaf is fuzzy. */
  def hasFuzzyLeaf: Boolean = query.leaves.exists(_.isFuzzy)

  /** Returns the fragments that the index of any column does not cover. */
  def uncovered(opened: IndexedSeq[Option[OpenIndex]]): RoaringBitmap = {
    val all = new RoaringBitmap
    opened.foreach(o => all.or(o.fold(indices.mapping.present)(_.uncovered)))
    all
  }

  /** Describes a scan.
    *
    * @param leaves searches of the leaves, with the statistics of the indices
    * @param fragments ids of the fragments to scan
    */
  def scan(
      leaves: IndexedSeq[LeafSearch],
      opened: IndexedSeq[Option[OpenIndex]],
      limit: Int,
      fragments: RoaringBitmap
  ): TextScan =
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
          opened(c).map(_.uncovered),
          opened(c).exists(_.roundsLengths)
        )
      },
      leaves.map(_.terms),
      columnOf,
      limit,
      scanned(fragments)
    )

  /** The ids of fragments to scan; `None` for all fragments. */
  def scanned(fragments: RoaringBitmap): Option[IndexedSeq[Long]] =
    Optional.unless(fragments == indices.mapping.present)(
      fragments.toArray.map(_ & 0xffffffffL).toIndexedSeq
    )
}
