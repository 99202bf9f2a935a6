// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.PageDictionary
import io.github.pysparklance.encoding.spi._

/** Pages of columns of a dictionary type. Stores indices of the type's width into the distinct
  * values of the page, always as a mini-block page. Source: format page of the structural
  * encodings, "Dictionary". Hot code: imperative.
  *
  * {{{
  *   dictionary<int8, utf8> ["a", null, "b"]    indices 00 00 01    definition 0 1 0    dictionary "a", "b"
  * }}}
  * The index of a null is 0 and is ignored.
  */
private[layout] object DictionaryPages {

  /** Builds the dictionary of a page with at least one valid value.
    *
    * @throws InvalidRequestException if the type's indices cannot represent all distinct values
    */
  def encode(page: LeafPage, leaf: Field, chooser: EncoderChooser): CompressedDictionary = {
    val maxVisible = new RepDef(page.layers).maxVisible
    val isNull = nulls(page, maxVisible)
    val valueType = leaf.valueType
    val valid = if (isNull == null) page.values else Values.allocate(valueType)
    if (isNull != null) appendValid(page.values, isNull, valid)
    val found = PageDictionary.of(valid, valueType)
    checkSize(found.items.numItems, leaf)
    val indices = if (isNull == null) found.indices else spread(found.indices, isNull)
    val items = chooser.dictionaryItems(found.items, valueType)
    CompressedDictionary(indices, items, found.items.numItems)
  }

  private def nulls(page: LeafPage, maxVisible: Int): Array[Boolean] =
    if (page.definition == null) null
    else {
      val isNull = new Array[Boolean](page.values.numItems)
      var value = 0
      var l = 0
      while (l < page.numLevels) {
        val d = page.definition(l)
        if (d <= maxVisible) {
          isNull(value) = d != 0
          value += 1
        }
        l += 1
      }
      isNull
    }

  private def appendValid(from: Values, isNull: Array[Boolean], to: Values): Unit = {
    var i = 0
    while (i < isNull.length) {
      val first = i
      while (i < isNull.length && !isNull(i)) i += 1
      if (i > first) to.appendFrom(from, first, i - first)
      while (i < isNull.length && isNull(i)) i += 1
    }
  }

  private def spread(indices: IntValues, isNull: Array[Boolean]): IntValues = {
    val out = new IntValues
    out.reserve(isNull.length)
    var next = 0
    var i = 0
    while (i < isNull.length) {
      if (isNull(i)) out.append(0)
      else {
        out.append(indices.array(next))
        next += 1
      }
      i += 1
    }
    out
  }

  private def checkSize(numItems: Int, leaf: Field): Unit = leaf.logicalType match {
    case LogicalType.Dictionary(_, LogicalType.Integer(bits, signed), _) =>
      val most = 1L << math.min(31, if (signed) bits - 1 else bits)
      if (numItems > most)
        throw new InvalidRequestException(
          s"$numItems distinct values in a page of the column, but its type " +
            s"${LogicalType.text(leaf.logicalType)} allows $most",
          Place(column = Some(leaf.name))
        )
    case other =>
      throw new UnsupportedFeatureException(s"dictionary indices of ${LogicalType.text(other)}")
  }

  /** Compresses the indices in the width of the index type. */
  def indices(
      dictionary: CompressedDictionary,
      index: LogicalType,
      chooser: EncoderChooser
  ): CompressedMiniBlock = {
    val from = dictionary.indices
    val n = from.numItems
    index match {
      case LogicalType.Integer(8, _) =>
        val out = new ByteValues
        out.extend(n): Unit
        var i = 0
        while (i < n) {
          out.array(i) = from.array(i).toByte
          i += 1
        }
        chooser.miniBlock(out, FixedWidth(8))
      case LogicalType.Integer(16, _) =>
        val out = new ShortValues
        out.extend(n): Unit
        var i = 0
        while (i < n) {
          out.array(i) = from.array(i).toShort
          i += 1
        }
        chooser.miniBlock(out, FixedWidth(16))
      case LogicalType.Integer(64, _) =>
        val out = new LongValues
        out.extend(n): Unit
        var i = 0
        while (i < n) {
          out.array(i) = from.array(i).toLong
          i += 1
        }
        chooser.miniBlock(out, FixedWidth(64))
      case _ => chooser.miniBlock(from, FixedWidth(32))
    }
  }
}
