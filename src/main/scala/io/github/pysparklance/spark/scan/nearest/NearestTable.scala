// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn => SparkMetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  TableCapability
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.{FloatType, IntegerType, LongType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.index.vector.{VectorColumn, VectorIndex, VectorIndices}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.scan.MetadataColumn

/** The rows of a table that are nearest to query vectors, with the columns of the table, `query_index` before them for
  * several query vectors, and `_distance` behind them. Rows come by query, nearest first. They are found when the table
  * is read.
  */
final class NearestTable private (
    source: NearestSource,
    field: VectorColumn,
    index: Option[VectorIndex],
    query: NearestQuery
) extends SupportsRead
    with SupportsMetadataColumns {

  override def name(): String = s"nearest rows of ${source.rows.name()}"

  override def schema(): StructType = NearestTable.columns(source, query)

  /** Whether rows have the number of their query. */
  private[spark] def isBatch: Boolean = query.vectors.isBatch

  override def metadataColumns(): Array[SparkMetadataColumn] = source.rows.metadataColumns()

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new NearestScanBuilder(source, field, index, query, schema())

  override def equals(other: Any): Boolean = other match {
    case t: NearestTable => t.identity == identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode

  private def identity: Seq[Any] = source.identity :+ query

  override def toString: String = name()
}

private[spark] object NearestTable {
  val distance: StructField = StructField("_distance", FloatType, nullable = true)
  val queryIndex: StructField = StructField("query_index", IntegerType, nullable = false)
  private val rowId = StructField(MetadataColumn.RowId.name, LongType, nullable = false)

  /** The columns of the result of a search. */
  private[nearest] def columns(source: NearestSource, query: NearestQuery): StructType = {
    val index = if (query.vectors.isBatch) Seq(queryIndex) else Nil
    val id = if (query.withRowId) Seq(rowId) else Nil
    StructType(index ++ source.columns ++ (distance +: id))
  }

  /** Returns the table of the rows that a search finds.
    *
    * @throws org.apache.spark.sql.AnalysisException if the query does not suit the table
    */
  def apply(source: NearestSource, query: NearestQuery): NearestTable = {
    val (field, index, resolved) = resolve(source, query)
    new NearestTable(source, field, index, resolved)
  }

  /** Finds the column and the index of a search, and checks its arguments.
    *
    * @return the column, the index if one is used, and the query with its metric
    * @throws org.apache.spark.sql.AnalysisException if the query does not suit the table
    */
  def resolve(
      source: NearestSource,
      query: NearestQuery
  ): (VectorColumn, Option[VectorIndex], NearestQuery) = LanceErrors.translated {
    val place = Place(path = Some(source.table.path))
    query.checkRows()
    val (field, vectors) = SearchedColumn(source.table, source.fields, query)
    val added = Seq(distance.name, MetadataColumn.RowAddr.name, MetadataColumn.RowId.name) ++
      (if (vectors.isBatch) Seq(queryIndex.name) else Nil)
    source.columns.fieldNames.find(n => added.exists(_.equalsIgnoreCase(n))).foreach { n =>
      throw new InvalidRequestException(
        s"the table has a column $n, which a search needs for itself; rename the column",
        place
      )
    }
    if (source.scan(StructType(Nil)).read.options.includesDeleted)
      throw new InvalidRequestException(
        "a search does not return deleted rows: leave includeDeletedRows out",
        place
      )
    val indices = new VectorIndices(source.table)
    // An index that cannot be used must not change the metric.
    val metric =
      if (query.parameters.metric.isDefined || !query.parameters.useIndex) query.parameters.metric
      else indices.metricOf(field.field.id)
    val index =
      if (query.parameters.useIndex) metric.flatMap(m => indices.find(field.field.id, Some(m)))
      else None
    if (query.parameters.fastSearch && index.isEmpty) throw missingIndex(field, query, place)
    if (query.parameters.fastSearch) index.foreach(indices.checkComplete)
    val resolved =
      query.copy(vectors = vectors, parameters = query.parameters.copy(metric = metric))
    new NearestSearch(SparkSession.active, source, field, index, resolved).checkFilter()
    (field, index, resolved)
  }

  private def missingIndex(
      field: VectorColumn,
      query: NearestQuery,
      place: Place
  ): InvalidRequestException = {
    val metric = query.parameters.metric.fold("")(m => s" with the metric $m")
    val usable = if (query.parameters.useIndex) "" else " that may be used"
    new InvalidRequestException(
      s"fast_search requires a vector index, and column ${field.name} has none$metric$usable: " +
        "create one, or leave fast_search out",
      place
    )
  }
}
