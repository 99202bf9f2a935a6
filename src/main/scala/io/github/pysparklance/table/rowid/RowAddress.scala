// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

/** Where a row is in one version of a table: `fragment id << 32 | offset`, unsigned. */
object RowAddress {

  /** No row has this address. */
  val none: Long = -1L

  /** The address of a physical row. */
  def apply(fragmentId: Long, offset: Long): Long = fragmentId << 32 | offset

  def fragmentId(address: Long): Long = address >>> 32

  /** Physical offset in the fragment. */
  def offset(address: Long): Long = address & 0xffffffffL
}
