// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.commit.TableCommit
import io.github.pysparklance.spark.sql.{CommittingCommand, TableCommand, TableTarget}
import io.github.pysparklance.table.manifest.BasePath
import io.github.pysparklance.table.metadata.MetadataChanges

/** Adds a base path to a table. */
private[spark] object AddBase
    extends LanceProcedure(
      "add_base",
      "Adds a base path: an additional folder for files of the table, for the write option `targetBases`.",
      LanceProcedure.table,
      LanceProcedure.required("path", StringType, "path or URI of the folder"),
      LanceProcedure.optional("name", StringType, "name of the base path"),
      LanceProcedure.flag(
        "is_dataset_root",
        "whether the folder has the subfolders of a table; otherwise, files are stored directly in it"
      )
    ) {

  override def command(call: Arguments): TableCommand = AddBaseCommand(
    call.table(),
    BasePath(0, call.text("name"), call.flag("is_dataset_root"), call.needed("path"))
  )
}

/** Runs `add_base`. */
final private[spark] case class AddBaseCommand(target: TableTarget, base: BasePath)
    extends CommittingCommand(new StructType().add("base_id", IntegerType, nullable = false)) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, AddBase.name)
    loaded.checkWritable()
    val before = loaded.table.manifest.basePaths.keySet
    val changed = TableCommit.change(loaded.table) {
      new MetadataChanges(loaded.table).addBases(Seq(base))
    }
    loaded.changed()
    changed.manifest.basePaths.keySet.diff(before).toSeq.map(Row(_))
  }
}
