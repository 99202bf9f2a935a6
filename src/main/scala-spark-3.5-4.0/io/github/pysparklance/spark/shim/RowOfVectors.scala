// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** The getters of a row of column vectors that only some Spark lines have. Spark 3.5 and 4.0 have
  * none.
  */
trait RowOfVectors extends VectorRow
