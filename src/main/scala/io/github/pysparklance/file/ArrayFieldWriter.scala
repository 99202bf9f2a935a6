// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.ArrayEncoder
import io.github.pysparklance.file.metadata.LeafPaths

/** Writes a top-level field of a file of version 2.0. Every field at any depth has a column. The
  * column of a struct only counts rows, and that of a list contains offsets. The rows of the column
  * below a list are its items.
  *
  * Source: format page of the encodings of 2.0, "Struct, list, blob: columns and pages".
  *
  * @param pageBytes approximate in-memory size of the values of a page
  * @throws UnsupportedFeatureException for a type that files of version 2.0 do not support
  */
final private class ArrayFieldWriter(field: Field, area: DataArea, pageBytes: Long)
    extends FieldWriter {
  private val root = ArrayFieldWriter.node(IndexedSeq(field), area)

  def columns: IndexedSeq[ColumnPages] = root.columns

  def bufferedBytes: Long = root.bufferedBytes

  def append(values: Column, numRows: Int): Unit = {
    var from = 0
    while (from < numRows) {
      val count = ColumnSize.rowsWithin(values, from, numRows - from, pageBytes / 4)
      root.append(values, from, count)
      root.flush(pageBytes)
      from += count
    }
  }

  def finish(): Unit = {
    root.flush(0)
    root.finish()
  }
}

private object ArrayFieldWriter {

  /** Returns the number of columns of the field and its descendants. */
  def numColumns(field: Field): Int =
    if (field.isLeaf) 1 else 1 + field.children.iterator.map(numColumns).sum

  /** @param path from the top-level field down to the field to write */
  private def node(path: IndexedSeq[Field], area: DataArea): ArrayNodeWriter = {
    val field = path.last
    def reject(what: String, holder: String) = throw new UnsupportedFeatureException(
      s"$what in a data file of version 2.0; use file version $holder or later",
      Place(column = Some(LeafPaths.name(path)))
    )
    field.logicalType match {
      case _ if field.isBlobV2 => reject("a blob v2", "2.2")
      case _ if field.isBlob => new BlobArrayWriter(path, area)
      case LogicalType.Map => reject("a map", "2.2")
      case LogicalType.FixedSizeList(LogicalType.Struct, _) =>
        reject("a fixed-size list of structs", "2.2")
      case LogicalType.Struct if !field.isPacked =>
        new StructArrayWriter(path, field.children.map(c => node(path :+ c, area)), area)
      case LogicalType.List(_, _) =>
        new ListArrayWriter(path, node(path :+ field.children.head, area), area)
      case _ => new LeafArrayWriter(path, area)
    }
  }
}

/** Writes a field at any depth.
  *
  * @param path from the top-level field down to this one
  */
sealed abstract private class ArrayNodeWriter(path: IndexedSeq[Field]) {
  private val place = Place(column = Some(LeafPaths.name(path)))

  /** The column of the field, followed by the columns of its descendants. */
  def columns: IndexedSeq[ColumnPages]

  /** Bytes of the values that are not in a page yet. */
  def bufferedBytes: Long

  /** Appends slots `[from, from + count)`. */
  def append(column: Column, from: Int, count: Int): Unit

  /** Writes pages for columns with at least `minBytes` buffered bytes. */
  def flush(minBytes: Long): Unit

  /** Called after the last flush. */
  def finish(): Unit

  final protected def in[A](body: => A): A = Place.in(place)(body)

  final protected def mismatch(column: Column): Nothing = throw new InvalidRequestException(
    s"a column of type ${LogicalType.text(path.last.logicalType)} cannot hold a " +
      column.getClass.getSimpleName,
    place
  )
}

/** Writes the values of a leaf. */
final private class LeafArrayWriter(path: IndexedSeq[Field], area: DataArea)
    extends ArrayNodeWriter(path) {
  private val pages = new ColumnPages(area, path.last.id, ColumnPages.Values)
  private val encoder = in(new ArrayEncoder(path.last))

  def columns: IndexedSeq[ColumnPages] = IndexedSeq(pages)
  def bufferedBytes: Long = encoder.bufferedBytes

  def append(column: Column, from: Int, count: Int): Unit = in(encoder.append(column, from, count))

  def flush(minBytes: Long): Unit =
    if (encoder.bufferedBytes >= minBytes) in(encoder.flush().foreach(pages.write(_, priority = 0)))

  def finish(): Unit = ()
}

/** Writes a struct without nulls. */
final private class StructArrayWriter(
    path: IndexedSeq[Field],
    children: IndexedSeq[ArrayNodeWriter],
    area: DataArea
) extends ArrayNodeWriter(path) {
  private val header = new ColumnPages(area, path.last.id, ColumnPages.Values)
  private var numSlots = 0L

  def columns: IndexedSeq[ColumnPages] = header +: children.flatMap(_.columns)
  def bufferedBytes: Long = children.iterator.map(_.bufferedBytes).sum

  def append(column: Column, from: Int, count: Int): Unit = if (count > 0) {
    checkNoNulls(column, from, count)
    column match {
      case struct: StructColumn if struct.children.length == children.length =>
        children.indices.foreach(i => children(i).append(struct.children(i), from, count))
      case other => mismatch(other)
    }
    numSlots += count
  }

  private def checkNoNulls(column: Column, from: Int, count: Int): Unit = if (column.hasNulls) {
    var i = from
    while (i < from + count) {
      if (column.isNull(i)) in(throw new UnsupportedFeatureException(
        "a null struct in a data file of version 2.0; use file version 2.1 or later"
      ))
      i += 1
    }
  }

  def flush(minBytes: Long): Unit = children.foreach(_.flush(minBytes))

  def finish(): Unit = {
    header.write(ArrayEncoder.structs(numSlots), priority = 0)
    children.foreach(_.finish())
  }
}

