// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.DropIndexCommand

/** Drops an index, like `ALTER TABLE t DROP INDEX`. */
private[spark] object DropIndex
    extends LanceProcedure(
      "drop_index",
      "Drops an index, like the statement DROP INDEX.",
      LanceProcedure.table,
      LanceProcedure.required("name", StringType, "name of the index"),
      LanceProcedure.flag("if_exists", "does nothing if the index does not exist")
    ) {

  override def command(call: Arguments): TableCommand =
    DropIndexCommand(call.table(), call.needed("name"), call.flag("if_exists"))
}
