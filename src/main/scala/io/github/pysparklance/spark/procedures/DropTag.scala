// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.DropTagCommand

/** Drops a tag, like `DROP TAG`. */
private[spark] object DropTag
    extends LanceProcedure(
      "drop_tag",
      "Drops a tag.",
      LanceProcedure.table,
      LanceProcedure.required("tag", StringType, "name of the tag"),
      LanceProcedure.flag("if_exists", "does nothing if it does not exist")
    ) {

  override def command(call: Arguments): TableCommand =
    DropTagCommand(call.table(), call.needed("tag"), call.flag("if_exists"))
}
