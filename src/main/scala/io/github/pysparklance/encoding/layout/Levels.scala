// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.LeafPage

/** Queries on the levels of a page that is being written. Hot code: imperative. */
private[layout] object Levels {

  /** Returns the position of the first non-null value; -1 if there is none. */
  def firstValid(page: LeafPage): Int =
    if (page.definition == null) if (page.values.numItems > 0) 0 else -1
    else {
      val maxVisible = new RepDef(page.layers).maxVisible
      var value = 0
      var l = 0
      while (l < page.numLevels) {
        if (page.definition(l) == 0) return value
        if (page.definition(l) <= maxVisible) value += 1
        l += 1
      }
      -1
    }

  /** Whether all non-null values equal the one at `first`, which is the first of them. */
  def allEqual(page: LeafPage, first: Int): Boolean = {
    val maxVisible = new RepDef(page.layers).maxVisible
    val same = sameAs(page.values, first)
    if (page.definition == null) {
      var value = first + 1
      while (value < page.values.numItems && same(value)) value += 1
      value == page.values.numItems
    } else {
      var value = 0
      var l = 0
      while (l < page.numLevels) {
        val d = page.definition(l)
        if (d == 0 && value != first && !same(value)) return false
        if (d <= maxVisible) value += 1
        l += 1
      }
      true
    }
  }

  private def sameAs(values: Values, first: Int): Int => Boolean = values match {
    case v: ByteValues => i => v.array(i) == v.array(first)
    case v: ShortValues => i => v.array(i) == v.array(first)
    case v: IntValues => i => v.array(i) == v.array(first)
    case v: LongValues => i => v.array(i) == v.array(first)
    case v: WideValues =>
      val n = v.bytesPerValue
      i => java.util.Arrays.equals(v.bytes, i * n, (i + 1) * n, v.bytes, first * n, (first + 1) * n)
    case v: BinaryValues =>
      i =>
        java.util.Arrays.equals(
          v.bytes,
          v.offsets(i),
          v.offsets(i + 1),
          v.bytes,
          v.offsets(first),
          v.offsets(first + 1)
        )
    case _ => _ => false
  }

  /** Returns the highest of `levels[0, count)`. */
  def max(levels: Array[Short], count: Int): Int = {
    var max = 0
    var i = 0
    while (i < count) {
      max = math.max(max, levels(i).toInt)
      i += 1
    }
    max
  }

  /** Returns the number of bits needed for `v`. */
  def bitLength(v: Int): Int = 32 - Integer.numberOfLeadingZeros(v)

  /** Splits a page in two at a row start near the middle of its levels.
    *
    * @param page has lists and at least two rows
    */
  def halve(page: LeafPage, valueType: ValueType): (LeafPage, LeafPage) = {
    val repDef = new RepDef(page.layers)
    val rep = page.repetition
    var cut = page.numLevels / 2
    while (cut < page.numLevels && rep(cut) != repDef.maxRep) cut += 1
    if (cut == page.numLevels) { // the last row covers the second half
      cut = page.numLevels / 2
      while (rep(cut) != repDef.maxRep) cut -= 1
    }
    var headRows = 0
    var l = 0
    while (l < cut) {
      if (rep(l) == repDef.maxRep) headRows += 1
      l += 1
    }
    val headValues = repDef.countVisible(page.definition, 0, cut)
    (
      part(page, valueType, headRows, 0, cut, 0, headValues),
      part(
        page,
        valueType,
        page.numRows - headRows,
        cut,
        page.numLevels,
        headValues,
        page.values.numItems - headValues
      )
    )
  }

  private def part(
      page: LeafPage,
      valueType: ValueType,
      numRows: Int,
      from: Int,
      until: Int,
      firstValue: Int,
      numValues: Int
  ): LeafPage = {
    val values = Values.allocate(valueType)
    values.appendFrom(page.values, firstValue, numValues)
    LeafPage(
      numRows,
      page.layers,
      java.util.Arrays.copyOfRange(page.repetition, from, until),
      if (page.definition == null) null
      else java.util.Arrays.copyOfRange(page.definition, from, until),
      until - from,
      values
    )
  }
}
