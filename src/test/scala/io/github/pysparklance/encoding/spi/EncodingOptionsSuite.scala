// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType}

class EncodingOptionsSuite extends AnyFunSuite {
  import CompressionRequest._

  private def field(metadata: (String, String)*): Field =
    Field(
      0,
      "f",
      LogicalType.Utf8(large = false),
      nullable = true,
      metadata = metadata.map { case (k, v) => s"lance-encoding:$k" -> v }.toMap
    )

  test("no options") {
    assert(EncodingOptions.of(field()) == EncodingOptions.default)
    assert(EncodingOptions.of(field("unknown" -> "1")) == EncodingOptions.default)
  }

  test("all keys are read") {
    val options = EncodingOptions.of(field(
      "structural-encoding" -> "fullzip",
      "compression" -> "zstd",
      "compression-level" -> "-3",
      "rle-threshold" -> "0.25",
      "bss" -> "on",
      "minichunk-size" -> "16384",
      "dict-divisor" -> "4",
      "dict-size-ratio" -> "1.0",
      "dict-max-size" -> "1000000",
      "dict-values-compression" -> "zstd",
      "dict-values-compression-level" -> "9"
    ))
    assert(options == EncodingOptions(
      structural = Some(StructuralEncoding.FullZip),
      compression = Some(General(GeneralScheme.Zstd(-3))),
      rleThreshold = Some(0.25),
      byteSplitting = ByteSplitting.On,
      minichunkBytes = Some(16384),
      dictDivisor = 4,
      dictSizeRatio = Some(1.0),
      dictMaxBytes = 1000000,
      dictValues = Some(General(GeneralScheme.Zstd(9)))
    ))
  }

  test("spellings of compression schemes") {
    def compression(word: String) = EncodingOptions.of(field("compression" -> word)).compression.get
    assert(compression("none") == Plain)
    assert(compression("fsst") == Symbols)
    assert(compression("lz4") == General(GeneralScheme.Lz4))
    assert(compression("ZSTD") == General(GeneralScheme.Zstd(0)))
  }

  for (
    (key, value, expected) <- Seq(
      ("structural-encoding", "packed", "one of miniblock, fullzip, sparse"),
      ("compression", "snappy", "one of none, lz4, zstd, fsst"),
      ("rle-threshold", "1.5", "a number from 0 to 1"),
      ("rle-threshold", "NaN", "a number from 0 to 1"),
      ("bss", "yes", "one of off, on, auto"),
      ("minichunk-size", "0", "a whole number from 1 to 2147483647"),
      ("minichunk-size", "4k", "a whole number from 1 to 2147483647"),
      ("dict-divisor", "0", "a whole number from 1 to 2147483647"),
      ("dict-size-ratio", "0", "a number above 0, at most 1"),
      ("dict-max-size", "-1", "a whole number from 1 to 9223372036854775807"),
      ("dict-values-compression", "fsst", "one of none, lz4, zstd")
    )
  )
    test(s"rejects $key '$value'") {
      val e = intercept[InvalidRequestException](EncodingOptions.of(field(key -> value)))
      assert(e.problem == s"field 'f': lance-encoding:$key '$value', expected $expected")
    }

  test("rejects a level that zstd does not have") {
    val e = intercept[InvalidRequestException](
      EncodingOptions.of(field("compression" -> "zstd", "compression-level" -> "23"))
    )
    assert(e.problem.contains("'23', expected a whole number from -7 to 22"))
  }

  test("rejects an unknown key or value when the option is read") {
    EncodingOptions.checkOption("f", "lance-encoding:packed", "true")
    EncodingOptions.checkOption("f", "ARROW:extension:name", "arrow.json")
    EncodingOptions.checkOption("f", "lance-encoding:compression", "zstd")
    def rejected(key: String, value: String) =
      intercept[InvalidRequestException](EncodingOptions.checkOption("f", key, value)).problem
    val unknown = rejected("lance-encoding:compresion", "zstd")
    assert(unknown.contains("unknown key 'lance-encoding:compresion'"))
    assert(unknown.contains("lance-encoding:compression-level"))
    val bad = rejected("lance-encoding:compression", "rle")
    assert(bad.contains("field 'f': lance-encoding:compression 'rle'") && bad.contains("fsst"))
  }

  test("the structure option is from the top-level field, all other options are from the leaf") {
    val leaf = field("compression" -> "none", "structural-encoding" -> "fullzip")
    val top = field("compression" -> "lz4", "structural-encoding" -> "miniblock")
    val options = EncodingOptions.ofLeaf(IndexedSeq(top, leaf))
    assert(options.compression.contains(Plain))
    assert(options.structural.contains(StructuralEncoding.MiniBlock))
  }

  test("sparse pages are accepted only since 2.3; invalid values at any depth are rejected") {
    val sparse = field("structural-encoding" -> "sparse")
    EncodingOptions.check(sparse, EncodingVersion.V2_3)
    val e =
      intercept[InvalidRequestException](EncodingOptions.check(sparse, EncodingVersion.V2_2))
    assert(e.problem.contains("'sparse' requires file version 2.3"))
    val struct = Field(
      0,
      "s",
      LogicalType.Struct,
      nullable = true,
      children = IndexedSeq(field("bss" -> "maybe"))
    )
    intercept[InvalidRequestException](EncodingOptions.check(struct, EncodingVersion.V2_2))
  }
}
