// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import org.apache.spark.sql.connector.catalog.{
  Column,
  StagedTable,
  SupportsWrite,
  Table,
  TableCapability
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.SparkShim

/** A table of another provider that was created before its rows are written, as in Spark's session
  * catalog.
  *
  * @param table the recorded table
  * @param drop removes the table again
  */
final private[spark] class PassedStagedTable(table: Table, drop: () => Unit)
    extends StagedTable
    with SupportsWrite {
  override def name(): String = table.name()

  override def columns(): Array[Column] = table.columns()

  override def schema(): StructType = SparkShim.structType(columns())

  override def partitioning(): Array[Transform] = table.partitioning()

  override def properties(): util.Map[String, String] = table.properties()

  override def capabilities(): util.Set[TableCapability] = table.capabilities()

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = table match {
    case writable: SupportsWrite => writable.newWriteBuilder(info)
    case other => throw LanceErrors.rejected(s"${other.name()} cannot be written")
  }

  override def commitStagedChanges(): Unit = ()

  override def abortStagedChanges(): Unit = drop()
}
