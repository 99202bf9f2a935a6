// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.columns.{NewColumns, NewFiles, SchemaUpdate}

/** Runs the scans and writes of schema changes as Spark jobs, with a task for each fragment. */
private[spark] object SchemaTasks {

  /** Runs the checks, and writes the files of changed columns.
    *
    * @param store file store of the tasks
    * @return the new files, for the commit
    */
  def write(
      session: SparkSession,
      store: FileStore,
      update: SchemaUpdate
  ): IndexedSeq[NewColumns] = {
    val path = update.table.path
    SparkTasks.run(session, s"looking for nulls in $path", update.checks) { check =>
      check.run(store)
      Done
    }(_ => ()): Unit
    val columns = update.tasks.flatMap(_.fields.map(_.name)).distinct.mkString(", ")
    SparkTasks.run(session, s"rewriting $columns of $path", update.tasks)(
      _.run(store)
    )(NewFiles.remove(store, path, _))
  }

  /** The result of a check. */
  private case object Done
}
