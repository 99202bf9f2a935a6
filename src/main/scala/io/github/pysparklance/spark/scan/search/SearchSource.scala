// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.connector.catalog.{SupportsMetadataColumns, SupportsRead}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{Field, InvalidRequestException, Place}
import io.github.pysparklance.spark.common.ViewContext
import io.github.pysparklance.spark.scan.{LanceScan, LanceScanBuilder, ScanPlan}
import io.github.pysparklance.spark.shim.{SessionShim, SparkShim}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{ComputedColumn, MetadataColumn}

/** The table that is searched, at one version.
  *
  * @param rows the table as Spark reads all of its rows
  * @param table the version
  * @param fields fields of the table in the types of the read
  * @param options options of the read
  * @param context context of the names in a filter
  */
final private[spark] case class SearchSource(
    rows: SupportsRead with SupportsMetadataColumns,
    table: LanceTable,
    fields: IndexedSeq[Field],
    options: CaseInsensitiveStringMap,
    context: ViewContext
) {

  /** Searches of sources with equal identity find the same rows. The name of the transaction file is
    * unique, also if a table is dropped and created again. A search whose filter has a subquery equals
    * only itself, because the tables of the subquery may change.
    *
    * @param filter filter of the search
    */
  private[scan] def identity(filter: Option[String]): Seq[Any] = Seq[Any](
    rows,
    options,
    table.path,
    table.version,
    table.manifest.transactionFile,
    context.identity
  ) ++ filter.filter(hasSubquery).map(_ => once)

  private val once = new Object

  private def hasSubquery(filter: String): Boolean =
    SubqueryExpression.hasSubquery(SessionShim.parser(SparkSession.active).parseExpression(filter))

  /** The columns of the table. */
  private[scan] def columns: StructType = SparkShim.structType(rows.columns())

  /** The plan of a scan of some columns, metadata columns among them. */
  private[scan] def scan(columns: StructType): ScanPlan =
    rows.newScanBuilder(options) match {
      case builder: LanceScanBuilder =>
        builder.pruneColumns(columns)
        builder.build() match {
          case scan: LanceScan => scan.plan
          case other => throw new IllegalStateException(s"a search by ${other.getClass.getName}")
        }
      case other => throw new IllegalStateException(s"a search by ${other.getClass.getName}")
    }

  /** Returns a scan of some fields with the identity of each row: the stable id if the table has
    * them, and the address.
    *
    * @param fields pruned to the children to read
    */
  private[scan] def scan(fields: IndexedSeq[Field]): ScanPlan = {
    val computed: IndexedSeq[ComputedColumn] =
      if (table.hasStableRowIds) IndexedSeq(MetadataColumn.RowId, MetadataColumn.RowAddr)
      else IndexedSeq(MetadataColumn.RowAddr)
    val all = scan(StructType(Nil))
    all.copy(read = all.read.copy(fields = fields, computed = computed))
  }

  /** All rows, for a plan. */
  private[scan] def relation: DataSourceV2Relation =
    DataSourceV2Relation.create(rows, None, None, options)

  /** Fails if the table cannot be searched.
    *
    * @param added columns of the result besides the columns of the table
    * @throws InvalidRequestException if the table has a column of one of these names, or the read
    *   includes deleted rows
    */
  private[scan] def check(added: AddedColumns): Unit = {
    val place = Place(path = Some(table.path))
    val names = Set(MetadataColumn.RowAddr.name, MetadataColumn.RowId.name) ++ added.computed
    columns.fieldNames.find(n => names.exists(_.equalsIgnoreCase(n))).foreach { n =>
      throw new InvalidRequestException(
        s"the table has a column $n, which a search needs for itself; rename the column",
        place
      )
    }
    if (scan(StructType(Nil)).read.options.includesDeleted)
      throw new InvalidRequestException(
        "a search does not return deleted rows: leave includeDeletedRows out",
        place
      )
  }
}
