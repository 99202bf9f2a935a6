// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.{Column, Field, LeafColumn, LogicalType, Validity, Values}

/** Collects keys as a column of their values. Not thread-safe. Hot code. Reuses its arrays.
  *
  * @param logicalType type of the values
  */
final class KeyColumn(logicalType: LogicalType, keyType: KeyType) {
  private val values =
    Values.allocate(Field(0, "values", logicalType, nullable = true).valueType)
  private val validity = new Validity

  /** Appends the value of a key, or null for `None`. */
  def append(key: Option[Key]): Unit = key match {
    case Some(k) =>
      keyType.append(k, values)
      validity.append(valid = true)
    case None => appendNull()
  }

  /** Appends the value of a key in a slot. */
  def append(key: KeySlot): Unit = {
    keyType.append(key, values)
    validity.append(valid = true)
  }

  def appendNull(): Unit = {
    values.appendFiller(1)
    validity.append(valid = false)
  }

  def numRows: Int = values.numItems

  def sizeInBytes: Long = values.sizeInBytes

  /** The rows so far. Valid until the next call. */
  def column: Column = LeafColumn(values, if (validity.hasNulls) validity else null)

  def clear(): Unit = {
    values.clear()
    validity.clear()
  }
}
