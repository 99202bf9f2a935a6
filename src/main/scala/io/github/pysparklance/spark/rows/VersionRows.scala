// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rows

import java.util

import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  TableCapability
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.scan.LanceScanBuilder
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes, TypeOptions}
import io.github.pysparklance.table.LanceTable

/** The rows of a version as a read-only table, for internal plans of writes. */
final private[spark] class VersionRows(
    location: TableLocation,
    table: LanceTable,
    types: TypeOptions = TypeOptions.default
) extends SupportsRead
    with SupportsMetadataColumns {

  override def name(): String = s"lance ${table.path}, version ${table.version}"

  override def schema(): StructType = SparkTypes.shownColumns(types.fields(table.schema), types)

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def metadataColumns(): Array[MetadataColumn] = MetadataFields.ofScans

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceScanBuilder(location, table, options, types)
}
