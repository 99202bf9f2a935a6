// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.columns

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.types.{ColumnOptionKeys, LanceFields}
import io.github.pysparklance.spark.vectors.VectorFactory
import io.github.pysparklance.testkit.{NewTypes, TestRun}

/** Round trips from rows through columns and vectors back to rows. */
class ColumnBuilderSuite extends AnyFunSuite {

  private val inner = new StructType().add("x", IntegerType).add("y", ArrayType(StringType))
  private val time = SparkShim.timeType(6).getOrElse(LongType)
  private val variant = NewTypes.variant.getOrElse(BinaryType)
  private val columns = new StructType()
    .add("b", BooleanType)
    .add("i8", ByteType)
    .add("i16", ShortType)
    .add("i32", IntegerType, nullable = false)
    .add("i64", LongType)
    .add("f", FloatType)
    .add("d", DoubleType)
    .add("small", DecimalType(12, 2))
    .add("large", DecimalType(38, 10))
    .add("s", StringType)
    .add("bin", BinaryType)
    .add("date", DateType)
    .add("at", TimestampType)
    .add("struct", inner)
    .add("structs", ArrayType(inner))
    .add("lists", ArrayType(ArrayType(LongType)))
    .add("map", MapType(StringType, DoubleType))
    .add("v", ArrayType(FloatType))
    .add("months", YearMonthIntervalType())
    .add("interval", DayTimeIntervalType())
    .add("time", time)
    .add("times", ArrayType(time))
    .add("variant", variant)
    .add("variants", ArrayType(variant))
    .add("b1", BinaryType)
    .add("b8", BinaryType)
    .add("word", StringType)
    .add("half", FloatType)
    .add("bf", FloatType)
    .add("vv", ArrayType(ArrayType(IntegerType, containsNull = false), containsNull = false))

  private val schema = LanceFields.schema(
    columns,
    Map(
      s"v.${ColumnOptionKeys.FixedSizeListSize}" -> "3",
      s"column.vv.${ColumnOptionKeys.LanceType}" -> "fixed_size_list:fixed_size_list:int32:3:3",
      s"b1.${ColumnOptionKeys.FixedSizeBinaryWidth}" -> "1",
      s"b8.${ColumnOptionKeys.FixedSizeBinaryWidth}" -> "8",
      s"column.word.${ColumnOptionKeys.LanceType}" -> "dictionary",
      s"column.half.${ColumnOptionKeys.LanceType}" -> "float16",
      s"column.bf.${ColumnOptionKeys.LanceType}" -> "bfloat16"
    )
  )

  @scala.annotation.nowarn("msg=match may not be exhaustive")
  private def value(random: Random, t: DataType, nullable: Boolean, name: String): Any =
    if (nullable && random.nextInt(4) == 0) null
    else
      t match {
        case FloatType if name == "half" || name == "bf" => random.nextInt(256).toFloat / 16
        case BinaryType if name == "b1" || name == "b8" =>
          Array.fill(name.drop(1).toInt)(random.nextInt().toByte)
        case t if SparkShim.timePrecision(t).isDefined => (random.nextInt() & 0x7fffffff) * 1000L
        case _: YearMonthIntervalType => random.nextInt()
        case _: DayTimeIntervalType => random.nextLong()
        case t if NewTypes.variant.contains(t) => NewTypes.randomVariant(random)
        case BooleanType => random.nextBoolean()
        case ByteType => random.nextInt().toByte
        case ShortType => random.nextInt().toShort
        case IntegerType | DateType => random.nextInt()
        case LongType | TimestampType => random.nextLong()
        case FloatType => java.lang.Float.intBitsToFloat(random.nextInt())
        case DoubleType => java.lang.Double.longBitsToDouble(random.nextLong())
        case d: DecimalType if d.precision == 12 => Decimal(random.nextInt().toLong, 12, d.scale)
        case d: DecimalType =>
          val unscaled = new java.math.BigInteger(120, random.self)
          Decimal(new java.math.BigDecimal(unscaled, d.scale), d.precision, d.scale)
        case StringType => UTF8String.fromString(random.nextString(random.nextInt(6)))
        case BinaryType => Array.fill(random.nextInt(5))(random.nextInt().toByte)
        case s: StructType =>
          InternalRow.fromSeq(s.map(f => value(random, f.dataType, f.nullable, "")))
        case ArrayType(item, containsNull) =>
          val n = if (name == "v" || name == "vv") 3 else random.nextInt(4)
          val below = if (name == "vv") "v" else ""
          new GenericArrayData(Array.fill[Any](n)(value(random, item, containsNull, below)))
        case MapType(_, v, _) =>
          val n = random.nextInt(3)
          new ArrayBasedMapData(
            new GenericArrayData(Array.tabulate[Any](n)(i => UTF8String.fromString(s"k$i"))),
            new GenericArrayData(Array.fill[Any](n)(value(random, v, nullable = true, "")))
          )
      }

