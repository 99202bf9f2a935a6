// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.CreateBranchCommand

/** Creates a branch, like `CREATE BRANCH`. */
private[spark] object CreateBranch
    extends LanceProcedure(
      "create_branch",
      "Creates a branch at a version, like the statement CREATE BRANCH.",
      Seq(
        LanceProcedure.table,
        LanceProcedure.required("name", StringType, "name of the branch")
      ) ++
        RefArguments.source ++ RefArguments.ifThere: _*
    ) {

  override def command(call: Arguments): TableCommand = CreateBranchCommand(
    call.table(),
    call.needed("name"),
    RefArguments.source(call),
    RefArguments.ifThere(call)
  )
}
