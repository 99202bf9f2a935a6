// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{InvalidRequestException, Optional, UnsupportedFeatureException}
import io.github.pysparklance.index.text.analysis.{
  AnalyzerParameters,
  Characters,
  Granularity,
  TextColumn
}
import io.github.pysparklance.index.text.query.TextQuery

/** The columns of a query, and the indices that may be used for it.
  *
  * @param query query whose leaves all have a column
  * @param resolve returns the column with a name
  * @param default granularity of leaves that have none; `None` for the granularity of the indices
  */
final private[text] class QueryColumns(
    indices: TextIndices,
    query: TextQuery,
    resolve: String => TextColumn,
    default: Option[Granularity]
) {

  /** The distinct columns of the query. */
  val columns: IndexedSeq[TextColumn] =
    query.leaves.map(leaf => resolve(leaf.column.get)).distinct

  /** Number of the column of each leaf. */
  val columnOf: IndexedSeq[Int] =
    query.leaves.map(leaf => columns.indexOf(resolve(leaf.column.get)))

  /** The granularity that the query selects for each column. */
  private val wanted: IndexedSeq[Option[Granularity]] = columns.indices.map { c =>
    val ofColumn =
      query.leaves.indices.filter(columnOf(_) == c).flatMap(query.leaves(_).granularity).distinct
    if (ofColumn.length > 1) failMixed()
    ofColumn.headOption.orElse(default)
  }

  /** The usable index of each column, if any. */
  lazy val found: IndexedSeq[Option[TextIndex]] = columns.zip(wanted).map { case (column, g) =>
    indices.find(column, g)
  }

  private lazy val parameters: IndexedSeq[AnalyzerParameters] = columns.indices.map { c =>
    indices.parametersOf(columns(c), wanted(c), found(c))
  }

  /** Whether documents are list elements. As in pylance, all parts of a query then search one
    * column.
    *
    * @throws InvalidRequestException if they search several columns, or rows as well
    * @throws UnsupportedFeatureException for a `multi_match` query of list elements
    */
  lazy val hasElements: Boolean = mayHaveElements && parameters.exists(_.hasElements) && {
    if (query.hasMultiMatch)
      throw new UnsupportedFeatureException(
        "a multi_match query, or a search of several columns, of list elements: search one column"
      )
    if (!parameters.forall(_.hasElements)) failMixed()
    if (columns.length > 1)
      throw new InvalidRequestException(
        s"a query of list elements searches ${columns.map(_.name).mkString(" and ")}: search one column"
      )
    true
  }

  /** Without lists, no index must be opened to know the documents. */
  private def mayHaveElements: Boolean =
    columns.exists(_.isList) || wanted.exists(_.contains(Granularity.ListElement))

  private def failMixed(): Nothing = throw new InvalidRequestException(
    s"a full-text query cannot search both rows and list elements: use the same ${Granularity.option} in all of " +
      "its parts"
  )

  /** Opens the usable index of each column.
    *
    * @param damaged ids of segments to skip, because they could not be read
    */
  def opened(useIndex: Boolean, damaged: Set[UUID]): IndexedSeq[Option[OpenIndex]] =
    found.indices.map { c =>
      found(c).filter(_ => useIndex && hasEqualTerms(c)).map(new OpenIndex(indices, _, damaged))
    }

  /** Whether the index of a column contains the terms of the query. The dictionaries of ICU differ
    * from the dictionaries of the reference, so for languages without spaces, the texts are
    * scanned.
    */
  def hasEqualTerms(column: Int): Boolean =
    !parametersOf(column).hasDictionary ||
      query.leaves.indices.forall { i =>
        columnOf(i) != column || !Characters.needDictionary(query.leaves(i).text)
      }

  /** The parameters of the analyzer of a column. */
  def parametersOf(column: Int): AnalyzerParameters = parameters(column)

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
      scanned(fragments),
      elements = Optional.when(hasElements)(indices.elementKeys)
    )

  /** The ids of fragments to scan; `None` for all fragments. */
  def scanned(fragments: RoaringBitmap): Option[IndexedSeq[Long]] =
    Optional.unless(fragments == indices.mapping.present)(
      fragments.toArray.map(_ & 0xffffffffL).toIndexedSeq
    )
}
