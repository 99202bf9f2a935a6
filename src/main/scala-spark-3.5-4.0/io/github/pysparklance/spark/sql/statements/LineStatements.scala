// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import io.github.pysparklance.spark.sql.Statement

/** The statements that Spark only supports in some lines. */
private[spark] object LineStatements {
  val all: Seq[Statement] = Seq(
    AddConstraintTo,
    DropConstraintFrom,
    new CreateConstrained(Seq("CREATE", "TABLE")),
    new CreateConstrained(Seq("CREATE", "OR", "REPLACE", "TABLE")),
    new CreateConstrained(Seq("REPLACE", "TABLE")),
    ShowProcedures
  )
}
