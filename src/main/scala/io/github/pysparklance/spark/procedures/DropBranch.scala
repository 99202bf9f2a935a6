// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.DropBranchCommand

/** Drops a branch, like `DROP BRANCH`. Can also remove the remains of an interrupted drop. */
private[spark] object DropBranch
    extends LanceProcedure(
      "drop_branch",
      "Drops a branch with its versions.",
      LanceProcedure.table,
      LanceProcedure.required("name", StringType, "name of the branch"),
      LanceProcedure.flag("if_exists", "does nothing if it does not exist"),
      LanceProcedure.flag(
        "force",
        "also removes files that an interrupted creation or removal left behind"
      )
    ) {

  override def command(call: Arguments): TableCommand = DropBranchCommand(
    call.table(),
    call.needed("name"),
    call.flag("if_exists"),
    call.flag("force")
  )
}
