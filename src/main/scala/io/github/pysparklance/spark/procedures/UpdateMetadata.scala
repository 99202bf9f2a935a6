// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.commit.TableCommit
import io.github.pysparklance.spark.sql.{CommittingCommand, TableCommand, TableTarget}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.operation.UpdateMap

/** Changes metadata that is not available as table properties. */
private[spark] object UpdateMetadata
    extends LanceProcedure(
      "update_metadata",
      "Changes the metadata of a table, its schema, or a column in one version.",
      LanceProcedure.table,
      LanceProcedure.required("scope", StringType, "`table`, `schema`, or `field` for a column"),
      LanceProcedure.optional("values", LanceProcedure.textMap, "metadata entries to set"),
      LanceProcedure.optional(
        "removed",
        LanceProcedure.texts,
        "keys of the metadata entries to remove"
      ),
      LanceProcedure.flag("replace", "removes all other metadata entries"),
      LanceProcedure.optional("field", StringType, "the column, or a field of a struct: `s.a`")
    ) {

  override def command(call: Arguments): TableCommand = {
    val scope = call.needed("scope").toLowerCase(java.util.Locale.ROOT)
    val isField = scope == "field"
    if (!Seq("table", "schema", "field").contains(scope))
      throw new InvalidRequestException(s"scope is '$scope', expected table, schema or field")
    if (isField != call.text("field").isDefined)
      throw new InvalidRequestException(
        "the scope field requires the argument field, others do not"
      )
    val removed = call.texts("removed").map(_ -> None)
    val set = call.map("values").toSeq.sortBy(_._1).map { case (k, v) => k -> Some(v) }
    val update =
      UpdateMap(if (call.flag("replace")) set else set ++ removed, call.flag("replace"))
    UpdateMetadataCommand(call.table(), scope, call.text("field"), update)
  }
}

/** Runs `update_metadata`. */
final private[spark] case class UpdateMetadataCommand(
    target: TableTarget,
    scope: String,
    field: Option[String],
    update: UpdateMap
) extends CommittingCommand(new StructType().add("version", LongType, nullable = false)) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, UpdateMetadata.name).toChange
    val changed = TableCommit.change(loaded.table)(change(loaded.table))
    loaded.changed()
    Seq(Row(changed.version))
  }

  private def change(table: LanceTable): LanceTable = {
    val changes = new MetadataChanges(table)
    (scope, field) match {
      case ("table", _) => changes.tableMetadata(update)
      case ("schema", _) => changes.schemaMetadata(update)
      case (_, path) =>
        val id = FieldPath.parse(path.getOrElse("")).find(table.schema).last.id
        changes.fieldMetadata(Map(id -> update))
    }
  }
}
