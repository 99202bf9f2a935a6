// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{LongType, StructType}

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks, TableLocation}
import io.github.pysparklance.table.cloning.{DeepClone, ShallowClone}
import io.github.pysparklance.table.{LanceTable, OtherTables}

/** Makes a table of its own from a version of another one. */
private[spark] object CloneJob {

  /** Without copying anything: the clone names the files of its source.
    *
    * @param source the version that is cloned
    * @param target where the clone will be
    * @throws org.apache.spark.sql.AnalysisException when a table is there
    */
  def shallow(
      source: JobTable,
      target: TableLocation,
      properties: Map[String, String] = Map.empty
  ): CloneOutcome = LanceErrors.translated {
    refuseTable(target)
    CloneOutcome(new ShallowClone(source.table)(target.path, properties), 0L)
  }

  /** With copies of all files of the version, which the tasks of a Spark job make.
    *
    * After a failure the copies so far stay, since another clone to the same place may be about to name them.
    */
  def deep(
      source: JobTable,
      target: TableLocation,
      properties: Map[String, String] = Map.empty
  ): CloneOutcome = LanceErrors.translated {
    refuseTable(target)
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

  /** Fails when there is a table, also one of another format. */
  def refuseTable(target: TableLocation): Unit = {
    if (LanceTable.exists(target.store, target.path))
      throw new InvalidRequestException(
        "there is a table already, so none can be cloned to here",
        Place(path = Some(target.path))
      )
    OtherTables.refuse(target.store, target.path)
  }
}

/** What a clone made.
  *
  * @param table the clone
  */
final private[spark] case class CloneOutcome(table: LanceTable, filesCopied: Long)
    extends JobResult {
  def schema: StructType = CloneOutcome.schema

  def row: Row = Row(table.version, table.fragments.length.toLong, filesCopied)
}

private[spark] object CloneOutcome {
  val schema: StructType = new StructType()
    .add("version", LongType, nullable = false)
    .add("fragments", LongType, nullable = false)
    .add("files_copied", LongType, nullable = false)
}
