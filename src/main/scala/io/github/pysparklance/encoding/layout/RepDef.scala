// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core.{CorruptFileException, Validity, Values, Wrapped}
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer
import io.github.pysparklance.encoding.spi.{ItemLayer, Layer, ListLayer}

/** The meaning of repetition and definition levels for the layers of one page. Hot code below:
  * imperative.
  *
  * Source: enum `RepDefLayer`; format page of the structural encodings, "Repetition and definition
  * levels".
  *
  * {{{
  *   list<struct<b: list<int>>>   row0 [ {b:[1,2]}, {b:[]}, null, {b:null} ]   row1 null   row2 []
  *                                row3 [ {b:[null]}, {b:[3]} ]
  *   layers, leaf first: NULLABLE_ITEM 1 | NULL_AND_EMPTY_LIST 2, 3 | NULLABLE_ITEM 4 | NULL_AND_EMPTY_LIST 5, 6
  *   rep   2  0  1  1  1  2  2  2  1     2 = a row starts, 1 = a struct starts, 0 = the next item of b
  *   def   0  0  3  4  2  5  6  1  0     1 null int, 2 null b, 3 empty b, 4 null struct, 5 null row, 6 empty row
  * }}}
  * Definition level 0 is a valid value; higher levels are closer to the root. Levels up to
  * [[maxVisible]] own a value. Higher levels mean that an ancestor is null or empty.
  *
  * @param kinds innermost first
  */
final class RepDef(val kinds: IndexedSeq[RepDefLayer]) {
  val numLayers: Int = kinds.length

  /** Number of definition levels of the layers inside layer i. */
  private[layout] val base: Array[Int] = kinds.scanLeft(0)(_ + RepDef.numDefLevels(_)).toArray

  /** Number of list layers inside layer i. */
  private[layout] val listsBelow: Array[Int] =
    kinds.scanLeft(0)((n, k) => if (RepDef.isList(k)) n + 1 else n).toArray

  /** Levels above this one have no slot in layer i. The layers between layer i and the next list
    * have the same slots.
    */
  private[layout] val top: Array[Int] = kinds.indices.map { i =>
    val nextList = kinds.indexWhere(RepDef.isList, i + 1)
    base(if (nextList < 0) numLayers else nextList)
  }.toArray

  /** Number of list layers, and the repetition level at which a row starts. */
  val maxRep: Int = listsBelow(numLayers)

  val maxDef: Int = base(numLayers)

  val hasLists: Boolean = maxRep > 0

  /** Highest definition level that owns a value. */
  val maxVisible: Int = {
    val firstList = kinds.indexWhere(RepDef.isList)
    base(if (firstList < 0) numLayers else firstList)
  }

  /** The level of an empty list in layer i; -1 if it has none. */
  private[layout] def emptyLevel(i: Int): Int = kinds(i) match {
    case RepDefLayer.REPDEF_EMPTYABLE_LIST => base(i) + 1
    case RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST => base(i) + 2
    case _ => -1
  }

  /** Whether a slot of layer i can be null, itself or because of an item around it. */
  private[layout] def hasNulls(i: Int): Boolean =
    top(i) > base(i) + (if (emptyLevel(i) < 0) 0 else 1)

  /** Counts the levels in `levels[from, until)` that own a value. If `definition` is null, all do.
    */
  def countVisible(definition: Array[Short], from: Int, until: Int): Int =
    if (definition == null || maxVisible == maxDef) until - from
    else {
      var visible = 0
      var i = from
      while (i < until) {
        visible += (definition(i) - maxVisible - 1) >>> 31
        i += 1
      }
      visible
    }
}

object RepDef {
  def isList(kind: RepDefLayer): Boolean = kind match {
    case RepDefLayer.REPDEF_ALL_VALID_LIST | RepDefLayer.REPDEF_NULLABLE_LIST |
        RepDefLayer.REPDEF_EMPTYABLE_LIST | RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST =>
      true
    case _ => false
  }

  /** Returns the number of definition levels that a layer of this kind uses. */
  def numDefLevels(kind: RepDefLayer): Int = kind match {
    case RepDefLayer.REPDEF_NULLABLE_ITEM | RepDefLayer.REPDEF_NULLABLE_LIST |
        RepDefLayer.REPDEF_EMPTYABLE_LIST =>
      1
    case RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST => 2
    case _ => 0
  }

