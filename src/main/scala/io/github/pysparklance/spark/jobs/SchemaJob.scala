// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.core.Column
import io.github.pysparklance.spark.commit.TaskFiles
import io.github.pysparklance.spark.common.{LanceErrors, SchemaTasks}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.schema.SchemaChange

/** Changes the columns of a table in one commit. What has to be read or written for it, such as the values of a column
  * that gets another type, are the tasks of a Spark job, one for each fragment.
  */
private[spark] object SchemaJob {

  /** @param constants names of new columns that all rows get the same value in, each with a column of one row
    * @return the new version, or the same when nothing changes
    * @throws org.apache.spark.sql.AnalysisException when a change cannot be made; nothing is changed then
    */
  def run(
      on: JobTable,
      changes: Seq[SchemaChange],
      constants: Map[String, Column] = Map.empty,
      properties: Map[String, String] = Map.empty
  ): LanceTable = LanceErrors.translated {
    val update = SchemaUpdate.plan(on.table, changes, constants = constants)
    val files = SchemaTasks.write(on.session, on.taskStore, update)
    on.commit().change(TaskFiles(columns = files))(update.commit(files, properties))
  }
}
