// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{Batch, InputPartition, Scan}
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Log
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.scan.task.ScanMetrics
import io.github.pysparklance.table.scan.FragmentScan

/** A scan of a version of a table. It is planned when Spark requests its tasks. */
abstract class PlannedScan private[scan] (private[scan] val plan: ScanPlan)
    extends Scan
    with Batch {
  private var planningNanos = 0L

  /** The fragments of each task before runtime filters are applied. */
  private[scan] lazy val tasks: IndexedSeq[IndexedSeq[FragmentScan]] = timed(plan.tasks)

  /** The fragments of each task. */
  private[scan] def plannedTasks: IndexedSeq[IndexedSeq[FragmentScan]] = tasks

  /** Runs a part of the planning. Translates its errors, and measures its duration. */
  private[scan] def timed[A](planning: => A): A = {
    val started = System.nanoTime()
    try LanceErrors.translated(planning)
    finally planningNanos += System.nanoTime() - started
  }

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] =
    logged(plannedTasks).map(t => partition(t): InputPartition).toArray

  /** Returns the input partition of a task. */
  private[scan] def partition(task: IndexedSeq[FragmentScan]): LanceInputPartition =
    LanceInputPartition(task)

  private def logged(tasks: IndexedSeq[IndexedSeq[FragmentScan]]) = {
    PlannedScan.log.debug(
      s"${description()}: ${tasks.length} tasks, planned in ${planningNanos / 1000000} ms"
    )
    tasks
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] = Array(
    TaskMetric(ScanMetrics.FragmentsTotal, plan.table.fragments.length.toLong),
    TaskMetric(ScanMetrics.FragmentsKept, numKept),
    TaskMetric(ScanMetrics.PlanningTime, planningNanos),
    TaskMetric(ScanMetrics.IndexTime, indexed.map(_.nanos).sum),
    TaskMetric(ScanMetrics.IndexBytes, indexed.map(_.meter.reads.bytes).sum),
    TaskMetric(ScanMetrics.IndexCacheHits, indexed.map(_.meter.numHits).sum),
    TaskMetric(ScanMetrics.IndexCacheMisses, indexed.map(_.meter.numMisses).sum),
    TaskMetric(ScanMetrics.IndexRows, indexed.lastOption.fold(0L)(_.numRows))
  )

  /** The index selections, the most selective one last. */
  private[scan] def indexed: Seq[IndexedRows] = plan.indexed.toSeq

  private def numKept: Long = {
    val ids = new RoaringBitmap
    plannedTasks.foreach(_.foreach(s => ids.add(s.fragment.id.toInt)))
    ids.getLongCardinality
  }

  /** Additional parts of the description. */
  private[scan] def extras: Seq[String] = Nil

  override def description(): String = {
    val table = plan.table
    val conditions = plan.conditions
    val condition = if (conditions.isEmpty) "" else conditions.mkString("where ", " AND ", "")
    val parts = Seq(
      s"$numKept of ${table.fragments.length} fragments",
      readSchema().catalogString,
      condition
    ) ++ plan.indexed.map(_.description) ++ plan.shape ++ extras
    s"lance ${table.path} version ${table.version}, " + parts.filter(_.nonEmpty).mkString(", ")
  }
}

private object PlannedScan {
  val log: Log = Log(classOf[PlannedScan])
}

/** The fragments that a task reads, in scan order. */
private[spark] trait LanceInputPartition extends InputPartition {
  def scans: IndexedSeq[FragmentScan]
}

/** A partition without a key. */
final private[scan] class PlainInputPartition(override val scans: IndexedSeq[FragmentScan])
    extends LanceInputPartition

/** Creates partitions. */
private[spark] object LanceInputPartition {
  def apply(scans: IndexedSeq[FragmentScan]): LanceInputPartition = new PlainInputPartition(scans)

  /** Returns the fragments of a partition. */
  def scans(partition: InputPartition): IndexedSeq[FragmentScan] = partition match {
    case ours: LanceInputPartition => ours.scans
    case other => throw new IllegalArgumentException(s"a partition of ${other.getClass.getName}")
  }
}
