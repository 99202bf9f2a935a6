// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.types._

import io.github.pysparklance.core._
import io.github.pysparklance.spark.types.{PhysicalTypes, SparkTypes, TypeOptions}
import io.github.pysparklance.table.scan.ComputedColumn

/** Creates Spark vectors for the decoded columns of a field.
  *
  * @param field projected field, without unread children
  * @throws UnsupportedFeatureException if Spark cannot read the field
  */
final class VectorFactory(field: Field, options: TypeOptions = TypeOptions.default) {
  private val dataType: DataType = PhysicalTypes(SparkTypes.dataType(field, options))
  private val children: IndexedSeq[VectorFactory] =
    field.children.map(new VectorFactory(_, options))
  private val leafType: LogicalType =
    if (SparkTypes.isBFloat16(field)) LogicalType.BFloat16
    else if (SparkTypes.isJson(field)) LogicalType.Json
    else field.logicalType
  private val isText = dataType == StringType && (leafType match {
    case LogicalType.Utf8(_) | LogicalType.Dictionary(LogicalType.Utf8(_), _, _) => true
    case _ => false
  })
  private var strings: DictionaryStrings = null

  /** Returns a vector that shares the arrays of `column`.
    *
    * @throws CorruptFileException if the column does not have the shape of the field
    */
  def vector(column: Column): LanceVector = column match {
    case LeafColumn(values, validity) => leaf(values, values.numItems, validity)
    case ConstantColumn(value, numRows, validity) =>
      new ConstantVector(leaf(value, value.numItems, null), numRows, validity)
    case NullColumn(numRows) => nulls(numRows)
    case ListColumn(numRows, offsets, items, validity) =>
      dataType match {
        case _: MapType =>
          val entries = children.head.vector(items)
          new MapVector(
            dataType,
            offsets,
            entries.getChild(0),
            entries.getChild(1),
            numRows,
            validity
          )
        case _ => new ListVector(dataType, offsets, children.head.vector(items), numRows, validity)
      }
    case FixedSizeListColumn(numRows, dimension, items, validity) =>
      val itemVector =
        if (children.nonEmpty) children.head.vector(items) else itemFactory.vector(items)
      new FixedSizeListVector(dataType, dimension, itemVector, numRows, validity)
    case StructColumn(numRows, columns, validity) =>
      if (columns.length != children.length) wrongShape(s"a struct of ${columns.length} columns")
      val vectors = new Array[LanceVector](columns.length)
      columns.indices.foreach(i => vectors(i) = children(i).vector(columns(i)))
      new StructVector(dataType, vectors, numRows, validity)
  }

  private def nulls(numRows: Int): NullVector =
    new NullVector(dataType, children.map(_.nulls(numRows): LanceVector).toArray, numRows)

  /** Factory for the items of a fixed-size list of flat values, which has no child field. */
  private lazy val itemFactory: VectorFactory = field.logicalType match {
    case LogicalType.FixedSizeList(item, _) =>
      new VectorFactory(VectorFactory.item(item).copy(metadata = field.metadata), options)
    case _ => wrongShape("a fixed-size list")
  }

  private def leaf(values: Values, numRows: Int, validity: Validity): LanceVector = values match {
    case DictionaryValues(indices, items: BinaryValues) if isText =>
      new DictionaryStringVector(stringsOf(items), indices.array, numRows, validity)
    case d: DictionaryValues =>
      new MappedVector(leaf(d.items, d.items.numItems, null), d.indices.array, numRows, validity)
    case l: FixedSizeListValues =>
      val items = itemFactory.vector(LeafColumn(l.items, l.itemValidity))
      new FixedSizeListVector(dataType, l.dimension, items, numRows, validity)
    case p: PackedStructValues =>
      if (p.children.length != children.length)
        wrongShape(s"a packed struct of ${p.children.length}")
      val vectors = new Array[LanceVector](children.length)
      children.indices.foreach(i => vectors(i) = children(i).leaf(p.children(i), numRows, null))
      new StructVector(dataType, vectors, numRows, validity)
    case plain => VectorFactory.plain(leafType, dataType, plain, numRows, validity)
  }

  /** Reuses the strings of a dictionary that several batches share. */
  private def stringsOf(items: BinaryValues): DictionaryStrings = {
    if (strings == null || (strings.values ne items)) strings = new DictionaryStrings(items)
    strings
  }

  private def wrongShape(found: String): Nothing =
    throw new CorruptFileException(
      s"$found in a field of type ${LogicalType.text(field.logicalType)}",
      Place(column = Some(field.name))
    )
}

/** Creates factories. */
object VectorFactory {
  import LogicalType._

  /** Returns factories for the columns of fields, followed by computed columns. */
  def of(
      fields: IndexedSeq[Field],
      computed: IndexedSeq[ComputedColumn],
      types: TypeOptions
  ): IndexedSeq[VectorFactory] =
    fields.map(new VectorFactory(_, types)) ++ computed.map(c => new VectorFactory(c.field))

