// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.{NewColumns, NewFiles, SchemaUpdate}

/** Changes of the columns of a table, what has to be read and written for them done by the tasks of Spark jobs, one for
  * each fragment.
  */
private[spark] object SchemaTasks {

  /** @param store what the tasks read and write with
    * @param commit is given the files that were written, which go when it fails
    */
  def run(session: SparkSession, store: FileStore, update: SchemaUpdate)(
      commit: Seq[NewColumns] => LanceTable
  ): LanceTable = {
    val path = update.table.path
    SparkTasks.run(session, s"looking for nulls in $path", update.checks) { check =>
      check.run(store)
      Done
    }(_ => ()): Unit
    val columns = update.tasks.flatMap(_.fields.map(_.name)).distinct.mkString(", ")
    val files =
      SparkTasks.run(session, s"rewriting $columns of $path", update.tasks)(
        _.run(store)
      )(NewFiles.remove(store, path, _))
    NewFiles.removedOnFailure(update.table, files)(commit(files))
  }

  /** The answer of a task that only looks. */
  private case object Done
}
