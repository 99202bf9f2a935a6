// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** A row whose values lie in vectors: the methods that only some lines of Spark have. Spark 4.0 has none. */
trait RowOfVectors extends VectorRow