  private def item(t: LogicalType): Field = Field(Field.Unassigned, "item", t, nullable = true)

  private def plain(
      logicalType: LogicalType,
      dataType: DataType,
      values: Values,
      n: Int,
      validity: Validity
  ): LanceVector = (logicalType, values) match {
    case (Null, _) => new NullVector(dataType, Array.empty, n)
    case (Dictionary(value, _, _), _) => plain(value, dataType, values, n, validity)
    case (Bool, v: ByteValues) => new BooleanVector(v.array, n, validity)
    case (Integer(8, true), v: ByteValues) => new ByteVector(v.array, n, validity)
    case (Integer(8, false), v: ByteValues) => new UnsignedByteVector(v.array, n, validity)
    case (Integer(16, true), v: ShortValues) => new ShortVector(v.array, n, validity)
    case (Integer(16, false), v: ShortValues) => new UnsignedShortVector(v.array, n, validity)
    case (Integer(32, true) | Date32, v: IntValues) => new IntVector(dataType, v.array, n, validity)
    case (Integer(32, false), v: IntValues) => new UnsignedIntVector(v.array, n, validity)
    case (Integer(64, false), v: LongValues) => new UnsignedLongVector(v.array, n, validity)
    case (Time(32, unit), v: IntValues) if dataType != LongType =>
      new MultipliedIntVector(dataType, v.array, 1000000000L / unit.perSecond, n, validity)
    case (Time(64, unit), v: LongValues) if dataType != LongType =>
      new TimeVector(dataType, v.array, 1000000000L / unit.perSecond, n, validity)
    case (Duration(unit), v: LongValues) if dataType != LongType =>
      timestamps(unit, dataType, v.array, n, validity)
    case (Integer(64, true) | Time(64, _) | Duration(_), v: LongValues) =>
      new LongVector(dataType, v.array, n, validity)
    case (Time(32, _), v: IntValues) =>
      new MultipliedIntVector(dataType, v.array, 1L, n, validity)
    case (Timestamp(_, _), v: LongValues) if dataType == LongType =>
      new LongVector(dataType, v.array, n, validity)
    case (Timestamp(unit, _), v: LongValues) => timestamps(unit, dataType, v.array, n, validity)
    case (Date64, v: LongValues) => new MillisecondDateVector(v.array, n, validity)
    case (HalfFloat, v: ShortValues) => new HalfFloatVector(v.array, n, validity)
    case (BFloat16, v: ShortValues) => new BFloat16Vector(v.array, n, validity)
    case (Float, v: IntValues) => new FloatVector(v.array, n, validity)
    case (Double, v: LongValues) => new DoubleVector(v.array, n, validity)
    case (Json, v: BinaryValues) => new JsonVector(v.bytes, v.offsets, n, validity)
    case (Utf8(_) | Binary(_), v: BinaryValues) =>
      new VariableVector(dataType, v.bytes, v.offsets, n, validity)
    case (Decimal(_, p, _), v: WideValues) if v.bytesPerValue >= 16 =>
      if (p <= org.apache.spark.sql.types.Decimal.MAX_LONG_DIGITS)
        new CompactDecimalVector(dataType, v.bytes, v.bytesPerValue, n, validity)
      else new WideDecimalVector(dataType, v.bytes, v.bytesPerValue, n, validity)
    case (FixedSizeBinary(size), v: WideValues) if v.bytesPerValue == size =>
      new FixedSizeBinaryVector(v.bytes, size, n, validity)
    case (FixedSizeBinary(1), v: ByteValues) =>
      packed(new ByteVector(v.array, n, null), 1, n, validity)
    case (FixedSizeBinary(2), v: ShortValues) =>
      packed(new ShortVector(v.array, n, null), 2, n, validity)
    case (FixedSizeBinary(4), v: IntValues) =>
      packed(new IntVector(IntegerType, v.array, n, null), 4, n, validity)
    case (FixedSizeBinary(8), v: LongValues) =>
      packed(new LongVector(LongType, v.array, n, null), 8, n, validity)
    case _ =>
      throw new CorruptFileException(
        s"values of ${values.getClass.getSimpleName} in a field of type ${LogicalType.text(logicalType)}"
      )
  }

  private def packed(integers: LanceVector, size: Int, n: Int, validity: Validity): LanceVector =
    new PackedBinaryVector(integers, size, n, validity)

  private def timestamps(
      unit: TimeUnit,
      dataType: DataType,
      array: Array[Long],
      n: Int,
      validity: Validity
  ): LanceVector = unit match {
    case Microsecond => new LongVector(dataType, array, n, validity)
    case Nanosecond => new FlooredVector(dataType, array, 1000L, n, validity)
    case coarse => new MultipliedVector(dataType, array, 1000000L / coarse.perSecond, n, validity)
  }
}
