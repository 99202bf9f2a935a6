// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{BooleanType, StringType}

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{CreateIndexCommand, IfThere}
import io.github.pysparklance.table.schema.FieldPath

/** Creates an index, like `ALTER TABLE t CREATE INDEX`. */
private[spark] object CreateIndex
    extends LanceProcedure(
      "create_index",
      "Creates an index on a column, like the statement CREATE INDEX.",
      LanceProcedure.table,
      LanceProcedure.required(
        "column",
        StringType,
        "column, or a field of a struct: `s.a`"
      ),
      LanceProcedure.required(
        "index_type",
        StringType,
        "`BTREE`, `BITMAP`, `LABEL_LIST`, `NGRAM`, `ZONEMAP`, `BLOOMFILTER`, `INVERTED`, or a kind " +
          "of vector index such as `IVF_SQ`"
      ),
      LanceProcedure.optional("name", StringType, "name of the index; default: `<column>_idx`"),
      LanceProcedure.optional(
        "replace",
        BooleanType,
        "replaces an existing index with this name; default: `true`"
      ),
      LanceProcedure.optional(
        "options",
        LanceProcedure.textMap,
        "options of the statement, such as `rows_per_zone`"
      )
    ) {

  override def command(call: Arguments): TableCommand = {
    val column = FieldPath.parse(call.needed("column"))
    val replace = call.text("replace").forall(_.toBoolean)
    CreateIndexCommand(
      call.table(),
      call.text("name").getOrElse(s"${column.names.mkString(".")}_idx"),
      call.needed("index_type"),
      column,
      call.map("options"),
      if (replace) IfThere.Replace else IfThere.Fail
    )
  }
}
