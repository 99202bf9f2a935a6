// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.testkit.NewTypes

class LanceFieldsSuite extends AnyFunSuite {

  private def made(t: DataType, columnOptions: (String, String)*): Field =
    LanceFields.schema(new StructType().add("c", t), columnOptions.toMap).fields.head

  private def text(field: Field): String = LogicalType.text(field.logicalType)

  private def rejection(t: DataType, columnOptions: (String, String)*): String =
    intercept[InvalidRequestException](made(t, columnOptions: _*)).getMessage

  test("Spark's own types are stored as metadata, and read back") {
    val udt = new LanceFieldsSuite.PointType
    val expected = Seq(
      YearMonthIntervalType(0, 1) -> "int32",
      YearMonthIntervalType(1, 1) -> "int32",
      DayTimeIntervalType(0, 3) -> "duration:us",
      DayTimeIntervalType(1, 2) -> "duration:us",
      CharType(5) -> "string",
      VarcharType(7) -> "string"
    ) ++ Seq(0, 6).flatMap(SparkShim.timeType(_)).map(_ -> "time64:us") ++
      NewTypes.lowerCase.map(_ -> "string") ++ NewTypes.variant.map(_ -> "struct")
    expected.foreach { case (t, stored) =>
      val field = made(t)
      assert(text(field) == stored)
      assert(field.metadata.contains("spark.type"))
      assert(SparkTypes.dataType(field) == t)
    }
    val time = SparkShim.timeType(3).getOrElse(LongType)
    val variant = NewTypes.variant.getOrElse(LongType)
    val nested = new StructType()
      .add("l", ArrayType(YearMonthIntervalType(0, 1)))
      .add(
        "m",
        MapType(VarcharType(3), new StructType().add("t", time).add("v", variant))
      )
    assert(SparkTypes.dataType(made(nested)) == nested)
    val vector = made(ArrayType(DayTimeIntervalType(0, 0)), "c.arrow.fixed-size-list.size" -> "2")
    assert(text(vector) == "fixed_size_list:duration:us:2")
    assert(SparkTypes.dataType(vector) == ArrayType(DayTimeIntervalType(0, 0)))
    // A user-defined class is read as its SQL type, unless it is registered with Spark.
    assert(SparkTypes.dataType(made(udt)) == udt.sqlType)
    UDTRegistration.register(udt.userClass.getName, udt.getClass.getName)
    assert(SparkTypes.dataType(made(ArrayType(udt))) == ArrayType(udt))
  }

  test("the Spark type in the metadata is used only if it matches the storage type") {
    def shown(storage: String, kept: String): DataType = SparkTypes.dataType(Field(
      0,
      "c",
      LogicalType.parse(storage),
      nullable = true,
      metadata = Map("spark.type" -> kept)
    ))
    assert(shown("int64", "interval year to month") == LongType)
    assert(shown("int32", "no type at all") == IntegerType)
    assert(shown("int32", "a int") == IntegerType)
    assert(shown("string", "varchar(3)") == VarcharType(3))
    assert(shown("string", "udt(java.lang.Runtime)") == StringType)
    assert(shown("string", "udt(") == StringType)
    assert(shown("binary", "varchar(3)") == BinaryType)
    assert(shown("struct", "variant") == new StructType())
  }

