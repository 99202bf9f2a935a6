// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import io.github.pysparklance.spark.sql.Statement

/** Statements for procedures, which Spark supports since 4.0. */
private[spark] object ProcedureStatements {
  val all: Seq[Statement] = Nil
}