  /** Checks the layers of a page's message.
    *
    * @throws CorruptFileException if there are no layers, the leaf is a list, or a kind is unknown
    */
  def apply(layers: java.util.List[RepDefLayer]): RepDef = {
    val kinds = Array.tabulate(layers.size)(layers.get(_)).toIndexedSeq
    CorruptFileException.check(kinds.nonEmpty, "a page without layers")
    kinds.foreach { k =>
      CorruptFileException.check(
        k != RepDefLayer.REPDEF_UNSPECIFIED && k != RepDefLayer.UNRECOGNIZED,
        s"layer of kind $k"
      )
    }
    CorruptFileException.check(!isList(kinds.head), "the innermost layer is a list")
    CorruptFileException.check(kinds.length <= 1024, s"${kinds.length} layers")
    new RepDef(kinds)
  }

  /** Checks that no level exceeds `max`. */
  def checkLevels(levels: Array[Short], count: Int, max: Int, what: String): Unit = {
    var over = 0
    var i = 0
    while (i < count) {
      over |= max - (levels(i) & 0xffff)
      i += 1
    }
    if (over < 0)
      throw new CorruptFileException(s"a $what level above $max, the highest of the page's layers")
  }
}

/** Builds the layers of a batch from levels. One builder serves one page, and the next batch reuses
  * its arrays.
  */
final class LayerBuilder(repDef: RepDef) {
  private val validities: Array[Validity] =
    Array.tabulate(repDef.numLayers)(i => if (repDef.hasNulls(i)) new Validity else null)
  private val offsets: Array[Array[Int]] = new Array(repDef.numLayers)
  private var scratch: Array[Short] = Array.emptyShortArray
  private var itemScratch: Array[Short] = Array.emptyShortArray

  def clear(): Unit = {
    var i = 0
    while (i < validities.length) {
      if (validities(i) != null) validities(i).clear()
      i += 1
    }
  }

  /** For pages without lists. Appends one slot per level in `levels[from, until)` to every layer.
    */
  def appendItems(definition: Array[Short], from: Int, until: Int): Unit = {
    var i = 0
    while (i < validities.length) {
      if (validities(i) != null) validities(i).appendLevels(definition, from, until, repDef.base(i))
      i += 1
    }
  }

  /** For pages without lists. Appends `numItems` valid slots to every layer. */
  def appendValid(numItems: Int): Unit = {
    var i = 0
    while (i < validities.length) {
      if (validities(i) != null) validities(i).appendValid(numItems)
      i += 1
    }
  }

  /** Returns the layers of the appended slots, outermost first. */
  def items: IndexedSeq[Layer] = {
    val layers = new Array[Layer](validities.length)
    var i = 0
    while (i < layers.length) {
      layers(layers.length - 1 - i) = ItemLayer(whereNulls(validities(i)))
      i += 1
    }
    Wrapped(layers)
  }

  /** For pages with lists. Returns the layers of `numRows` rows from the first `numLevels` levels,
    * outermost first.
    *
    * @param definition null if the page has no definition levels, so that everything is valid
    * @throws CorruptFileException if the levels form a different number of rows
    */
  def lists(
      numRows: Int,
      repetition: Array[Short],
      definition: Array[Short],
      numLevels: Int
  ): IndexedSeq[Layer] = {
    clear()
    val defs = if (definition != null && hasLevels(definition, numLevels)) definition else null
    if (defs != null && scratch.length < numLevels) {
      scratch = new Array(Values.grownCapacity(scratch.length, numLevels.toLong))
      itemScratch = new Array(scratch.length)
    }
    val layers = new Array[Layer](repDef.numLayers)
    var i = 0
    while (i < layers.length) {
      val isList = RepDef.isList(repDef.kinds(i))
      if (defs == null)
        layers(layers.length - 1 - i) =
          if (isList) validListLayer(i, repetition, numLevels) else ItemLayer(null)
      else if (isList) listLayer(i, repetition, defs, numLevels, layers)
      else if (repDef.listsBelow(i) == repDef.maxRep)
        layers(layers.length - 1 - i) = itemLayer(i, repetition, defs, numLevels)
      i += 1
    }
    layers(0) match {
      case ListLayer(numSlots, _, _) if numSlots != numRows =>
        throw new CorruptFileException(s"the levels form $numSlots rows, expected $numRows")
      case ItemLayer(v) if v != null && v.numItems != numRows =>
        throw new CorruptFileException(s"the levels form ${v.numItems} rows, expected $numRows")
      case _ =>
    }
    Wrapped(layers)
  }

