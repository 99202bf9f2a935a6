// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{BooleanType, StringType}

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{CreateIndexCommand, IfThere}
import io.github.pysparklance.table.schema.FieldPath

/** As the statement `ALTER TABLE t CREATE INDEX`. */
private[spark] object CreateIndex
    extends LanceProcedure(
      "create_index",
      "Creates an index on a column, as the statement CREATE INDEX does.",
      LanceProcedure.table,
      LanceProcedure.required(
        "column",
        StringType,
        "name of the column; members of structs as s.a"
      ),
      LanceProcedure.required(
        "index_type",
        StringType,
        "`BTREE`, `BITMAP`, `LABEL_LIST`, `NGRAM`, `ZONEMAP`, or `BLOOMFILTER`"
      ),
      LanceProcedure.optional("name", StringType, "its name; the column with _idx if left out"),
      LanceProcedure.optional(
        "replace",
        BooleanType,
        "whether an index of the name is replaced; true if left out"
      ),
      LanceProcedure.optional(
        "options",
        LanceProcedure.textMap,
        "options of the statement: rows_per_zone, number_of_items, probability, and others"
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
