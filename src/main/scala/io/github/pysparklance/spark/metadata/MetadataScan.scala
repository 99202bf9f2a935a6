// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.read.{
  LocalScan,
  Scan,
  ScanBuilder,
  SupportsPushDownLimit,
  SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors

/** Builds a scan with the columns and the limit of a query, so that no unneeded metadata is read.
  */
final private class MetadataScanBuilder(name: String, view: MetadataView, source: MetadataSource)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownLimit {
  private var wanted = view.schema
  private var limit = Option.empty[Int]

  override def pruneColumns(required: StructType): Unit = wanted = required

  override def pushLimit(most: Int): Boolean = {
    limit = Some(most)
    true
  }

  override def isPartiallyPushed: Boolean = false

  override def build(): Scan = new MetadataScan(name, view, source, wanted, limit)
}

/** Scans rows that are created on the driver. */
final private class MetadataScan(
    name: String,
    view: MetadataView,
    source: MetadataSource,
    wanted: StructType,
    limit: Option[Int]
) extends LocalScan {
  private lazy val made: Array[InternalRow] = LanceErrors.translated {
    val byName = view.columns.map(c => c.name -> c).toMap
    val columns = wanted.fieldNames.toSeq.map(byName)
    val toInternal = CatalystTypeConverters.createToCatalystConverter(wanted)
    val entries = view.entries(source)
    limit
      .fold(entries)(entries.take)
      .map(e => toInternal(Row.fromSeq(columns.map(_.value(e)))).asInstanceOf[InternalRow])
      .toArray
  }

  override def readSchema(): StructType = wanted

  override def rows(): Array[InternalRow] = made

  override def description(): String =
    s"lance $name, ${wanted.length} of ${view.columns.length} columns" +
      limit.fold("")(n => s", $n rows at most")
}
