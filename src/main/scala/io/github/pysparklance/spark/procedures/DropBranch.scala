// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.DropBranchCommand

/** As the statement `DROP BRANCH`, and also for what an interrupted one left behind. */
private[spark] object DropBranch
    extends LanceProcedure(
      "drop_branch",
      "Removes a branch with its versions.",
      LanceProcedure.table,
      LanceProcedure.required("name", StringType, "the branch"),
      LanceProcedure.flag("if_exists", "whether it is well when there is none"),
      LanceProcedure.flag(
        "force",
        "also when only its files are there, as after a creation or removal that was interrupted"
      )
    ) {

  override def command(call: Arguments): TableCommand = DropBranchCommand(
    call.table(),
    call.needed("name"),
    call.flag("if_exists"),
    call.flag("force")
  )
}