  test("types by name, by keys of other connectors, and by Arrow's extension types") {
    val named = Seq[(DataType, String, String, String)](
      (ShortType, "lance.type", "uint8", "uint8"),
      (IntegerType, "lance.type", "uint16", "uint16"),
      (LongType, "lance.type", "uint32", "uint32"),
      (DecimalType(20, 0), "lance.type", "uint64", "uint64"),
      (FloatType, "lance.type", "float16", "halffloat"),
      (FloatType, "arrow.float16", "true", "halffloat"),
      (FloatType, "lance.type", "bfloat16", "fixed_size_binary:2"),
      (StringType, "lance.type", "large_string", "large_string"),
      (StringType, "arrow.large_var_char", "true", "large_string"),
      (StringType, "arrow.large_var_char", "false", "string"),
      (BinaryType, "arrow.large_var_binary", "true", "large_binary"),
      (BinaryType, "arrow.fixed-size-binary.byte-width", "16", "fixed_size_binary:16"),
      (StringType, "lance.type", "dictionary", "dict:string:int32:false"),
      (LongType, "lance.type", "dict:int64:int8:false", "dict:int64:int8:false"),
      (StringType, "lance.type", "json", "json"),
      (StringType, "ARROW:extension:name", "arrow.json", "json"),
      (TimestampType, "lance.type", "timestamp:ns:Europe/Paris", "timestamp:ns:Europe/Paris"),
      (DateType, "lance.type", "date64", "date64:ms"),
      (LongType, "lance.type", "time64:ns", "time64:ns"),
      (SparkShim.timeType(3).getOrElse(LongType), "lance.type", "time32:ms", "time32:ms"),
      (DayTimeIntervalType(), "lance.type", "duration:ns", "duration:ns"),
      (DecimalType(12, 2), "lance.type", "decimal:256:12:2", "decimal:256:12:2"),
      (ArrayType(IntegerType), "lance.type", "large_list", "large_list"),
      (
        ArrayType(FloatType),
        "lance.type",
        "fixed_size_list:halffloat:8",
        "fixed_size_list:halffloat:8"
      ),
      (BinaryType, "lance-encoding:blob", "true", "large_binary")
    )
    named.foreach { case (t, key, value, expected) =>
      assert(text(made(t, s"column.c.$key" -> value)) == expected, s"$key $value")
      val metadata = new MetadataBuilder().putString(key, value).build()
      val column = StructField("c", t, nullable = true, metadata)
      val field = LanceFields.schema(StructType(Seq(column))).fields.head
      assert(text(field) == expected)
      // Read and written again it is the same field.
      val shown = SparkTypes.structType(Schema(IndexedSeq(field)))
      if (!field.isBlob) assert(LanceFields.schema(shown).fields.head == field)
    }
    val extension = Map("ARROW:extension:name" -> "lance.json", "ARROW:extension:metadata" -> "")
    assert(made(StringType, "column.c.lance.type" -> "json").metadata == extension)
    assert(made(
      BinaryType,
      "c.lance.encoding" -> "blob"
    ).metadata == Map("lance-encoding:blob" -> "true"))
  }

  test("options of nested fields") {
    val t = new StructType()
      .add("v", ArrayType(ArrayType(FloatType)))
      .add("a.b", ArrayType(LongType))
      .add("m", MapType(StringType, IntegerType))
    val field = made(
      t,
      "column.c.v.arrow.fixed-size-list.size" -> "3",
      "column.c.v.element.arrow.fixed-size-list.size" -> "2",
      "column.c.v.element.arrow.float16" -> "true",
      "column.C.`a.b`.item.lance.type" -> "uint32",
      "column.c.`a.b`.element.compression" -> "zstd",
      "column.c.m.value.lance.type" -> "uint16",
      "column.c.m.key.lance-encoding:dict-divisor" -> "4"
    )
    assert(field.flatten.map(text) == IndexedSeq(
      "struct",
      "fixed_size_list:fixed_size_list:halffloat:2:3",
      "list",
      "uint32",
      "map",
      "struct",
      "string",
      "uint16"
    ))
    assert(field.flatten.map(_.metadata).filter(_.nonEmpty) == IndexedSeq(
      Map("lance-encoding:compression" -> "zstd"),
      Map("lance-encoding:dict-divisor" -> "4")
    ))
    val shown = SparkTypes.structType(Schema(IndexedSeq(field)))
    assert(LanceFields.schema(shown).fields.head == made(
      t,
      "column.c.v.lance.type" -> "fixed_size_list:fixed_size_list:halffloat:2:3",
      "column.c.`a.b`.element.lance.type" -> "uint32",
      "column.c.`a.b`.element.lance-encoding:compression" -> "zstd",
      "column.c.m.value.lance.type" -> "uint16",
      "column.c.m.key.dict-divisor" -> "4"
    ))
  }

