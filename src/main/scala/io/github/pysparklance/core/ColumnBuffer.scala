// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Collects slots of columns of one field into a new column. Accepts every form of [[Column]] and
  * produces plain values with the same nesting. Not thread-safe. Hot code: copies runs of slots at
  * once.
  *
  * {{{
  *   append(a, 2, 3)   appendNulls(1)   append(b, 0, 1)          a2 a3 a4 null b0
  * }}}
  */
sealed abstract class ColumnBuffer {
  private var validity: Validity = null
  private var count = 0

  /** Number of slots appended since the last [[clear]]. */
  final def numRows: Int = count

  /** Appends slots `[from, from + numSlots)` of a column.
    *
    * @throws InvalidRequestException if the column does not have the field's shape
    */
  final def append(column: Column, from: Int, numSlots: Int): Unit = if (numSlots > 0) {
    column match {
      case _: NullColumn => appendNulls(numSlots)
      case _ =>
        if (column.hasNulls) {
          ensureValidity()
          validity.appendFrom(column.validity, from, numSlots)
        } else if (validity != null) validity.appendValid(numSlots)
        count += numSlots
        appendSlots(column, from, numSlots)
    }
  }

  /** Appends nulls, whether or not the field allows them. */
  final def appendNulls(numSlots: Int): Unit = if (numSlots > 0) {
    ensureValidity()
    validity.appendNulls(numSlots)
    count += numSlots
    appendFillerSlots(numSlots)
  }

  /** Appends slots whose values are never read. They are nulls for nullable strings and binaries,
    * else valid zeros and empty lists, which every file version can store.
    */
  final def appendFiller(numSlots: Int): Unit = if (fillsWithNulls) appendNulls(numSlots)
  else if (numSlots > 0) {
    if (validity != null) validity.appendValid(numSlots)
    count += numSlots
    appendFillerSlots(numSlots)
  }

  /** Bytes of the values appended so far, without validity. */
  def sizeInBytes: Long

  /** The collected column. Valid until the next call of another method. */
  final def column: Column =
    built(count, if (validity != null && validity.hasNulls) validity else null)

  /** Removes all slots. */
  final def clear(): Unit = {
    validity = null
    count = 0
    clearSlots()
  }

  private def ensureValidity(): Unit =
    if (validity == null) validity = Validity.allValid(count)

  protected def fillsWithNulls: Boolean = false
  protected def appendSlots(column: Column, from: Int, numSlots: Int): Unit
  protected def appendFillerSlots(numSlots: Int): Unit
  protected def clearSlots(): Unit
  protected def built(numRows: Int, validity: Validity): Column

  final protected def reject(column: Column, expected: String): Nothing =
    throw new InvalidRequestException(
      s"the column is a ${column.getClass.getSimpleName}, expected $expected"
    )
}

object ColumnBuffer {

  /** Creates an empty buffer for columns of a field. Blob fields have a shape that [[BlobField]]
    * returned.
    *
    * @throws UnsupportedFeatureException if the type has no layout in memory
    */
  def apply(field: Field): ColumnBuffer = {
    import LogicalType._
    field.logicalType match {
      case _ if field.isBlob && field.children.isEmpty && field.logicalType != Struct =>
        new Leaf(Values.allocate(field.copy(metadata = Predef.Map.empty).valueType), field.nullable)
      case Null => new NullBuffer
      case Struct if field.isBlobV2 && field.children.headOption.forall(_.id >= 0) =>
        new Leaf(new BinaryValues, field.nullable)
      case Struct => new StructBuffer(field.children.map(apply))
      case List(_, _) | Map => new ListBuffer(apply(field.children.head))
      case FixedSizeList(Struct, dimension) =>
        new FixedSizeListBuffer(dimension, apply(field.children.head))
      case FixedSizeList(item, dimension) =>
        new FixedSizeListBuffer(dimension, apply(Field(0, "item", item, nullable = true)))
      case _ => new Leaf(Values.allocate(field.valueType), field.nullable)
    }
  }

  final private class Leaf(values: Values, nullable: Boolean) extends ColumnBuffer {
    override protected def fillsWithNulls: Boolean = nullable && values.isInstanceOf[BinaryValues]

    protected def appendSlots(column: Column, from: Int, numSlots: Int): Unit = column match {
      case LeafColumn(d: DictionaryValues, validity) => lookUp(d, validity, from, numSlots)
      case LeafColumn(v, _) if v.getClass == values.getClass => values.appendFrom(v, from, numSlots)
      case ConstantColumn(v, _, _) if v.getClass == values.getClass =>
        values.appendRepeated(v, 0, numSlots)
      case other => reject(other, s"a leaf of ${values.getClass.getSimpleName}")
    }

