// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Where a page reader gathers the values of one batch, and what they are in the end. */
sealed private[layout] trait PageValues {

  /** Takes what the page's decoder makes. */
  def out: Values

  def clear(): Unit = out.clear()

  /** The batch's values; `leaf` says which are null. */
  def finish(leaf: Layer): LeafValues
}

final private[layout] class PlainPageValues(val out: Values) extends PageValues {
  def finish(leaf: Layer): LeafValues = PlainLeaf(out)
}

/** Which values of the next batch are null, told by the reader of a page whose own layers do not say.
  *
  * @param validity null when none is
  */
final private[layout] class NullsApart(var validity: Validity = null)

/** Values as positions in the page's dictionary. Hot code: imperative.
  *
  * @param out the positions as stored, of any integer width
  * @param nulls None when the page's layers say them
  */
final private[layout] class DictionaryPageValues(
    val out: Values,
    items: Values,
    nulls: Option[NullsApart]
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

  /** Positions of other widths as unsigned ints; what does not fit an Int becomes -1, which no dictionary has. */
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

/** Values that are structures in themselves: looked up here, because no column has them by position.
  *
  * @param out the positions as stored, of any integer width
  * @param expanded empty values as the items are
  * @param nulls None when the page's layers say them
  */
final private[layout] class ExpandedPageValues(
    val out: Values,
    items: Values,
    expanded: Values,
    nulls: Option[NullsApart]
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
