// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.spark.shim.SparkShim

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

  test("types without a Spark type are rejected by name and column") {
    val rejected = Seq(
      field("decimal:256:76:20") -> "type decimal:256:76:20, a decimal of 76 digits",
      field("decimal:128:38:39") -> "type decimal:128:38:39",
      field("fixed_size_list:decimal:256:39:0:2") -> "type decimal:256:39:0"
    )
    rejected.foreach { case (f, words) =>
      val e = intercept[UnsupportedFeatureException](SparkTypes.structType(Schema(IndexedSeq(f))))
      assert(e.feature.startsWith(words))
      assert(e.place.column.contains("c"))
    }
  }

  test("a column without a Spark type is VOID, with the reason in its comment") {
    val members =
      IndexedSeq(field("int32").copy(name = "a"), field("decimal:256:39:0").copy(name = "w"))
    val fields = IndexedSeq(
      field("int32"),
      field("decimal:256:76:20"),
      field("struct").copy(children = members)
    )
    val shown = SparkTypes.shownColumns(fields, TypeOptions.default)
    assert(shown.map(_.dataType.catalogString) == Seq("int", "void", "struct<a:int,w:void>"))
    assert(shown(1).getComment().exists(_.contains("unsupported: type decimal:256:76:20")))
  }

  test("JSON is text, and a blob has the requested form") {
    assert(SparkTypes.dataType(field("json")) == StringType)
    val json = field("large_binary", Map("ARROW:extension:name" -> "lance.json"))
    assert(SparkTypes.dataType(json) == StringType)
    val legacy = field("large_binary", Map("lance-encoding:blob" -> "true"))
    val v2 = field("struct", Map("ARROW:extension:name" -> "lance.blob.v2"))
      .copy(children = IndexedSeq(field("large_binary").copy(id = 1, name = "data")))
    def shown(f: Field, mode: BlobMode): DataType =
      SparkTypes.dataType(TypeOptions(blobMode = mode).fields(Schema(IndexedSeq(f))).head)
    Seq(legacy, v2, field("blob")).foreach { f =>
      assert(SparkTypes.dataType(f) == BinaryType)
      assert(shown(f, BlobMode.Content) == BinaryType)
      assert(shown(f, BlobMode.Size) == LongType)
    }
    val u64 = DecimalType(20, 0)
    val pair = new StructType().add("position", u64).add("size", u64)
    assert(shown(legacy, BlobMode.Descriptor) == pair)
    val five = new StructType().add("kind", ShortType).add("position", u64).add("size", u64)
    assert(shown(
      v2,
      BlobMode.Descriptor
    ) == five.add("blob_id", LongType).add("blob_uri", StringType))
  }

  test("times and durations are integers, or native types on request") {
    val native = TypeOptions(nativeTimeTypes = true)
    val expected = Seq("time32:s" -> 0, "time32:ms" -> 3, "time64:us" -> 6, "time64:ns" -> 6)
    expected.foreach { case (text, digits) =>
      assert(SparkTypes.dataType(field(text)) == LongType)
      SparkShim.timeType(digits) match {
        case Some(time) => assert(SparkTypes.dataType(field(text), native) == time)
        case None =>
          intercept[UnsupportedFeatureException](SparkTypes.dataType(field(text), native))
      }
    }
    assert(SparkTypes.dataType(field("duration:ms")) == LongType)
    assert(SparkTypes.dataType(field("duration:ms"), native) == DayTimeIntervalType())
    val times = SparkTypes.dataType(field("fixed_size_list:duration:s:2"), native)
    assert(times == ArrayType(DayTimeIntervalType()))
  }

  test(
    "Spark columns become the same fields as in pylance, and are converted back"
  ) {
    val vector = new MetadataBuilder().putLong(ColumnOptionKeys.FixedSizeListSize, 3).build()
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

  test("a table property declares a fixed-size list, and an invalid one is rejected") {
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
