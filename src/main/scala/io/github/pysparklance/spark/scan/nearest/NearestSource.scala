// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.apache.spark.sql.connector.catalog.{SupportsMetadataColumns, SupportsRead}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.common.ViewContext
import io.github.pysparklance.spark.scan.{LanceScan, LanceScanBuilder, ScanPlan}
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.table.LanceTable

/** The table that is searched, at one version.
  *
  * @param rows the table as Spark reads all of its rows
  * @param table the version
  * @param fields of the table in the types of the read
  * @param options of the read
  * @param context of the names in a filter
  */
final private[spark] case class NearestSource(
    rows: SupportsRead with SupportsMetadataColumns,
    table: LanceTable,
    fields: IndexedSeq[Field],
    options: CaseInsensitiveStringMap,
    context: ViewContext
) {

  /** Sources with equal identity have the same rows. The name of the transaction file is unique,
    * also if a table is dropped and created again.
    */
  private[nearest] def identity: Seq[Any] = Seq(
    rows,
    options,
    table.path,
    table.version,
    table.manifest.transactionFile,
    context.identity
  )

  /** The columns of the table. */
  private[nearest] def columns: StructType = SparkShim.structType(rows.columns())

  /** The plan of a scan of some columns, metadata columns among them. */
  private[nearest] def scan(columns: StructType): ScanPlan =
    rows.newScanBuilder(options) match {
      case builder: LanceScanBuilder =>
        builder.pruneColumns(columns)
        builder.build() match {
          case scan: LanceScan => scan.plan
          case other => throw new IllegalStateException(s"a search by ${other.getClass.getName}")
        }
      case other => throw new IllegalStateException(s"a search by ${other.getClass.getName}")
    }

  /** All rows, for a plan. */
  private[nearest] def relation: DataSourceV2Relation =
    DataSourceV2Relation.create(rows, None, None, options)
}
