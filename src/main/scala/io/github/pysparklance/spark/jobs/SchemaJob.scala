// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.core.Column
import io.github.pysparklance.spark.commit.TaskFiles
import io.github.pysparklance.spark.common.{LanceErrors, SchemaTasks}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.schema.SchemaChange

/** Changes the columns of a table in one commit. A Spark job reads and rewrites data if needed,
  * such as the values of a column with a new type. It has a task for each fragment.
  */
private[spark] object SchemaJob {

  /** @param constants default values of new columns by name, each as a column with one row
    * @return the new version, or the previous one if nothing changes
    * @throws org.apache.spark.sql.AnalysisException if a change is not possible; the table is not
    *   changed
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
