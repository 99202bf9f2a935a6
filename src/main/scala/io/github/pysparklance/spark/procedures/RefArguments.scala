// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.shim.ProcedureArgument
import io.github.pysparklance.spark.sql.statements.{IfThere, RefSource}

/** Arguments of procedures for tags and branches. */
private[procedures] object RefArguments {

  /** Arguments that select the version. */
  val source: Seq[ProcedureArgument] = Seq(
    LanceProcedure.optional("version", LongType, "version number; default: the latest version"),
    LanceProcedure.optional("branch", StringType, "branch of the version"),
    LanceProcedure.optional("from_tag", StringType, "alternatively, a tag of the version")
  )

  /** Arguments that define how to treat an existing tag or branch. */
  val ifThere: Seq[ProcedureArgument] = Seq(
    LanceProcedure.flag("replace", "replaces an existing one"),
    LanceProcedure.flag("if_not_exists", "does nothing if it exists")
  )

  /** Returns the selected version. */
  def source(call: Arguments): RefSource =
    RefSource(call.long("version"), call.text("branch"), call.text("from_tag"))

  /** Returns how to treat an existing tag or branch. */
  def ifThere(call: Arguments): IfThere =
    (call.flag("replace"), call.flag("if_not_exists")) match {
      case (false, false) => IfThere.Fail
      case (true, false) => IfThere.Replace
      case (false, true) => IfThere.Keep
      case _ => throw new InvalidRequestException("give one of replace and if_not_exists")
    }
}
