// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.sql.{Column, Dataset, MergeIntoWriter}

/** Hides `Dataset.mergeInto`, which Spark has since 4.0. */
object FrameMerge {
  def apply[A](source: Dataset[A], table: String, condition: Column): MergeIntoWriter[A] =
    source.mergeInto(table, condition)
}
