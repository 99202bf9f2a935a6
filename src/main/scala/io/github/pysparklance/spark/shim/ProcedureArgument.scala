// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.types.DataType

/** An argument of a procedure.
  *
  * @param default default as SQL; `None` if the argument is required
  */
final case class ProcedureArgument(
    name: String,
    dataType: DataType,
    meaning: String,
    default: Option[String]
)
