// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.update

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{Project, WriteDelta}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.functions.{col, count, lit, shiftright}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.spark.jobs.{ColumnJob, JobTable}
import io.github.pysparklance.spark.rowlevel.{
  DeltaOperation,
  RetriableCommand,
  RetriableStatement,
  RetriedStatement,
  RowCounts
}
import io.github.pysparklance.spark.shim.{DriverCommand, Frames}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.transaction.Retry

/** Runs an UPDATE as a rewrite of columns, or as Spark planned it if that writes less data.
  *
  * @param delta Spark's plan
  * @param options options of the statement
  * @param changed columns with new values, as attributes of the query of the delta
  */
final private[update] case class UpdateColumns(
    delta: WriteDelta,
    table: LanceSparkTable,
    options: CaseInsensitiveStringMap,
    changed: Seq[Attribute],
    mode: UpdateMode
) extends DriverCommand(new StructType())
    with RetriableCommand {

  override lazy val metrics: Map[String, SQLMetric] = {
    val context = SparkSession.active.sparkContext
    Map(
      UpdateColumnsMetrics.updatedRows -> SQLMetrics.createMetric(context, "rows updated"),
      UpdateColumnsMetrics.fragments -> SQLMetrics.createMetric(
        context,
        "fragments with new columns"
      )
    )
  }

  override def innerChildren: Seq[QueryPlan[_]] = Seq(delta.query)

  override def simpleString(maxFields: Int): String =
    s"UpdateColumns ${table.name}, columns ${changed.map(_.name).mkString(", ")}, mode ${mode.text}"

  override def execute(session: SparkSession): Seq[Row] = LanceErrors.translated {
    if (info.isCommittedIn(version)) ()
    else if (mode == UpdateMode.Columns || isLess(session)) rewriteColumns(session)
    else {
      delta.setTagValue(UpdateByColumns.byRows, ())
      RetriedStatement.runOnce(delta)
      Frames.of(session, delta): Unit
    }
    Nil
  }

  override def retry: Retry =
    if (DeltaOperation.namesPlaces(delta)) Retry.never else Retry.of(info.options)

  override def onLatest: Option[RetriableStatement] =
    DeltaOperation.onLatest(delta).map(latest => copy(delta = latest))

  /** The table that the delta reads, which may be the WAP branch. */
  private def target: (TableLocation, LanceTable) =
    DeltaOperation.unapply(delta).fold((table.location, table.table))(_.target)

  private def location: TableLocation = target._1

  private def version: LanceTable = target._2

  private def address: Attribute = UpdateByColumns.addressOf(delta).get

  private def rewriteColumns(session: SparkSession): Unit = {
    val values = Frames.of(session, Project(address +: changed, delta.query))
    val job = JobTable(session, location, version)
    val names = changed.map(_.name)
    val said = (rows: Long) =>
      info.withProperties(RowCounts(0, rows, 0).properties ++ CommitInfo.by("UPDATE"))
    val done = ColumnJob.update(job, values, names, values, said, areChecked = true)
    metrics(UpdateColumnsMetrics.updatedRows).set(done.rowsWritten)
    metrics(UpdateColumnsMetrics.fragments).set(done.fragmentsRewritten)
    val context = session.sparkContext
    val execution = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(context, execution, metrics.values.toSeq)
  }

  private lazy val info: CommitInfo = {
    val config = version.manifest.config
    CommitInfo(LanceOptions(OptionUse.Write, options, config, location.options))
  }

  private def isLess(session: SparkSession): Boolean = {
    val fragment = shiftright(col(MetadataColumn.RowAddr.name), 32)
    val touched = Frames
      .of(session, Project(Seq(address), delta.query))
      .groupBy(fragment)
      .agg(count(lit(1)))
      .collect()
      .map(r => r.getLong(0) -> r.getLong(1))
      .toMap
    UpdateMode.prefersColumns(version, touched, changed.map(_.name).toSet)
  }
}

private object UpdateColumnsMetrics {
  val updatedRows = "lanceUpdatedRows"
  val fragments = "lanceFragmentsRewritten"
}
