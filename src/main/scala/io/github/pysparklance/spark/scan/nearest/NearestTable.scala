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

  override def schema(): StructType = {
    val columns = source.columns
    val index = if (query.vectors.isBatch) Seq(NearestTable.queryIndex) else Nil
    val id = if (query.withRowId) Seq(NearestTable.rowId) else Nil
    StructType(index ++ columns ++ (NearestTable.distance +: id))
  }

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

  private def identity: Seq[Any] = Seq(source.rows, source.options, query)

  override def toString: String = name()
}

private[spark] object NearestTable {
  val distance: StructField = StructField("_distance", FloatType, nullable = true)
  val queryIndex: StructField = StructField("query_index", IntegerType, nullable = false)
  private val rowId = StructField(MetadataColumn.RowId.name, LongType, nullable = false)

  /** @throws org.apache.spark.sql.AnalysisException if the query does not suit the table */
  def apply(source: NearestSource, query: NearestQuery): NearestTable = LanceErrors.translated {
    query.numCandidates: Unit
    val added = Seq(distance.name, MetadataColumn.RowAddr.name, MetadataColumn.RowId.name) ++
      (if (query.vectors.isBatch) Seq(queryIndex.name) else Nil)
    source.columns.fieldNames.find(n => added.exists(_.equalsIgnoreCase(n))).foreach { n =>
      throw new InvalidRequestException(
        s"the table has a column $n, which a search needs for itself; rename the column",
        Place(path = Some(source.table.path))
      )
    }
    val field = SearchedColumn(source.table, source.fields, query)
    if (source.scan(StructType(Nil)).read.options.includesDeleted)
      throw new InvalidRequestException(
        "a search does not return deleted rows: leave includeDeletedRows out",
        Place(path = Some(source.table.path))
      )
    val indices = new VectorIndices(source.table)
    // An index that cannot be used must not change the metric.
    val metric =
      if (query.parameters.metric.isDefined || !query.parameters.useIndex) query.parameters.metric
      else indices.metricOf(field.field.id)
    val index =
      if (query.parameters.useIndex) metric.flatMap(m => indices.find(field.field.id, Some(m)))
      else None
    if (query.parameters.fastSearch && index.isEmpty)
      throw new InvalidRequestException(
        s"fast_search reads a vector index, and column ${field.name} has none" +
          query.parameters.metric.fold("")(m => s" with the metric $m") +
          (if (query.parameters.useIndex) "" else " that may be used") +
          ": create one, or leave fast_search out",
        Place(path = Some(source.table.path))
      )
    if (query.parameters.fastSearch) index.foreach(indices.checkComplete)
    val resolved = query.copy(parameters = query.parameters.copy(metric = metric))
    new NearestSearch(SparkSession.active, source, field, index, resolved).checkFilter()
    new NearestTable(source, field, index, resolved)
  }
}
