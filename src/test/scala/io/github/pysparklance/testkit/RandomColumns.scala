// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

import io.github.pysparklance.core._

/** Generates fields of any nesting, and columns, from a seed: nulls at every layer, empty lists,
  * hidden items under null lists, arbitrary values under nulls, offsets that do not start at 0,
  * constant columns, and columns of nulls.
  *
  * @param random source of all choices; the same seed generates the same columns
  */
final class RandomColumns(random: Random) {
  import LogicalType._

  private val plainTypes: IndexedSeq[LogicalType] = IndexedSeq(
    Bool,
    Integer(8, signed = true),
    Integer(16, signed = true),
    Integer(32, signed = true),
    Integer(64, signed = true),
    Double,
    Decimal(128, 20, 2),
    FixedSizeBinary(5),
    FixedSizeBinary(300),
    Utf8(large = false),
    Binary(large = true)
  )

  /** Returns a field with at most `depth` levels of nesting and fresh ids.
    *
    * @param fixedSizeLists whether fixed-size lists may occur
    */
  def field(depth: Int, fixedSizeLists: Boolean): Field =
    Schema(IndexedSeq(nested("f", depth, fixedSizeLists))).withFreshIds.fields.head

  private def nested(name: String, depth: Int, fixedSizeLists: Boolean): Field = {
    val nullable = random.nextInt(4) != 0
    if (depth == 0 || random.nextInt(4) == 0) leaf(name, nullable, fixedSizeLists)
    else
      random.nextInt(5) match {
        case 0 =>
          val entries = Field(
            -1,
            "entries",
            Struct,
            nullable = false,
            IndexedSeq(
              leaf("key", nullable = false, fixedSizeLists = false),
              nested("value", depth - 1, fixedSizeLists)
            )
          )
          Field(-1, name, LogicalType.Map, nullable, IndexedSeq(entries))
        case 1 | 2 =>
          val children =
            (0 to random.nextInt(3)).map(i => nested(s"c$i", depth - 1, fixedSizeLists))
          Field(-1, name, Struct, nullable, children)
        case _ =>
          val item = nested("item", depth - 1, fixedSizeLists)
          Field(
            -1,
            name,
            LogicalType.List(large = false, item.logicalType == Struct),
            nullable,
            IndexedSeq(item)
          )
      }
  }

  /** A field with a packed struct, a dictionary, a fixed-size binary of any width, a struct without
    * members, or a fixed-size list of structs in it.
    *
    * @param anyWidth whether packed structs of any width and fixed-size lists of structs may occur
    */
  def special(anyWidth: Boolean): Field =
    Schema(IndexedSeq(specialField(anyWidth))).withFreshIds.fields.head

  private def specialField(anyWidth: Boolean): Field =
    random.nextInt(if (anyWidth) 6 else 5) match {
      case 0 => packed("s", anyWidth)
      case 1 => dictionary("s")
      case 2 => Field(-1, "s", FixedSizeBinary(1 + random.nextInt(9)), nullable = true)
      case 3 =>
        val empty = Field(-1, "s", Struct, nullable = false)
        if (random.nextBoolean()) empty
        else Field(-1, "o", Struct, nullable = false, IndexedSeq(dictionary("d"), empty))
      case 4 =>
        val item = if (random.nextBoolean()) packed("item", anyWidth) else dictionary("item")
        val list = List(large = false, item.logicalType == Struct)
        val inner = Field(-1, "l", list, nullable = true, IndexedSeq(item))
        Field(-1, "s", Struct, nullable = true, IndexedSeq(inner, packed("p", anyWidth)))
      case _ =>
        val members = IndexedSeq(
          packed("p", anyWidth),
          dictionary("d"),
          leaf("c", nullable = true, fixedSizeLists = true)
        )
        val item = Field(-1, "item", Struct, nullable = true, members.take(1 + random.nextInt(3)))
        val dimension = 1 + random.nextInt(4)
        val list =
          Field(-1, "s", FixedSizeList(Struct, dimension), nullable = true, IndexedSeq(item))
        if (random.nextBoolean()) list
        else Field(-1, "o", Struct, nullable = true, IndexedSeq(dictionary("d"), list))
    }

  private def packed(name: String, anyWidth: Boolean): Field = {
    val types = IndexedSeq[LogicalType](
      Integer(8, signed = true),
      Integer(32, signed = true),
      Double,
      Decimal(128, 20, 2),
      FixedSizeBinary(5)
    ) ++ (if (anyWidth)
            IndexedSeq(Utf8(large = false), Binary(large = true), FixedSizeList(Double, 2))
          else IndexedSeq.empty)
    val members = (0 to random.nextInt(4)).map { i =>
      Field(-1, s"m$i", types(random.nextInt(types.length)), nullable = true)
    }
    Field(-1, name, Struct, nullable = true, members, Predef.Map("lance-encoding:packed" -> "true"))
  }

  private def dictionary(name: String): Field = {
    val values = IndexedSeq(Utf8(large = false), Integer(32, signed = true), Double, Bool)
    val index = Integer(if (random.nextBoolean()) 16 else 32, signed = random.nextBoolean())
    val t = Dictionary(values(random.nextInt(values.length)), index, ordered = false)
    Field(-1, name, t, nullable = random.nextInt(4) != 0)
  }

