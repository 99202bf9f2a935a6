// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.col

import io.github.pysparklance.index.ScalarIndices
import io.github.pysparklance.index.zones.{FragmentZones, ZonedColumns}
import io.github.pysparklance.spark.commit.TaskFiles
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}
import io.github.pysparklance.spark.rows.VersionRows
import io.github.pysparklance.spark.shim.Frames
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}
import io.github.pysparklance.spark.write.{LanceCommitMessage, WriteOptions}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.{CompactionMetrics, CompactionResult, Reordering}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.MetadataColumn

/** Rewrites the rows of a table or of fragments in Z-order. Rows with similar values in all of the
  * columns are then in the same fragments and pages. Creates one commit. Rows keep their stable
  * ids.
  */
private[spark] object ZOrderJob {
  private val number = "__lance_zorder"

  /** @param columns column names, or paths of nested fields
    * @param request target size, maximum bytes, and fragments to rewrite; other options only apply
    *   to compactions
    * @throws org.apache.spark.sql.AnalysisException if a column does not exist or cannot be sorted,
    *   or if a concurrent commit changed the same fragments
    */
  def run(
      on: JobTable,
      columns: Seq[String],
      request: CompactionRequest
  ): CompactionOutcome = LanceErrors.translated {
    on.checkVisible(MetadataColumn.FragId +: lineage(on): _*)
    val reordering = new Reordering(on.table)
    val excluded = request.options.excludedFragmentIds
    val ids = on.table.fragments.map(_.id).toSet -- excluded -- pinned(on.table)
    val wanted = request.fragments.fold(ids)(_ & ids)
    val all = stored(on)
    ZOrder.keys(all, columns): Unit
    val groups = reordering.groups(Some(wanted)).filter(_.nonEmpty)
    var written = IndexedSeq.empty[(IndexedSeq[Fragment], IndexedSeq[Fragment])]
    var zones = IndexedSeq.empty[FragmentZones]
    def files = TaskFiles(written.flatMap(_._2), zones = zones)
    val commit = on.commit()
    commit.preparing(files) {
      groups.foreach { old =>
        val numRows = reordering.liveRows(old)
        val messages = sorted(on, columns, request, inFragments(all, old, on), numRows)
        written :+= old -> messages.flatMap(_.fragments).map(Fragment.parse)
        zones ++= messages.flatMap(_.zones)
      }
    }
    val metrics = written.map { case (old, added) =>
      CompactionResult(on.table.version, old, added).metrics
    }
    val table = commit.change(files)(reordering.commit(written, request.options.properties))
    CompactionOutcome(table, metrics.foldLeft(CompactionMetrics())(_ + _))
  }

  /** Returns the fragments that sorting must not replace. Without stable row ids, indices lose all
    * replaced fragments.
    */
  private def pinned(table: LanceTable): Set[Long] =
    if (!table.hasStableRowIds) Set.empty
    else
      table.indices.filterNot(_.isSystem).flatMap { s =>
        ScalarIndices.ignoredFragments(table, s).toArray.iterator.map(_ & 0xffffffffL)
      }.toSet

  /** Reads rows with their stored types, independent of the types that the catalog shows. */
  private def stored(on: JobTable): DataFrame = {
    val rows = new VersionRows(on.location, on.table, TypeOptions.stored)
    Frames.of(on.session, DataSourceV2Relation.create(rows, None, None))
  }

  private def inFragments(rows: DataFrame, fragments: Seq[Fragment], on: JobTable): DataFrame =
    if (fragments.length == on.table.fragments.length) rows
    else rows.where(col(MetadataColumn.FragId.name).isin(fragments.map(_.id): _*))

  private def sorted(
      on: JobTable,
      columns: Seq[String],
      request: CompactionRequest,
      rows: DataFrame,
      numRows: Long
  ): IndexedSeq[LanceCommitMessage] = if (numRows == 0) IndexedSeq.empty
  else {
    val target = math.max(1L, request.options.targetRowsPerFragment)
    val tasks = math.min((numRows + target - 1) / target, maxTasks).toInt
    val data = on.table.schema.fields.map(f => rows(quoteIdentifier(f.name)))
    val numbered = rows.select(
      data ++ lineage(on).map(c => rows(c.name)) :+ ZOrder.column(
        rows,
        numRows,
        ZOrder.keys(rows, columns)
      ).as(number): _*
    )
    val inOrder = numbered.repartitionByRange(tasks, col(number)).sortWithinPartitions(col(number))
    val writer = new SortedFragments(
      on.taskStore,
      on.table.path,
      on.table.schema,
      SparkTypes.structType(on.table.schema.fields, TypeOptions.stored),
      on.table.fileVersion,
      on.table.hasStableRowIds,
      // Ranges have similar sizes. The limit allows a file to hold one complete range.
      WriteOptions(None, 2 * target, request.options.maxBytesPerFile),
      ZonedColumns.ofRewrite(on.table, on.zoneMaps)
    )
    SparkTasks
      .partitions(
        on.session,
        s"sorting $numRows rows of ${on.table.path} by ${columns.mkString(", ")}",
        Frames.rows(inOrder)
      )(writer.write)(writer.remove)
  }

  private val maxTasks = 100000L

  /** Metadata columns that are preserved for each row. */
  private def lineage(on: JobTable): Seq[MetadataColumn] =
    if (!on.table.hasStableRowIds) Nil
    else
      Seq(
        MetadataColumn.RowId,
        MetadataColumn.RowCreatedAtVersion,
        MetadataColumn.RowLastUpdatedAtVersion
      )
}
