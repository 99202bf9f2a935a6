// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Collects the values of one batch for a page reader. */
sealed private[layout] trait PageValues {

  /** Receives the values from the page's decoder. */
  def out: Values

  def clear(): Unit = out.clear()

  /** Returns the batch's values. `leaf` contains their validity. */
  def finish(leaf: Layer): LeafValues
}

/** Values as stored. */
final private[layout] class PlainPageValues(val out: Values) extends PageValues {
  def finish(leaf: Layer): LeafValues = PlainLeaf(out)
}

/** The nulls of the next batch, set by the reader of a page whose own layers do not contain them.
  *
  * @param validity null if no value is null
  */
final private[layout] class SeparateNulls(var validity: Validity = null)

/** Values as indices into the page's dictionary. Hot code: imperative.
  *
  * @param out the indices as stored, of any integer width
  * @param nulls `None` if the page's layers contain them
  */
final private[layout] class DictionaryPageValues(
    val out: Values,
    items: Values,
    nulls: Option[SeparateNulls]
) extends PageValues {
  private val indices: IntValues = out match {
    case ints: IntValues => ints
    case _ => new IntValues
  }
  private val dictionary = new DictionaryValues(indices, items)

  override def clear(): Unit = {
    out.clear()
    dictionary.clear()
  }

  def finish(leaf: Layer): LeafValues = {
    val numItems = out.numItems
    widen(numItems)
    val validity = (nulls, leaf) match {
      case (Some(apart), _) => apart.validity
      case (None, ItemLayer(v)) => v
      case _ => null
    }
    if (items.numItems == 0) {
      CorruptFileException.check(
        numItems == 0 || (validity != null && validity.numNulls == numItems),
        "values in a page with an empty dictionary"
      )
      NullLeaf(numItems)
    } else {
      check(numItems, validity)
      dictionary.extend(numItems)
      PlainLeaf(dictionary)
    }
  }

  /** Widens indices to unsigned 32-bit integers. Larger ones become -1, which is outside every
    * dictionary.
    */
  private def widen(numItems: Int): Unit = {
    var i = 0
    out match {
      case _: IntValues =>
      case bytes: ByteValues =>
        val at = indices.extend(numItems)
        while (i < numItems) { indices.array(at + i) = bytes.array(i) & 0xff; i += 1 }
      case shorts: ShortValues =>
        val at = indices.extend(numItems)
        while (i < numItems) { indices.array(at + i) = shorts.array(i) & 0xffff; i += 1 }
      case longs: LongValues =>
        val at = indices.extend(numItems)
        while (i < numItems) {
          val v = longs.array(i)
          indices.array(at + i) = if ((v >>> 31) == 0) v.toInt else -1
          i += 1
        }
      case other =>
        throw new CorruptFileException(s"dictionary indices as ${other.getClass.getSimpleName}")
    }
  }

  private def check(numItems: Int, validity: Validity): Unit = {
    val all = indices.array
    val size = items.numItems
    var outside = 0
    var i = 0
    while (i < numItems) {
      outside |= all(i) | (size - 1 - all(i)) // a set sign bit: negative, or beyond the last
      i += 1
    }
    if (outside < 0) {
      i = 0
      while (i < numItems) {
        if (all(i) < 0 || all(i) >= size) {
          if (validity == null || validity.isValid(i))
            throw new CorruptFileException(
              s"index ${Integer.toUnsignedString(all(i))} in a dictionary of $size items"
            )
          all(i) = 0
        }
        i += 1
      }
    }
  }
}

/** Dictionary-encoded values of a type that no column stores by index, such as fixed-size lists.
  * They are looked up here.
  *
  * @param out the indices as stored, of any integer width
  * @param expanded empty values of the items' type
  * @param nulls `None` if the page's layers contain them
  */
final private[layout] class ExpandedPageValues(
    val out: Values,
    items: Values,
    expanded: Values,
    nulls: Option[SeparateNulls]
) extends PageValues {
  private val positions = new DictionaryPageValues(out, items, nulls)

  override def clear(): Unit = {
    positions.clear()
    expanded.clear()
  }

  def finish(leaf: Layer): LeafValues = positions.finish(leaf) match {
    case PlainLeaf(found: DictionaryValues) =>
      val indices = found.indices.array
      var i = 0
      while (i < found.numItems) {
        expanded.appendFrom(items, indices(i), 1)
        i += 1
      }
      PlainLeaf(expanded)
    case other => other
  }
}
