// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer
import io.github.pysparklance.encoding.spi.LeafPage

/** Converts the nesting above one leaf to levels and values, batch by batch. Hot code: imperative;
  * processes one layer of the whole batch at a time.
  *
  * Collected levels are numbered as if every item had nulls, and every list had nulls and empty
  * lists. [[page]] renumbers them for the cases that occurred. Source: format page of the
  * structural encodings, "Producing levels".
  *
  * @param path the fields from the top-level column to the leaf
  * @param valueType type of the leaf's values
  */
final private[layout] class Shredder(path: IndexedSeq[Field], valueType: ValueType) {
  import Shredder._

  private val numLayers = path.length
  private val isList: Array[Boolean] = path.map(isListType).toArray
  private val childOf: Array[Int] =
    Array.tabulate(numLayers - 1)(i => if (isList(i)) 0 else path(i).children.indexOf(path(i + 1)))

  /** Number of levels per slot of a layer, by position in the path. It is the product of the
    * dimensions of the fixed-size lists of structs at or below the layer.
    */
  private val repeats: Array[Int] =
    path.scanRight(1)((field, below) => Math.multiplyExact(below, structsPerSlot(field))).toArray

  /** Full numbering, by position in the path: the null level of a layer. The level of an empty list
    * is one higher.
    */
  private val nullLevel: Array[Int] =
    isList.scanRight(1)((list, below) => below + (if (list) 2 else 1)).tail

  /** Number of lists at or below a layer, by position in the path, followed by 0. */
  private val listsFrom: Array[Int] = isList.scanRight(0)((list, n) => if (list) n + 1 else n)
  private val hasLists = listsFrom(0) > 0

  /** Highest level that owns a value. */
  private val maxVisible: Int = isList.lastIndexOf(true) match {
    case -1 => nullLevel(0)
    case last => nullLevel(last) - 1
  }

  private val values: Values = Values.allocate(valueType)
  private val isPacked = values.isInstanceOf[PackedStructValues]
  private val repetition = new ShortValues
  private val definition = new ShortValues
  private var hasDefinition = false
  private var rows = 0
  private var levels = 0

  // One batch while it is expanded along the path: one level per entry, and the slots of the open
  // entries.
  private var entries = new Entries
  private var spare = new Entries

  def numRows: Int = rows

  /** Bytes collected so far. */
  def sizeInBytes: Long =
    values.sizeInBytes + repetition.sizeInBytes + (if (hasDefinition) levels * 2L else 0L)

  def clear(): Unit = {
    values.clear()
    repetition.clear()
    definition.clear()
    hasDefinition = false
    rows = 0
    levels = 0
  }

  /** Appends rows `[from, from + count)` of a top-level column.
    *
    * @throws InvalidRequestException if the column does not have the shape of the path
    */
  def append(column: Column, from: Int, count: Int): Unit = {
    if (hasLists) appendNested(column, from, count) else appendItems(column, from, count)
    rows += count
  }

  private def appendItems(top: Column, from: Int, count: Int): Unit = {
    val newLevels = Math.multiplyExact(count, repeats(0))
    var column = top
    var slot = from
    var numSlots = count
    var i = 0
    while (i < numLayers && column != null) {
      if (column.hasNulls) markNulls(column, slot, numSlots, i, newLevels)
      if (i < numLayers - 1) {
        column = child(column, i)
        val perSlot = repeats(i) / repeats(i + 1)
        slot = Math.multiplyExact(slot, perSlot)
        numSlots *= perSlot
      }
      i += 1
    }
    if (column == null) values.appendFiller(newLevels)
    else {
      if (isPacked) checkMembers(column, slot, numSlots)
      appendValues(column, slot, numSlots)
    }
    if (hasDefinition) definition.appendFiller(levels + newLevels - definition.numItems)
    levels += newLevels
  }

  private def markNulls(column: Column, from: Int, count: Int, layer: Int, newLevels: Int): Unit = {
    definition.appendFiller(
      levels + newLevels - definition.numItems
    ) // zeros, including rows before the first null
    hasDefinition = true
    val words = column.validity.words
    val out = definition.array
    val level = nullLevel(layer).toShort
    val perSlot = repeats(layer)
    var at = levels
    var i = from
    val end = from + count
    while (i < end) {
      val isNull = ((~words(i >> 6)) >>> i) & 1L
      if (isNull != 0) {
        var k = at
        while (k < at + perSlot) {
          if (out(k) == 0) out(k) = level
          k += 1
        }
      }
      at += perSlot
      i += 1
    }
  }

  private def appendNested(top: Column, from: Int, count: Int): Unit = {
    entries.start(from, count)
    var column = top
    var i = 0
    while (i < numLayers && column != null) {
      if (isList(i)) column = expand(column, i)
      else {
        if (column.hasNulls) closeNulls(column, i)
        if (i < numLayers - 1) column = child(column, i)
      }
      i += 1
    }
    if (column == null) values.appendFiller(entries.countUpTo(maxVisible))
    else {
      if (isPacked) checkNestedMembers(column)
      entries.foreachRun(appendValues(column, _, _))
    }
    val repAt = repetition.extend(entries.size)
    System.arraycopy(entries.rep, 0, repetition.array, repAt, entries.size)
    val defAt = definition.extend(entries.size)
    System.arraycopy(entries.defs, 0, definition.array, defAt, entries.size)
    hasDefinition = true
    levels += entries.size
  }

  /** Processes item layer `i`: open entries of null slots get its null level. */
  private def closeNulls(column: Column, i: Int): Unit = {
    val validity = column.validity
    val in = entries
    val out = spare
    val level = nullLevel(i).toShort
    val listBelow = listsFrom(i).toShort
    val ownsSlot = if (listBelow == 0) maxVisible else 0
    out.clearRuns()
    in.rewind()
    var e = 0
    while (e < in.size) {
      if (in.defs(e) <= ownsSlot) {
        val slot = in.nextSlot()
        if (in.defs(e) == 0 && !validity.isValid(slot)) {
          in.defs(e) = level
          if (in.rep(e) == 0) in.rep(e) = listBelow
        } else out.addRun(slot, 1)
      }
      e += 1
    }
    if (listBelow != 0) in.takeRuns(out) // without lists below, null slots keep a value
  }

  /** Processes list layer `i`: adds an entry for every child. Returns the items, or null if no slot
    * remains.
    */
  private def expand(column: Column, i: Int): Column = column match {
    case list: ListColumn =>
      val in = entries
      val out = spare
      out.startEmpty()
      in.rewind()
      val offsets = list.offsets
      val validity = if (list.hasNulls) list.validity else null
      val number = listsFrom(i).toShort
      var e = 0
      while (e < in.size) {
        if (in.defs(e) != 0) out.add(in.rep(e), in.defs(e))
        else {
          val slot = in.nextSlot()
          val rep = if (in.rep(e) != 0) in.rep(e) else number
          val length = offsets(slot + 1) - offsets(slot)
          if (validity != null && !validity.isValid(slot)) out.add(rep, nullLevel(i).toShort)
          else if (length == 0) out.add(rep, (nullLevel(i) + 1).toShort)
          else {
            out.addOpen(rep, length)
            out.addRun(offsets(slot), length)
          }
        }
        e += 1
      }
      swap()
      list.items
    case _: NullColumn =>
      closeNulls(column, i)
      null
    case other => mismatch(other, i)
  }

  private def swap(): Unit = {
    val e = entries
    entries = spare
    spare = e
  }

  /** Returns the column below item layer `i` of the path, or null if all its slots are null. */
  private def child(column: Column, i: Int): Column = column match {
    case struct: StructColumn if childOf(i) >= 0 && childOf(i) < struct.children.length =>
      struct.children(childOf(i))
    case list: FixedSizeListColumn if list.dimension == repeats(i) / repeats(i + 1) => list.items
    case _: NullColumn => null
    case other => mismatch(other, i)
  }

  private def mismatch(column: Column, i: Int): Nothing = throw new InvalidRequestException(
    s"""column "${path.take(i + 1).map(_.name).mkString(".")}" of type ${LogicalType.text(
        path(i).logicalType
      )} """ +
      s"cannot hold a ${column.getClass.getSimpleName}"
  )

  private def appendValues(column: Column, from: Int, count: Int): Unit =
    appendValues(column, from, count, values)

  private def appendValues(column: Column, from: Int, count: Int, out: Values): Unit =
    column match {
      case LeafColumn(more: DictionaryValues, validity) =>
        var i = from
        while (i < from + count) {
          if (validity != null && !validity.isValid(i)) out.appendFiller(1)
          else out.appendFrom(more.items, more.indices.array(i), 1)
          i += 1
        }
      case LeafColumn(more, _) =>
        if (more.getClass != out.getClass) mismatch(column, numLayers - 1)
        out.appendFrom(more, from, count)
      case ConstantColumn(value, _, _) =>
        if (value.getClass != out.getClass) mismatch(column, numLayers - 1)
        out.appendRepeated(value, 0, count)
      case _: NullColumn => out.appendFiller(count)
      case list: FixedSizeListColumn =>
        out match {
          case lists: FixedSizeListValues if lists.dimension == list.dimension =>
            appendFixedSizeLists(list, from, count, lists)
          case _ => mismatch(column, numLayers - 1)
        }
      case struct: StructColumn =>
        out match {
          case rows: PackedStructValues if rows.children.length == struct.children.length =>
            appendPacked(struct, from, count, rows)
          case filler if path.last.isEmptyStruct => filler.appendFiller(count)
          case _ => mismatch(column, numLayers - 1)
        }
      case _ => mismatch(column, numLayers - 1)
    }

  /** Appends packed structs. Each is one value, so its members cannot be null. */
  private def appendPacked(
      struct: StructColumn,
      from: Int,
      count: Int,
      out: PackedStructValues
  ): Unit = {
    var m = 0
    while (m < out.children.length) {
      val member = struct.children(m)
      appendValues(member, from, count, out.children(m))
      m += 1
    }
    out.extend(count)
  }

  /** Rejects nulls in the members of a packed struct, except where the struct itself is null.
    *
    * @param slot slot of the batch's first level, not counting levels without values
    */
  private def checkMembers(column: Column, slot: Int, numSlots: Int): Unit = column match {
    case struct: StructColumn if struct.children.exists(_.hasNulls) =>
      struct.children.indices.foreach { m =>
        val member = struct.children(m)
        if (member.hasNulls) {
          var i = 0
          while (i < numSlots) {
            val isThere = definition.numItems <= levels + i || definition.array(levels + i) == 0
            if (isThere && member.isNull(slot + i)) rejectNull(m)
            i += 1
          }
        }
      }
    case _ => ()
  }

  /** Like [[checkMembers]], below lists. */
  private def checkNestedMembers(column: Column): Unit = column match {
    case struct: StructColumn if struct.children.exists(_.hasNulls) =>
      val in = entries
      in.rewind()
      var e = 0
      while (e < in.size) {
        if (in.defs(e) <= maxVisible) {
          val slot = in.nextSlot()
          if (in.defs(e) == 0)
            struct.children.indices.foreach(m => if (struct.children(m).isNull(slot)) rejectNull(m))
        }
        e += 1
      }
    case _ => ()
  }

  private def rejectNull(member: Int): Nothing = {
    val leaf = path.last
    val name = leaf.children.lift(member).fold(s"member $member")(_.name)
    throw new InvalidRequestException(
      s"""the member "$name" of the packed struct "${leaf.name}" is null; only the whole struct can be null"""
    )
  }

  /** Appends fixed-size lists of primitives. Each is one value, with the validity of its items
    * stored separately.
    */
  private def appendFixedSizeLists(
      column: Column,
      from: Int,
      count: Int,
      out: FixedSizeListValues
  ): Unit = column match {
    case list: FixedSizeListColumn =>
      val first = Math.multiplyExact(from, list.dimension)
      val numItems = Math.multiplyExact(count, list.dimension)
      if (list.items.hasNulls) {
        out.ensureItemValidity().appendFrom(list.items.validity, first, numItems)
      } else if (out.itemValidity != null) out.itemValidity.appendValid(numItems)
      (list.items, out.items) match {
        case (LeafColumn(more, _), items) if more.getClass == items.getClass =>
          items.appendFrom(more, first, numItems)
        case (ConstantColumn(value, _, _), items) if value.getClass == items.getClass =>
          items.appendRepeated(value, 0, numItems)
        case (_: NullColumn, items) => items.appendFiller(numItems)
        case (inner: FixedSizeListColumn, items: FixedSizeListValues)
            if inner.dimension == items.dimension =>
          appendFixedSizeLists(inner, first, numItems, items)
        case (other, _) => mismatch(other, numLayers - 1)
      }
      out.extend(count)
    case other => mismatch(other, numLayers - 1)
  }

  /** Returns the collected rows. Each layer has the kind that its data need. Shares arrays of this
    * object until [[clear]].
    */
  def page: LeafPage = {
    val seen = new Array[Boolean](nullLevel(0) + 2)
    if (hasDefinition) {
      var l = 0
      while (l < levels) {
        seen(definition.array(l).toInt) = true
        l += 1
      }
    }
    val nullable = nullableLayers(seen)
    val renumbered = new Array[Short](seen.length)
    var next = 0
    val kinds = (numLayers - 1 to 0 by -1).map { i =>
      if (nullable(i)) {
        next += 1
        renumbered(nullLevel(i)) = next.toShort
      }
      if (!isList(i))
        if (nullable(i)) RepDefLayer.REPDEF_NULLABLE_ITEM else RepDefLayer.REPDEF_ALL_VALID_ITEM
      else {
        val hasEmpty = seen(nullLevel(i) + 1)
        if (hasEmpty) {
          next += 1
          renumbered(nullLevel(i) + 1) = next.toShort
        }
        listKind(nullable(i), hasEmpty)
      }
    }
    if (next > 0) renumber(renumbered)
    LeafPage(
      if (hasLists) rows else levels,
      kinds,
      if (hasLists) repetition.array else null,
      if (next > 0) definition.array else null,
      levels,
      values
    )
  }

  /** Returns the layers that get a null level: those with nulls, and others to work around bugs in
    * readers of the reference up to release 14.
    *
    *  - They skip a list layer without levels when they number the levels of outer layers. So it
    *    gets a null level below other levels.
    *  - If one page of a column has nulls in a struct above lists and another has none, they
    *    miscount the second page's structs. So every page declares such a struct nullable.
    *  - They expect a struct to be nullable if the struct around it is.
    *  - If they read a field of a struct without the struct, they take its nulls only from the
    *    field's own layer. So a list or leaf in a null struct is nullable.
    */
  private def nullableLayers(seen: Array[Boolean]): Array[Boolean] = {
    val nullable = new Array[Boolean](numLayers)
    var levelsAbove = false
    var inNullStruct = false // the field around layer i is a struct, and null in some slots
    var i = 0
    while (i < numLayers) {
      val hasEmpty = isList(i) && seen(nullLevel(i) + 1)
      val reserved =
        if (isList(i)) inNullStruct || (levelsAbove && !hasEmpty)
        else if (i == numLayers - 1) inNullStruct
        else {
          val belowNullableStruct = i > 0 && !isList(i - 1) && nullable(i - 1)
          belowNullableStruct || (listsFrom(i) > 0 && path(i).nullable)
        }
      nullable(i) = seen(nullLevel(i)) || reserved
      levelsAbove ||= nullable(i) || hasEmpty
      inNullStruct = !isList(i) && (inNullStruct || seen(nullLevel(i)))
      i += 1
    }
    nullable
  }

  private def renumber(table: Array[Short]): Unit = {
    val all = definition.array
    var l = 0
    while (l < levels) {
      all(l) = table(all(l).toInt)
      l += 1
    }
  }
}

private[layout] object Shredder {

  /** Returns the items per slot if the field is a fixed-size list of structs, else 1. */
  def structsPerSlot(field: Field): Int = field.logicalType match {
    case LogicalType.FixedSizeList(LogicalType.Struct, dimension) => dimension
    case _ => 1
  }

  def isListType(field: Field): Boolean = field.logicalType match {
    case LogicalType.List(_, _) | LogicalType.Map => true
    case _ => false
  }

  private def listKind(hasNull: Boolean, hasEmpty: Boolean): RepDefLayer =
    if (hasNull && hasEmpty) RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST
    else if (hasNull) RepDefLayer.REPDEF_NULLABLE_LIST
    else if (hasEmpty) RepDefLayer.REPDEF_EMPTYABLE_LIST
    else RepDefLayer.REPDEF_ALL_VALID_LIST
}
