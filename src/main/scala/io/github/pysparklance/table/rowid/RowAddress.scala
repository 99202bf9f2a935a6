// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

/** The address of a row in one version of a table: `fragment id << 32 | offset`, unsigned. */
object RowAddress {

  /** An address that no row has. */
  val none: Long = -1L

  /** Returns the address of a physical row. */
  def apply(fragmentId: Long, offset: Long): Long = fragmentId << 32 | offset

  def fragmentId(address: Long): Long = address >>> 32

  /** Returns the physical offset in the fragment. */
  def offset(address: Long): Long = address & 0xffffffffL
}
