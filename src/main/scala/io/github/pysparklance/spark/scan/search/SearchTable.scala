// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import java.util

import org.apache.spark.sql.connector.catalog.{
  MetadataColumn => SparkMetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  Table,
  TableCapability
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The rows of a table that a search finds, best rows first. Has the columns of the table and of
  * the search. The search runs when the table is read.
  */
final class SearchTable private[scan] (source: SearchSource, query: RowQuery)
    extends SupportsRead
    with SupportsMetadataColumns {

  override def name(): String = s"${query.title} of ${source.rows.name()}"

  override def schema(): StructType = added.around(source.columns)

  /** The columns that the search adds. */
  private[spark] def added: AddedColumns = query.added

  /** The searched table. */
  private[spark] def searched: Table = source.rows

  /** The metadata columns of the table. A vector search has no scores. */
  override def metadataColumns(): Array[SparkMetadataColumn] =
    source.rows.metadataColumns().filterNot(_.name == AddedColumns.score)

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new SearchScanBuilder(source, query)

  override def equals(other: Any): Boolean = other match {
    case t: SearchTable => t.identity == identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode

  private val identity: Seq[Any] = source.identity(query.filter) :+ query

  override def toString: String = name()
}
