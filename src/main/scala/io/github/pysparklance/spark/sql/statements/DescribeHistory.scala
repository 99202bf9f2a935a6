// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}
import io.github.pysparklance.table.history.VersionLog

/** `DESCRIBE HISTORY`, which lists the versions of a table, latest first. */
private[spark] object DescribeHistory extends Statement {
  override val usage: String = "DESCRIBE HISTORY t [LIMIT n]"

  override def begins(cursor: Cursor): Boolean =
    (cursor.take("DESCRIBE", "HISTORY") || cursor.take("DESC", "HISTORY")) && cursor.seesName

  override def parse(cursor: Cursor): LogicalPlan = {
    if (!cursor.take("DESC")) cursor.expect("DESCRIBE")
    cursor.expect("HISTORY")
    val target = TableTarget(cursor.name())
    DescribeHistoryCommand(target, Optional.when(cursor.take("LIMIT"))(cursor.number()))
  }
}

/** Runs [[DescribeHistory]].
  *
  * @param limit maximum number of versions
  */
final private[spark] case class DescribeHistoryCommand(target: TableTarget, limit: Option[Long])
    extends TableCommand(DescribeHistoryCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "DESCRIBE HISTORY")
    val versions = VersionLog.of(loaded.table, untilThis = true).latestFirst
    limit.fold(versions)(n => versions.take(math.min(n, Int.MaxValue).toInt)).map(_.info).map { v =>
      Row(
        v.version,
        v.timestamp,
        CommitInfo.operation(v).orNull,
        v.readVersion.orNull,
        v.rowCount.orNull,
        v.rowsAdded.orNull,
        v.rowsDeleted.orNull,
        v.numFragments,
        v.properties,
        v.writer.map(w => s"${w.library} ${w.version}").orNull
      )
    }.toIndexedSeq
  }
}

/** The columns of the result. */
private[spark] object DescribeHistoryCommand {
  private val columns = new StructType()
    .add("version", LongType, nullable = false)
    .add("timestamp", TimestampType, nullable = false)
    .add("operation", StringType)
    .add("read_version", LongType)
    .add("rows", LongType)
    .add("rows_added", LongType)
    .add("rows_deleted", LongType)
    .add("fragments", IntegerType, nullable = false)
    .add("properties", MapType(StringType, StringType, valueContainsNull = false), nullable = false)
    .add("writer", StringType)
}
