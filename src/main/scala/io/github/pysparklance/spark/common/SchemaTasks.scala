// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.columns.{NewColumns, NewFiles, SchemaUpdate}

/** Changes of the columns of a table, what has to be read and written for them done by the tasks of Spark jobs, one for
  * each fragment.
  */
private[spark] object SchemaTasks {

  /** Runs the checks, and writes the files of columns that change.
    *
    * @param store what the tasks read and write with
    * @return the files, for a commit
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

  /** The answer of a task that only looks. */
  private case object Done
}
