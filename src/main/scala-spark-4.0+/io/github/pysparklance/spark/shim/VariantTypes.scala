// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.{DataType, VariantType}

/** Hides `VariantType`, which Spark has since 4.0. */
trait VariantTypes {
  def isVariant(t: DataType): Boolean = t == VariantType

  /** Returns the two binaries of a variant: its value and its metadata. */
  def variant(from: SpecializedGetters, at: Int): Array[Array[Byte]] = {
    val v = from.getVariant(at)
    Array(v.getValue, v.getMetadata)
  }
}
