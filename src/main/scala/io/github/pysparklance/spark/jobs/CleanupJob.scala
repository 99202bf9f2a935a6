// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import scala.reflect.ClassTag

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{BooleanType, LongType, StringType, StructType}

import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.cleanup.{CleanupPlan, CleanupPolicy, CleanupStats, CleanupTask}

/** Removes old versions and unreferenced files. The driver plans the removal. If there are many
  * files, Spark jobs remove them, and the folders that become empty.
  */
private[spark] object CleanupJob {

  /** Up to this number of files, the driver removes them itself. */
  private val fewFiles = 1000

  private val filesOfTask = 500

  /** Removes the files that the policy selects. */
  def run(on: JobTable, policy: CleanupPolicy): CleanupOutcome = LanceErrors.translated {
    run(on, on.table.planCleanup(policy), fewFiles)
  }

  /** Returns the files that [[run]] would remove. */
  def dryRun(on: JobTable, policy: CleanupPolicy): CleanupListing = LanceErrors.translated {
    CleanupListing(on.table.planCleanup(policy))
  }

  /** @param few up to this number of files, the driver removes them itself */
  private[jobs] def run(on: JobTable, plan: CleanupPlan, few: Int): CleanupOutcome = {
    // The limit of requests per second is global, so a single process must enforce it.
    val here = plan.deletesPerSecond.isDefined || plan.files.length + plan.manifests.length <= few
    if (here) CleanupOutcome(plan.run(on.location.store))
    else {
      val stats = plan.remove(on.location.store, filesOfTask)(removed(on, _))
      if (plan.folders.length <= few) plan.removeFolders(on.location.store)
      else
        plan.folderTasks(filesOfTask).foreach { level =>
          inTasks(on, s"removing empty folders of ${on.table.path}", level)(_.run(_))
        }
      CleanupOutcome(stats)
    }
  }

  private def removed(on: JobTable, tasks: IndexedSeq[CleanupTask]): CleanupStats = {
    val description = s"removing ${tasks.map(_.files.length).sum} files of ${on.table.path}"
    inTasks(on, description, tasks)(_.run(_)).foldLeft(CleanupStats())(_ + _)
  }

  private def inTasks[T <: AnyRef: ClassTag, R <: AnyRef: ClassTag](
      on: JobTable,
      description: String,
      tasks: IndexedSeq[T]
  )(run: (T, FileStore) => R): IndexedSeq[R] = {
    val store = on.location.store
    SparkTasks.run(on.session, description, tasks)(run(_, store))(_ => ())
  }
}

/** The result of a clean-up. */
final private[spark] case class CleanupOutcome(stats: CleanupStats) extends JobResult {
  def schema: StructType = CleanupOutcome.schema

  def row: Row = Row(
    stats.bytesRemoved,
    stats.oldVersions,
    stats.dataFilesRemoved,
    stats.transactionFilesRemoved,
    stats.indexFilesRemoved,
    stats.deletionFilesRemoved,
    stats.failedDeletes
  )
}

/** The schema of the result. */
private[spark] object CleanupOutcome {
  val schema: StructType = new StructType()
    .add("bytes_removed", LongType, nullable = false)
    .add("old_versions", LongType, nullable = false)
    .add("data_files_removed", LongType, nullable = false)
    .add("transaction_files_removed", LongType, nullable = false)
    .add("index_files_removed", LongType, nullable = false)
    .add("deletion_files_removed", LongType, nullable = false)
    .add("failed_deletes", LongType, nullable = false)
}

/** The files that a clean-up would remove. */
final private[spark] case class CleanupListing(plan: CleanupPlan) {

  /** Returns a row for each file. */
  def rows: Seq[Row] = (plan.files ++ plan.manifests).map { f =>
    Row(f.path, f.kind.name, f.sizeBytes, f.version.map(_._2.version).orNull[Any], f.isUnverified)
  }
}

/** The schema of the listing. */
private[spark] object CleanupListing {
  val schema: StructType = new StructType()
    .add("path", StringType, nullable = false)
    .add("kind", StringType, nullable = false)
    .add("size_bytes", LongType, nullable = false)
    .add("version", LongType)
    .add("unverified", BooleanType, nullable = false)
}
