// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.{ArrayType, ByteType, DataType, NumericType, StructType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.{VectorColumn, VectorIndex}
import io.github.pysparklance.spark.scan.ScanPlan
import io.github.pysparklance.spark.scan.nearest.{
  NearestQuery,
  NearestSearch,
  NearestTable,
  QueryVectors,
  SearchedColumn,
  UndefinedDistance
}
import io.github.pysparklance.spark.scan.search.{AddedColumns, RankedReader, SearchSource}

/** The search of a k-nearest-neighbor join. Equal for the same table version and arguments.
  *
  * @param query query without vectors, which the rows of the join contain
  * @param requested query before it was resolved
  * @param sourceOf returns the version to search of a table in a plan; `None` for other tables
  */
final private[spark] class JoinSearch private (
    private val source: SearchSource,
    field: VectorColumn,
    index: Option[VectorIndex],
    private val query: NearestQuery,
    requested: NearestQuery,
    sourceOf: Table => Option[SearchSource]
) {

  /** Columns of the table, and `_distance`. */
  def columns: StructType = NearestTable.columns(source, query)

  /** The columns that the search adds to the columns of the table. */
  def added: AddedColumns = NearestTable.added(query)

  /** Maximum number of rows that a query finds. */
  def k: Int = query.parameters.k

  /** Number of rows to find for a query, including the rows that `offset` skips. */
  private[join] def numCandidates: Int = query.numCandidates

  /** Estimated size of some columns of a row, in bytes. */
  private[join] def rowBytes(columns: StructType): Long = taken(columns).estimate.rowBytes

  private def taken(columns: StructType): ScanPlan =
    source.scan(RankedReader.columnsToTake(columns, JoinSearch.addedByReader))

  /** Number of index segments; 0 without an index. */
  def numSegments: Int = index.fold(0)(_.segments.length)

  /** The path of the table. */
  def path: String = source.table.path

  /** Checks the type of the query vectors.
    *
    * @throws InvalidRequestException if they are not arrays of numbers; for columns with lists of
    *   vectors, arrays of these
    */
  def checkType(queries: DataType): Unit = {
    def isVector(t: DataType): Boolean = t match {
      case ArrayType(_: NumericType, _) => true
      case _ => false
    }
    val isKnown = queries match {
      case ArrayType(inner, _) if field.isMulti => isVector(queries) || isVector(inner)
      case other => isVector(other)
    }
    if (!isKnown)
      throw new InvalidRequestException(
        s"the query vectors have the type ${queries.sql}; arrays of numbers are expected" +
          (if (field.isMulti) ", or arrays of these" else "")
      )
  }

  /** Whether the search ranks rows as the functions in SQL do. These compare integers as floating
    * point numbers, and take queries with other elements.
    */
  def ranksAsFunctions(queries: DataType): Boolean = field.elementType match {
    case ElementType.Int8 =>
      queries match {
        case ArrayType(ByteType, _) => !query.parameters.metric.contains(Metric.Cosine)
        case _ => false
      }
    case ElementType.UInt8 => query.parameters.metric.contains(Metric.Hamming)
    case _ => true
  }

  /** Returns the query vectors of rows.
    *
    * @param expression expression over the columns of the rows, bound by position
    */
  private[join] def queries(expression: Expression): JoinQueries =
    new JoinQueries(expression, query.undefined, field.elementType)

  /** Prepares the work of tasks. Runs a job if the search has a filter.
    *
    * @param wanted columns of the result
    */
  private[join] def work(session: SparkSession, wanted: StructType): JoinWork = {
    val plan = this.taken(wanted)
    new JoinWork(
      search(session, query).inBatches(),
      plan.read,
      plan.store,
      plan.schema,
      wanted,
      plan.estimate.rowBytes
    )
  }

  /** Searches for all queries of a join together. */
  private[join] def of(
      session: SparkSession,
      queries: IndexedSeq[IndexedSeq[Array[Double]]]
  ): NearestSearch = {
    queries.iterator.flatten.foreach(SearchedColumn.check(field, _, query.undefined))
    search(
      session,
      query.copy(vectors = new QueryVectors(queries, isBatch = true, isNested = true))
    )
  }

  /** Returns the search of the table that a plan has now. Spark may have replaced it by a later
    * version since the analysis.
    */
  private[join] def of(table: Table): JoinSearch = sourceOf(table).filterNot { current =>
    current.table.version == source.table.version &&
    current.table.manifest.transactionFile == source.table.manifest.transactionFile
  }.fold(this)(JoinSearch(_, requested, sourceOf))

  private def search(session: SparkSession, query: NearestQuery): NearestSearch =
    new NearestSearch(session, source, field, index, query)

  /** The description of the search in `EXPLAIN`. */
  def description: String =
    (s"lance $path version ${source.table.version}" +:
      search(SparkSession.active, query).shape).mkString(", ")

  override def equals(other: Any): Boolean = other match {
    case s: JoinSearch => s.identity == identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode

  private val identity: Seq[Any] = source.identity(query.filter) :+ query

  override def toString: String = description
}

private[spark] object JoinSearch {

  /** @param sourceOf returns the version to search of a table in a plan; `None` for other tables
    * @throws org.apache.spark.sql.AnalysisException if the query does not suit the table
    */
  def apply(
      source: SearchSource,
      query: NearestQuery,
      sourceOf: Table => Option[SearchSource]
  ): JoinSearch = {
    val resolved = NearestTable.resolve(source, query)
    // An index has no vectors without a distance.
    val ranked =
      if (resolved.index.isEmpty || !query.undefined.takesAnyQuery) resolved.query
      else resolved.query.copy(undefined = UndefinedDistance.Ignored)
    new JoinSearch(source, resolved.field, resolved.index, ranked, query, sourceOf)
  }

  /** The columns that the reader adds. Row ids are read like columns of the table. */
  private[join] val addedByReader: AddedColumns =
    AddedColumns(IndexedSeq(AddedColumns.distance), isBatch = false, withRowId = false)
}
