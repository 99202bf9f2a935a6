// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.CreateTagCommand

/** Creates a tag, like `CREATE TAG`. */
private[spark] object CreateTag
    extends LanceProcedure(
      "create_tag",
      "Tags a version, like the statement CREATE TAG.",
      Seq(LanceProcedure.table, LanceProcedure.required("tag", StringType, "name of the tag")) ++
        RefArguments.source ++ RefArguments.ifThere: _*
    ) {

  override def command(call: Arguments): TableCommand = CreateTagCommand(
    call.table(),
    call.needed("tag"),
    RefArguments.source(call),
    RefArguments.ifThere(call)
  )
}