  /** Builds a layer of items above all lists. */
  private def itemLayer(i: Int, rep: Array[Short], defs: Array[Short], numLevels: Int): Layer = {
    val validity = validities(i)
    if (validity != null) {
      val k = repDef.listsBelow(i)
      val top = repDef.top(i)
      val kept = scratch
      var numKept = 0
      var l = 0
      while (l < numLevels) { // kept when rep >= k and def <= top
        kept(numKept) = defs(l)
        numKept += ((k - 1 - rep(l)) & (defs(l) - top - 1)) >>> 31
        l += 1
      }
      validity.appendLevels(kept, 0, numKept, repDef.base(i))
    }
    ItemLayer(whereNulls(validity))
  }

  /** Builds a list layer and the item layers between it and the next list inside, whose slots are
    * its children. Takes one pass over the levels, which branches only for null or empty lists.
    */
  private def listLayer(
      i: Int,
      rep: Array[Short],
      defs: Array[Short],
      numLevels: Int,
      layers: Array[Layer]
  ): Unit = {
    val k = repDef.listsBelow(i)
    val top = repDef.top(i)
    val base = repDef.base(i)
    val empty = repDef.emptyLevel(i)
    val out = offsetsFor(i, numLevels)
    val slotNulls = scratch
    val itemLevels = itemScratch
    var slots = 0
    var children = 0
    var l = 0
    while (l < numLevels) { // starts a slot: rep > k and def <= top; is a child: rep >= k and def <= base
      val r = rep(l).toInt
      val d = defs(l).toInt
      if (d <= base) {
        out(slots) = children
        slotNulls(slots) = 0
        itemLevels(children) = d.toShort
        slots += (k - r) >>> 31
        children += (k - 1 - r) >>> 31
      } else if (r > k && d <= top) {
        out(slots) = children
        slotNulls(slots) = (if (d == empty) 0 else 1).toShort
        slots += 1
      }
      l += 1
    }
    out(slots) = children
    val validity = validities(i)
    if (validity != null) validity.appendLevels(slotNulls, 0, slots, 0)
    layers(layers.length - 1 - i) = ListLayer(slots, out, whereNulls(validity))
    var j = i - 1
    while (j >= 0 && !RepDef.isList(repDef.kinds(j))) {
      val items = validities(j)
      if (items != null) items.appendLevels(itemLevels, 0, children, repDef.base(j))
      layers(layers.length - 1 - j) = ItemLayer(whereNulls(items))
      j -= 1
    }
  }

  /** Builds a list layer whose definition levels are all 0. */
  private def validListLayer(i: Int, rep: Array[Short], numLevels: Int): Layer = {
    val k = repDef.listsBelow(i)
    val out = offsetsFor(i, numLevels)
    var slots = 0
    var children = 0
    var l = 0
    while (l < numLevels) {
      val r = rep(l).toInt
      out(slots) = children
      slots += (k - r) >>> 31
      children += (k - 1 - r) >>> 31
      l += 1
    }
    out(slots) = children
    ListLayer(slots, out, null)
  }

  private def offsetsFor(i: Int, numLevels: Int): Array[Int] = {
    val present = if (offsets(i) == null) 0 else offsets(i).length
    if (present < numLevels + 1)
      offsets(i) = new Array(Values.grownCapacity(present, numLevels + 1L))
    offsets(i)
  }

  private def hasLevels(levels: Array[Short], numLevels: Int): Boolean = {
    var any = 0
    var i = 0
    while (i < numLevels) {
      any |= levels(i)
      i += 1
    }
    any != 0
  }

  private def whereNulls(validity: Validity): Validity =
    if (validity != null && validity.hasNulls) validity else null
}
