// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{LongType, StructType}

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks, TableLocation}
import io.github.pysparklance.table.cloning.{DeepClone, ShallowClone}
import io.github.pysparklance.table.{LanceTable, OtherTables}

/** Creates a table from a version of another table. */
private[spark] object CloneJob {

  /** Checks that a version can be cloned, before an existing table is dropped.
    *
    * @param target path of the clone
    */
  def check(source: LanceTable, target: String, isShallow: Boolean): Unit = LanceErrors.translated {
    if (isShallow) new ShallowClone(source).check(target) else new DeepClone(source).check(target)
  }

  /** Creates a shallow clone, which references the files of its source.
    *
    * @param source version to clone
    * @param target location of the clone
    * @throws org.apache.spark.sql.AnalysisException if the target exists
    */
  def shallow(
      source: JobTable,
      target: TableLocation,
      properties: Map[String, String] = Map.empty
  ): CloneOutcome = LanceErrors.translated {
    rejectTable(target)
    CloneOutcome(new ShallowClone(source.table)(target.path, properties), 0L)
  }

  /** Creates a deep clone. The tasks of a Spark job copy all files of the version.
    *
    * If it fails, the copied files stay, because a concurrent clone to the same target may
    * reference them.
    */
  def deep(
      source: JobTable,
      target: TableLocation,
      properties: Map[String, String] = Map.empty
  ): CloneOutcome = LanceErrors.translated {
    rejectTable(target)
    val clone = new DeepClone(source.table)
    val store = source.location.store
    val copies = clone.plan(target.path)
    val copied = SparkTasks.run(
      source.session,
      s"copying ${copies.length} files of ${source.table.path} to ${target.path}",
      copies.grouped(filesOfTask(source, copies.length)).toIndexedSeq
    ) { files =>
      files.foreach(c => store.copy(c.from, c.to))
      Long.box(files.length.toLong)
    }(_ => ())
    CloneOutcome(clone.commit(target.path, properties), copied.map(_.longValue).sum)
  }

  private def filesOfTask(source: JobTable, files: Int): Int = {
    val tasks = 4 * math.max(1, source.session.sparkContext.defaultParallelism)
    math.max(1, math.min(maxFilesOfTask, files / tasks))
  }

  private val maxFilesOfTask = 16

  /** Rejects a target with an existing table of any format. */
  def rejectTable(target: TableLocation): Unit = {
    if (LanceTable.exists(target.store, target.path))
      throw new InvalidRequestException(
        "there is a table already, so none can be cloned to here",
        Place(path = Some(target.path))
      )
    OtherTables.reject(target.store, target.path)
  }
}

/** The result of a clone.
  *
  * @param table the clone
  */
final private[spark] case class CloneOutcome(table: LanceTable, filesCopied: Long)
    extends JobResult {
  def schema: StructType = CloneOutcome.schema

  def row: Row = Row(table.version, table.fragments.length.toLong, filesCopied)
}

/** The schema of the result. */
private[spark] object CloneOutcome {
  val schema: StructType = new StructType()
    .add("version", LongType, nullable = false)
    .add("fragments", LongType, nullable = false)
    .add("files_copied", LongType, nullable = false)
}