  private def leaf(name: String, nullable: Boolean, fixedSizeLists: Boolean): Field = {
    val plain = plainTypes(random.nextInt(plainTypes.length))
    val logicalType =
      if (fixedSizeLists && random.nextInt(3) == 0) {
        val item = plainTypes(random.nextInt(6))
        val inner = FixedSizeList(item, 1 + random.nextInt(if (random.nextInt(4) == 0) 100 else 5))
        if (random.nextInt(4) == 0) FixedSizeList(inner, 1 + random.nextInt(3)) else inner
      } else plain
    Field(-1, name, logicalType, nullable)
  }

  /** A column of `numRows` slots. */
  def column(field: Field, numRows: Int): Column = {
    val nullsOf = if (field.nullable) random.nextInt(4) else 0
    if (field.nullable && random.nextInt(20) == 0) NullColumn(numRows)
    else {
      val validity = nullsOf match {
        case 0 => null
        case 1 => validityOf(numRows, 0.02)
        case 2 => validityOf(numRows, 0.5)
        case _ => validityOf(numRows, random.nextDouble())
      }
      field.logicalType match {
        case Struct if field.isPacked =>
          // Members have no nulls.
          val members = field.children.map(m => column(m.copy(nullable = false), numRows))
          StructColumn(numRows, members, validity)
        case Struct => StructColumn(numRows, field.children.map(column(_, numRows)), validity)
        case FixedSizeList(Struct, dimension) =>
          val items = column(field.children.head, numRows * dimension)
          FixedSizeListColumn(numRows, dimension, items, validity)
        case LogicalType.Map | LogicalType.List(_, _) => list(field, numRows, validity)
        case FixedSizeList(item, dimension) if random.nextBoolean() =>
          val items = column(Field(-1, "item", item, nullable = true), numRows * dimension)
          FixedSizeListColumn(numRows, dimension, items, validity)
        case _ =>
          if (random.nextInt(20) == 0) ConstantColumn(values(field.valueType, 1), numRows, validity)
          else LeafColumn(values(field.valueType, numRows), validity)
      }
    }
  }

  private def validityOf(numRows: Int, nullShare: Double): Validity = {
    val v = new Validity
    (0 until numRows).foreach(_ => v.append(random.nextDouble() >= nullShare))
    v
  }

  private def list(field: Field, numRows: Int, validity: Validity): Column = {
    val longest =
      if (numRows > 100) 4 else if (random.nextInt(6) == 0) 2000 / (numRows + 1) + 3 else 6
    val neverEmpty = random.nextInt(3) == 0
    val hidden = random.nextInt(3) == 0
    val offsets = new Array[Int](numRows + 1 + random.nextInt(3))
    var at = random.nextInt(3)
    (0 until numRows).foreach { i =>
      offsets(i) = at
      val isNull = validity != null && !validity.isValid(i)
      if (!isNull || hidden)
        at += (if (neverEmpty) 1 + random.nextInt(longest) else random.nextInt(longest + 1))
      offsets(i + 1) = at
    }
    ListColumn(numRows, offsets, column(field.children.head, at + random.nextInt(3)), validity)
  }

  /** `numItems` values: random, small, constant or few. */
  def values(valueType: ValueType, numItems: Int): Values = valueType match {
    case FixedSizeListType(dimension, items) =>
      val out = new FixedSizeListValues(dimension, Values.allocate(items))
      out.items.appendFrom(values(items, numItems * dimension), 0, numItems * dimension)
      if (random.nextInt(3) == 0) out.itemValidity = validityOf(numItems * dimension, 0.2)
      out.extend(numItems)
      out
    case VariableWidth(offsetBits) =>
      val out = new BinaryValues
      val longest = if (numItems < 200) 1 + random.nextInt(700) else 1 + random.nextInt(20)
      val distinct = 1 + random.nextInt(if (random.nextBoolean()) 5 else 100000)
      (0 until numItems).foreach { _ =>
        val own = new Random(random.nextInt(distinct))
        val bytes = new Array[Byte](own.nextInt(longest))
        own.nextBytes(bytes)
        if (offsetBits == 32)
          bytes.indices.foreach(i => bytes(i) = (bytes(i) & 0x7f).toByte) // UTF-8
        out.append(bytes, 0, bytes.length)
      }
      out
    case _ =>
      val out = Values.allocate(valueType)
      val bits = random.nextInt(65)
      val mask = if (bits == 64) -1L else (1L << bits) - 1
      (0 until numItems).foreach { _ =>
        val v = random.nextLong() & mask
        out match {
          case b: ByteValues =>
            b.append(if (valueType == FixedWidth(1)) (v & 1).toByte else v.toByte)
          case s: ShortValues => s.append(v.toShort)
          case i: IntValues => i.append(v.toInt)
          case l: LongValues => l.append(v)
          case w: WideValues =>
            val at = w.extend(1)
            (0 until w.bytesPerValue).foreach(k => w.bytes(at + k) = (v >>> (k % 8 * 8)).toByte)
          case other => throw new IllegalArgumentException(other.toString)
        }
      }
      out
  }
}
