// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.Printable
import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}
import io.github.pysparklance.table.manifest.DataFile

/** `DESCRIBE DETAIL`, which describes a table in one row. */
private[spark] object DescribeDetail extends Statement {
  override val usage: String = "DESCRIBE DETAIL t"

  override def begins(cursor: Cursor): Boolean =
    (cursor.take("DESCRIBE", "DETAIL") || cursor.take("DESC", "DETAIL")) && cursor.seesName

  override def parse(cursor: Cursor): LogicalPlan = {
    if (!cursor.take("DESC")) cursor.expect("DESCRIBE")
    cursor.expect("DETAIL")
    DescribeDetailCommand(TableTarget(cursor.name()))
  }
}

/** Runs [[DescribeDetail]]. */
final private[spark] case class DescribeDetailCommand(target: TableTarget)
    extends TableCommand(DescribeDetailCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "DESCRIBE DETAIL")
    val table = loaded.table
    val files = table.fragments.flatMap(_.files)
    val live = table.fragments.map(_.liveRows)
    val physical = table.fragments.map(_.physicalRows)
    def sum(counts: Seq[Option[Long]]): Option[Long] =
      if (counts.forall(_.isDefined)) Some(counts.flatten.sum) else None
    val deleted = for (all <- sum(physical); left <- sum(live)) yield all - left
    Seq(Row(
      "lance",
      loaded.spark.name,
      table.path,
      loaded.branch.getOrElse("main"),
      table.version,
      table.manifest.timestamp,
      table.fileVersion.text,
      table.fragments.length,
      files.length,
      DataFile.totalBytes(files).map(_ + table.blobBytes(isExact = true).sum).orNull,
      sum(live).orNull,
      deleted.orNull,
      table.hasStableRowIds,
      table.indices.map(_.name).distinct,
      table.manifest.config.map { case (k, v) => Printable.line(k) -> Printable(v) }
    ))
  }
}

/** The columns of the result. */
private[spark] object DescribeDetailCommand {
  private val columns = new StructType()
    .add("format", StringType, nullable = false)
    .add("name", StringType, nullable = false)
    .add("location", StringType, nullable = false)
    .add("branch", StringType, nullable = false)
    .add("version", LongType, nullable = false)
    .add("last_modified", TimestampType, nullable = false)
    .add("file_version", StringType, nullable = false)
    .add("fragments", IntegerType, nullable = false)
    .add("files", IntegerType, nullable = false)
    .add("size_bytes", LongType)
    .add("rows", LongType)
    .add("deleted_rows", LongType)
    .add("stable_row_ids", BooleanType, nullable = false)
    .add("indices", ArrayType(StringType, containsNull = false), nullable = false)
    .add("properties", MapType(StringType, StringType, valueContainsNull = false), nullable = false)
}