  test("random rows, in batches that reuse the builders") {
    val seed = TestRun.seed
    info(s"seed $seed")
    val random = new Random(seed)
    val builders = schema.fields.map(ColumnBuilder(_))
    val factories = schema.fields.map(new VectorFactory(_))
    val toUnsafe = UnsafeProjection.create(columns)
    for (numRows <- Seq(1, 63, 0, 64, 300)) {
      val rows = Seq.fill(numRows) {
        val row =
          InternalRow.fromSeq(columns.map(f => value(random, f.dataType, f.nullable, f.name)))
        toUnsafe(row).copy()
      }
      builders.foreach(_.clear())
      rows.foreach(row => builders.indices.foreach(i => builders(i).append(row, i)))
      val vectors: Array[ColumnVector] =
        builders.zip(factories).map { case (b, f) => f.vector(b.column) }.toArray
      val batch = new ColumnarBatch(vectors, numRows)
      // Equal bytes: floats by bits, null is not empty.
      rows.indices.foreach(i => assert(toUnsafe(batch.getRow(i)) == rows(i), s"row $i"))
    }
  }

  private def builder(logicalType: String, name: String = "c"): ColumnBuilder =
    ColumnBuilder(Field(0, name, LogicalType.parse(logicalType), nullable = true))

  private def built(logicalType: String, value: Any): Values = {
    val b = builder(logicalType)
    b.append(InternalRow(value), 0)
    b.column.asInstanceOf[LeafColumn].values
  }

  test("values are converted back to the type of the table") {
    assert(built("uint8", 255.toShort).asInstanceOf[ByteValues].array(0) == -1)
    assert(built("uint32", 4294967295L).asInstanceOf[IntValues].array(0) == -1)
    assert(built(
      "uint64",
      Decimal("18446744073709551615")
    ).asInstanceOf[LongValues].array(0) == -1L)
    assert(built("timestamp:ns:UTC", -5L).asInstanceOf[LongValues].array(0) == -5000L)
    assert(built("timestamp:ms:UTC", -5000L).asInstanceOf[LongValues].array(0) == -5L)
    assert(built("halffloat", 1.5f).asInstanceOf[ShortValues].array(0) == 0x3e00)
    assert(built(
      "fixed_size_binary:2",
      Array[Byte](1, 2)
    ).asInstanceOf[ShortValues].array(0) == 513)
    assert(built("dict:string:int8:false", UTF8String.fromString("a")).numItems == 1)
    assert(built("date64:ms", -1).asInstanceOf[LongValues].array(0) == -86400000L)
  }

  test("values that do not fit are rejected with column and type") {
    val wrong = Seq[(String, Any)](
      "uint8" -> 256.toShort,
      "uint16" -> -1,
      "uint64" -> Decimal(-1L, 20, 0),
      "timestamp:ms:UTC" -> 1L,
      "timestamp:ns:UTC" -> Long.MaxValue,
      "fixed_size_binary:16" -> Array[Byte](1),
      "fixed_size_binary:4" -> Array[Byte](1),
      "halffloat" -> 65520f,
      "json" -> UTF8String.fromString("{"),
      "fixed_size_list:float:4" -> new GenericArrayData(Array[Any](1f))
    )
    wrong.foreach { case (t, v) =>
      val e = intercept[InvalidRequestException](builder(t).append(InternalRow(v), 0))
      assert(e.place.column.contains("c"), t)
    }
  }
}
