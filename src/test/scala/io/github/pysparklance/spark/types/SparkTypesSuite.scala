// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._

class SparkTypesSuite extends AnyFunSuite {

  private def field(logicalType: String, metadata: Map[String, String] = Map.empty): Field =
    Field(0, "c", LogicalType.parse(logicalType), nullable = true, metadata = metadata)

  test("types without children") {
    val expected = Seq(
      "null" -> NullType,
      "bool" -> BooleanType,
      "int8" -> ByteType,
      "uint8" -> ShortType,
      "uint16" -> IntegerType,
      "uint32" -> LongType,
      "uint64" -> DecimalType(20, 0),
      "halffloat" -> FloatType,
      "large_string" -> StringType,
      "fixed_size_binary:5" -> BinaryType,
      "decimal:256:38:10" -> DecimalType(38, 10),
      "date64:ms" -> DateType,
      "time32:s" -> LongType,
      "duration:ns" -> LongType,
      "timestamp:ns:-" -> TimestampNTZType,
      "timestamp:ms:+08:00" -> TimestampType,
      "dict:string:int32:false" -> StringType,
      "fixed_size_list:float:4" -> ArrayType(FloatType),
      "fixed_size_list:fixed_size_list:int32:2:3" -> ArrayType(ArrayType(IntegerType)),
      "fixed_size_list:lance.bfloat16:2" -> ArrayType(FloatType)
    )
    expected.foreach { case (text, t) => assert(SparkTypes.dataType(field(text)) == t, text) }
    val scalar = field("fixed_size_binary:2", Map("ARROW:extension:name" -> "lance.bfloat16"))
    assert(SparkTypes.dataType(scalar) == FloatType)
  }

  test("what Spark has no type for is refused by name and column") {
    val refused = Seq(
      field("decimal:256:76:20") -> "type decimal:256:76:20",
      field("json") -> "type json",
      field("large_binary", Map("lance-encoding:blob" -> "true")) -> "blob columns",
      field("large_binary", Map("ARROW:extension:name" -> "lance.json")) -> "JSON columns"
    )
    refused.foreach { case (f, words) =>
      val e = intercept[UnsupportedFeatureException](SparkTypes.structType(Schema(IndexedSeq(f))))
      assert(e.feature.startsWith(words))
      assert(e.place.column.contains("c"))
    }
  }

  test(
    "Spark's columns become the fields pylance makes of them, and the way back is the same schema"
  ) {
    val vector = new MetadataBuilder().putLong(SparkTypes.FixedSizeListSize, 3).build()
    val commented = new MetadataBuilder().putString("comment", "the key").build()
    val columns = new StructType()
      .add(StructField("id", LongType, nullable = false, commented))
      .add("d", DecimalType(12, 2))
      .add("at", TimestampType)
      .add("local", TimestampNTZType)
      .add(StructField("v", ArrayType(FloatType), nullable = true, vector))
      .add(
        "tags",
        ArrayType(new StructType().add("k", StringType, nullable = false), containsNull = false)
      )
    val schema = LanceFields.schema(columns)
    assert(
      schema.flatten.map(f =>
        (f.id, f.name, LogicalType.text(f.logicalType), f.nullable)
      ) == IndexedSeq(
        (0, "id", "int64", false),
        (1, "d", "decimal:128:12:2", true),
        (2, "at", "timestamp:us:UTC", true),
        (3, "local", "timestamp:us:-", true),
        (4, "v", "fixed_size_list:float:3", true),
        (5, "tags", "list.struct", true),
        (6, "item", "struct", false),
        (7, "k", "string", false)
      )
    )
    assert(SparkTypes.structType(schema) == columns)
  }

  test("a table property makes a fixed-size list; a wrong one is refused") {
    val columns = new StructType().add("v", ArrayType(DoubleType)).add("s", StringType)
    def schema(key: String, value: String): Schema = LanceFields.schema(columns, Map(key -> value))
    assert(
      schema("v.arrow.fixed-size-list.size", "8").fields.head.logicalType ==
        LogicalType.FixedSizeList(LogicalType.Double, 8)
    )
    intercept[InvalidRequestException](schema("w.arrow.fixed-size-list.size", "8"))
    intercept[InvalidRequestException](schema("v.arrow.fixed-size-list.size", "0"))
    intercept[InvalidRequestException](schema("s.arrow.fixed-size-list.size", "8"))
    intercept[UnsupportedFeatureException](
      LanceFields.schema(new StructType().add("i", CalendarIntervalType))
    )
  }
}
