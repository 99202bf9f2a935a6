// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.jobs.IndexReport
import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}

/** `DESCRIBE INDEX`, which describes the segments of an index. */
private[spark] object DescribeIndex extends Statement {
  override val usage: String = "DESCRIBE INDEX name ON t"

  override def begins(cursor: Cursor): Boolean =
    (cursor.take("DESCRIBE", "INDEX") || cursor.take("DESC", "INDEX")) &&
      cursor.seesAfterName("ON")

  override def parse(cursor: Cursor): LogicalPlan = {
    if (!cursor.take("DESC")) cursor.expect("DESCRIBE")
    cursor.expect("INDEX")
    val name = cursor.identifier()
    cursor.expect("ON")
    DescribeIndexCommand(TableTarget(cursor.name()), Some(name))
  }
}

/** Runs [[DescribeIndex]].
  *
  * @param index name of the index; `None` for all
  */
final private[spark] case class DescribeIndexCommand(target: TableTarget, index: Option[String])
    extends TableCommand(DescribeIndexCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] = LanceErrors.translated {
    val table = target.load(session, "DESCRIBE INDEX").table
    val report = new IndexReport(table)
    val all = report.indices
    val wanted = index.fold(all)(name => all.filter(_.name == name))
    if (index.isDefined && wanted.isEmpty)
      throw new NotFoundException(s"index ${index.get}", Place(path = Some(table.path)))
    if (index.isDefined) wanted.foreach(report.checkReadable)
    for (i <- wanted; s <- i.segments) yield Row(
      i.name,
      s.segment.uuid.toString,
      i.kind.orNull,
      s.segment.detailsType,
      i.fields.map(_.toString),
      s.segment.fields,
      s.segment.indexVersion,
      s.segment.datasetVersion,
      s.fragmentIds.orNull,
      s.indexed.map(_.rows).orNull,
      s.sizeBytes.orNull,
      s.createdAt.orNull,
      s.parameters
    )
  }
}

/** The columns of the result. */
private[spark] object DescribeIndexCommand {
  private val columns = new StructType()
    .add("name", StringType, nullable = false)
    .add("uuid", StringType, nullable = false)
    .add("index_type", StringType)
    .add("type_url", StringType, nullable = false)
    .add("fields", ArrayType(StringType, containsNull = false), nullable = false)
    .add("field_ids", ArrayType(IntegerType, containsNull = false), nullable = false)
    .add("index_version", IntegerType, nullable = false)
    .add("dataset_version", LongType, nullable = false)
    .add("fragment_ids", ArrayType(LongType, containsNull = false))
    .add("num_rows_indexed", LongType)
    .add("size_bytes", LongType)
    .add("created_at", TimestampType)
    .add("parameters", MapType(StringType, StringType, valueContainsNull = false), nullable = false)
}