/** Writes a list as the end offset of each slot in the items. The items are the slots of the child
  * field. Items of null lists are skipped. Hot code.
  */
final private class ListArrayWriter(
    path: IndexedSeq[Field],
    items: ArrayNodeWriter,
    area: DataArea
) extends ArrayNodeWriter(path) {
  private val pages = new ColumnPages(area, path.last.id, ColumnPages.Values)
  private val ends = new LongValues
  private val validity = new Validity

  def columns: IndexedSeq[ColumnPages] = pages +: items.columns
  def bufferedBytes: Long = ends.sizeInBytes + items.bufferedBytes

  def append(column: Column, from: Int, count: Int): Unit = column match {
    case list: ListColumn => appendLists(list, from, count)
    case _: NullColumn =>
      appendEnds(count, end)
      validity.appendNulls(count)
    case other => mismatch(other)
  }

  /** End of the buffered lists in the buffered items. */
  private def end: Long = if (ends.numItems == 0) 0L else ends.array(ends.numItems - 1)

  private def appendEnds(count: Int, end: Long): Unit = {
    val at = ends.extend(count)
    java.util.Arrays.fill(ends.array, at, at + count, end)
  }

  private def appendLists(list: ListColumn, from: Int, count: Int): Unit = {
    val offsets = list.offsets
    val nulls = if (list.hasNulls) list.validity else null
    var end = this.end
    val to = ends.extend(count) - from
    val out = ends.array
    var runFrom = offsets(from)
    var runUntil = runFrom
    var i = from
    while (i < from + count) {
      if (nulls == null || nulls.isValid(i)) {
        if (runUntil != offsets(i)) {
          if (runUntil > runFrom) items.append(list.items, runFrom, runUntil - runFrom)
          runFrom = offsets(i)
        }
        runUntil = offsets(i + 1)
        end += runUntil - offsets(i)
      }
      out(to + i) = end
      i += 1
    }
    if (runUntil > runFrom) items.append(list.items, runFrom, runUntil - runFrom)
    if (nulls == null) validity.appendValid(count) else validity.appendFrom(nulls, from, count)
  }

  def flush(minBytes: Long): Unit = {
    if (ends.numItems > 0 && ends.sizeInBytes >= minBytes) {
      pages.write(ArrayEncoder.lists(ends, validity), priority = 0)
      ends.clear()
      validity.clear()
    }
    items.flush(minBytes)
  }

  def finish(): Unit = items.finish()
}

/** Writes blobs. Their bytes are written to the file immediately, and the pages contain their
  * positions.
  *
  * {{{
  *   position u64 | size u64     null: 1, 0     empty: 0, 0
  * }}}
  */
final private class BlobArrayWriter(path: IndexedSeq[Field], area: DataArea)
    extends ArrayNodeWriter(path) {
  private val pages = new ColumnPages(area, path.last.id, ColumnPages.Blobs)
  private val descriptor = BlobField.descriptor(path.last).copy(metadata = Map("packed" -> "true"))
  private val encoder = new ArrayEncoder(descriptor)
  private val positions = new LongValues
  private val sizes = new LongValues

  def columns: IndexedSeq[ColumnPages] = IndexedSeq(pages)
  def bufferedBytes: Long = encoder.bufferedBytes

  def append(column: Column, from: Int, count: Int): Unit = in {
    positions.clear()
    sizes.clear()
    column match {
      case LeafColumn(values: BinaryValues, _) =>
        (from until from + count).foreach { i =>
          if (column.isNull(i)) add(1, 0)
          else write(values, i)
        }
      case ConstantColumn(value: BinaryValues, _, _) =>
        (from until from + count).foreach(i => if (column.isNull(i)) add(1, 0) else write(value, 0))
      case _: NullColumn => (0 until count).foreach(_ => add(1, 0))
      case other => mismatch(other)
    }
    val members = IndexedSeq(LeafColumn(positions, null), LeafColumn(sizes, null))
    encoder.append(StructColumn(count, members, null), 0, count)
  }

  private def write(values: BinaryValues, i: Int): Unit = {
    val length = values.offsets(i + 1) - values.offsets(i)
    if (length == 0) add(0, 0)
    else add(area.write(new Buffer(values.bytes, values.offsets(i), length)).offset, length.toLong)
  }

  private def add(position: Long, size: Long): Unit = {
    positions.append(position)
    sizes.append(size)
  }

  def flush(minBytes: Long): Unit =
    if (encoder.bufferedBytes >= minBytes) in(encoder.flush().foreach(pages.write(_, priority = 0)))

  def finish(): Unit = ()
}