  test("an option takes precedence over a property, and a property over the column's metadata") {
    val metadata = new MetadataBuilder()
      .putString("lance-encoding:compression", "lz4")
      .putString("lance-encoding:bss", "on")
      .putLong("lance-encoding:minichunk-size", 512)
      .putString("comment", "the key")
      .putString("something else", "x")
      .build()
    val column = StructField("c", StringType, nullable = true, metadata)
    val field = LanceFields.schema(StructType(Seq(column)), Map("column.c.compression" -> "zstd"))
    assert(field.fields.head.metadata == Map(
      "lance-encoding:compression" -> "zstd",
      "lance-encoding:bss" -> "on",
      "lance-encoding:minichunk-size" -> "512",
      "comment" -> "the key"
    ))
  }

  test("blobs") {
    val v2 = made(BinaryType, "column.c.ARROW:extension:name" -> "lance.blob.v2")
    assert(v2.isBlobV2)
    assert(v2.children.map(c => (c.name, text(c), c.id)) == IndexedSeq(
      ("data", "large_binary", 1),
      ("uri", "string", 2),
      ("position", "uint64", 3),
      ("size", "uint64", 4)
    ))
    assert(!made(BinaryType, "column.c.blob" -> "false").isBlob)
    assert(rejection(
      StringType,
      "column.c.blob" -> "true"
    ).contains("a blob needs a column of type BINARY"))
  }

  test("contradictory options are rejected with column and reason") {
    assert(rejection(IntegerType, "column.c.lance.type" -> "uint8") ==
      """column "c": lance.type requests uint8, which needs a column of type SMALLINT, not of type INT""")
    assert(rejection(
      IntegerType,
      "column.c.lance.type" -> "uint9"
    ).contains("lance.type is 'uint9'"))
    Seq("fixed_size_binary:0", "fixed_size_list:float:0", "dict:string:string:false").foreach { t =>
      assert(rejection(StringType, "column.c.lance.type" -> t).contains(s"lance.type is '$t'"))
    }
    assert(rejection(StringType, "column.c.arrow.float16" -> "maybe").contains("true or false"))
    assert(rejection(new StructType().add("x", LongType), "column.c.lance.type" -> "uint8")
      .contains("lance.type is set for a column of type STRUCT"))
    assert(rejection(
      StringType,
      "column.c.lance.type" -> "json",
      "column.c.arrow.large_var_char" -> "true"
    ).contains("request different types"))
    assert(rejection(ArrayType(StringType), "column.c.arrow.fixed-size-list.size" -> "3")
      .contains("an array of numbers is expected"))
    assert(rejection(LongType, "column.c.arrow.fixed-size-list.size" -> "3").contains("BIGINT"))
    assert(rejection(LongType, "column.d.compression" -> "zstd").contains(""""d""""))
    assert(rejection(LongType, "column.c.x.compression" -> "zstd").contains(""""x""""))
    assert(rejection(LongType, "column.c" -> "zstd").contains("is not a column option"))
    assert(rejection(
      LongType,
      "column.c.compresion" -> "zstd"
    ).contains("lance-encoding:compresion"))
    assert(rejection(LongType, "column.`c.compression" -> "zstd").contains("backtick"))
    assert(rejection(LongType, "column..compression" -> "zstd").contains("empty part"))
    intercept[UnsupportedFeatureException](made(CalendarIntervalType))
  }
}

object LanceFieldsSuite {
  final class Point(val x: Double, val y: Double)

  /** A user-defined type. */
  final class PointType extends UserDefinedType[Point] {
    def sqlType: DataType = ArrayType(DoubleType, containsNull = false)
    def serialize(p: Point): Any = ArrayData.toArrayData(Array(p.x, p.y))
    def deserialize(datum: Any): Point = {
      val data = datum.asInstanceOf[ArrayData]
      new Point(data.getDouble(0), data.getDouble(1))
    }
    def userClass: Class[Point] = classOf[Point]
  }
}
