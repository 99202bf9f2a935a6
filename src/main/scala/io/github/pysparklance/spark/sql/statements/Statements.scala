// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import io.github.pysparklance.spark.sql.Statement

/** All statements that the extension adds to Spark's grammar. */
private[spark] object Statements {
  val all: Seq[Statement] = Seq(
    CreateTag,
    DropTag,
    ShowTags,
    CreateBranch,
    DropBranch,
    ShowBranches,
    Restore,
    DescribeHistory,
    DescribeDetail,
    CreateIndex,
    DropIndex,
    ShowIndexes,
    DescribeIndex,
    OptimizeIndex,
    AlterOptimizeIndex,
    Optimize,
    Vacuum,
    CloneTable,
    AddComputedColumns,
    AddColumnsFrom,
    UpdateColumnsFrom,
    CreateTableLike
  )
}
