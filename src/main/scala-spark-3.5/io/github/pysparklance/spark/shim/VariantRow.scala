// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** Hides `InternalRow.getVariant`, which Spark has since 4.0. */
trait VariantRow extends RowOfVectors