    private def lookUp(d: DictionaryValues, validity: Validity, from: Int, numSlots: Int): Unit = {
      val indices = d.indices.array
      var i = from
      while (i < from + numSlots) {
        if (validity == null || validity.isValid(i)) values.appendFrom(d.items, indices(i), 1)
        else values.appendFiller(1)
        i += 1
      }
    }

    def sizeInBytes: Long = values.sizeInBytes
    protected def appendFillerSlots(numSlots: Int): Unit = values.appendFiller(numSlots)
    protected def clearSlots(): Unit = values.clear()
    protected def built(numRows: Int, validity: Validity): Column = LeafColumn(values, validity)
  }

  /** The null type. */
  final private class NullBuffer extends ColumnBuffer {
    def sizeInBytes: Long = 0L
    protected def appendSlots(column: Column, from: Int, numSlots: Int): Unit = ()
    protected def appendFillerSlots(numSlots: Int): Unit = ()
    protected def clearSlots(): Unit = ()
    protected def built(numRows: Int, validity: Validity): Column = NullColumn(numRows)
  }

  final private class StructBuffer(children: IndexedSeq[ColumnBuffer]) extends ColumnBuffer {
    protected def appendSlots(column: Column, from: Int, numSlots: Int): Unit = column match {
      case s: StructColumn if s.children.length == children.length =>
        children.indices.foreach(i => children(i).append(s.children(i), from, numSlots))
      case other => reject(other, s"a struct of ${children.length} members")
    }

    def sizeInBytes: Long = children.iterator.map(_.sizeInBytes).sum

    protected def appendFillerSlots(numSlots: Int): Unit =
      children.foreach(_.appendFiller(numSlots))
    protected def clearSlots(): Unit = children.foreach(_.clear())
    protected def built(numRows: Int, validity: Validity): Column =
      StructColumn(numRows, children.map(_.column), validity)
  }

  final private class ListBuffer(items: ColumnBuffer) extends ColumnBuffer {
    private val offsets = new IntValues
    offsets.append(0)

    def sizeInBytes: Long = offsets.sizeInBytes + items.sizeInBytes

    /** Skips items of null lists. */
    protected def appendSlots(column: Column, from: Int, numSlots: Int): Unit = column match {
      case l: ListColumn =>
        val at = offsets.extend(numSlots)
        var end = offsets.array(at - 1)
        if (!l.hasNulls) {
          val shift = end - l.offsets(from)
          var i = 0
          while (i < numSlots) {
            offsets.array(at + i) = l.offsets(from + i + 1) + shift
            i += 1
          }
          items.append(l.items, l.offsets(from), l.offsets(from + numSlots) - l.offsets(from))
        } else {
          var i = 0
          while (i < numSlots) {
            val slot = from + i
            if (l.validity.isValid(slot)) {
              val length = l.offsets(slot + 1) - l.offsets(slot)
              items.append(l.items, l.offsets(slot), length)
              end += length
            }
            offsets.array(at + i) = end
            i += 1
          }
        }
      case other => reject(other, "a list")
    }

    protected def appendFillerSlots(numSlots: Int): Unit = {
      val at = offsets.extend(numSlots)
      java.util.Arrays.fill(offsets.array, at, at + numSlots, offsets.array(at - 1))
    }

    protected def clearSlots(): Unit = {
      offsets.clear()
      offsets.append(0)
      items.clear()
    }

    protected def built(numRows: Int, validity: Validity): Column =
      ListColumn(numRows, offsets.array, items.column, validity)
  }

  final private class FixedSizeListBuffer(dimension: Int, items: ColumnBuffer)
      extends ColumnBuffer {
    protected def appendSlots(column: Column, from: Int, numSlots: Int): Unit = column match {
      case l: FixedSizeListColumn if l.dimension == dimension =>
        items.append(l.items, from * dimension, Math.multiplyExact(numSlots, dimension))
      case LeafColumn(v: FixedSizeListValues, _) if v.dimension == dimension =>
        items.append(
          LeafColumn(v.items, v.itemValidity),
          from * dimension,
          Math.multiplyExact(numSlots, dimension)
        )
      case ConstantColumn(v: FixedSizeListValues, _, _) if v.dimension == dimension =>
        val one = LeafColumn(v.items, v.itemValidity)
        var i = 0
        while (i < numSlots) {
          items.append(one, 0, dimension)
          i += 1
        }
      case other => reject(other, s"a list of $dimension items")
    }

    def sizeInBytes: Long = items.sizeInBytes

    protected def appendFillerSlots(numSlots: Int): Unit =
      items.appendFiller(Math.multiplyExact(numSlots, dimension))

    protected def clearSlots(): Unit = items.clear()

    protected def built(numRows: Int, validity: Validity): Column =
      FixedSizeListColumn(numRows, dimension, items.column, validity)
  }
}
