// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import io.github.pysparklance.spark.commit.Published
import io.github.pysparklance.spark.metrics.{NanosecondMetric, TaskMetric}

/** Time from the end of the tasks to the new version. */
final class CommitTimeMetric extends NanosecondMetric(CommitRecord.CommitTime, "commit time")

/** Version created by the write. */
final class CommittedVersionMetric extends CustomSumMetric {
  def name(): String = CommitRecord.CommittedVersion
  def description(): String = "version committed"
}

/** Concurrent versions between the base of the write and its own version. */
final class RebasedVersionsMetric extends CustomSumMetric {
  def name(): String = CommitRecord.RebasedVersions
  def description(): String = "versions of others meanwhile"
}

/** Rows that the write removed from the table. */
final class ReplacedRowsMetric extends CustomSumMetric {
  def name(): String = CommitRecord.ReplacedRows
  def description(): String = "rows replaced"
}

/** Collects the metrics of a commit on the driver. */
final private[write] class CommitRecord {
  private var counted = Array.empty[CustomTaskMetric]

  /** Runs and measures a commit.
    *
    * @param before base version of the write; `None` if the table is created
    * @param commit the commit; returns `None` if the table already contained the write
    * @return whether the commit wrote anything
    */
  def of(before: Option[Long])(commit: => Option[Published]): Boolean = {
    val started = System.nanoTime()
    val done = commit
    val nanos = System.nanoTime() - started
    done.foreach(count(_, before, nanos))
    done.isDefined
  }

  private def count(published: Published, before: Option[Long], nanos: Long): Unit = {
    // Writes without changes, and staged writes, create no version.
    val version = published.table.map(_.version).filterNot(before.contains)
    counted = Array[CustomTaskMetric](
      TaskMetric(CommitRecord.CommitTime, nanos),
      TaskMetric(CommitRecord.ReplacedRows, published.replacedRows)
    ) ++ version.toSeq.flatMap { v =>
      Seq(
        TaskMetric(CommitRecord.CommittedVersion, v),
        TaskMetric(CommitRecord.RebasedVersions, before.fold(0L)(b => math.max(0L, v - b - 1)))
      )
    }
  }

  /** The metrics; empty before the commit. */
  def values: Array[CustomTaskMetric] = counted
}

/** Names of the metrics. */
private[write] object CommitRecord {
  val CommitTime = "lanceCommitTime"
  val CommittedVersion = "lanceCommittedVersion"
  val RebasedVersions = "lanceRebasedVersions"
  val ReplacedRows = "lanceReplacedRows"

  def metrics: Array[CustomMetric] = Array(
    new CommitTimeMetric,
    new CommittedVersionMetric,
    new RebasedVersionsMetric,
    new ReplacedRowsMetric
  )
}
