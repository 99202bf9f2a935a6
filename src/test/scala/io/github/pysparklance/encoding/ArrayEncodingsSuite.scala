// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import scala.util.Random

import com.google.protobuf.{Any => ProtobufAny, ByteString, UnknownFieldSet}
import org.scalacheck.Gen

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.v2_0.{ArrayPage, ArrayPages, ArraySuite, ArrayWriter}
import io.github.pysparklance.testkit.{PropertyChecks, RandomColumns, ValuesGenerators}

class ArrayEncodingsSuite extends ArraySuite with PropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val types: Gen[ValueType] = Gen.frequency(
    6 -> Gen.oneOf(1, 8, 16, 32, 64, 128, 40).map(FixedWidth(_)),
    4 -> Gen.const(VariableWidth(32)),
    2 -> Gen.choose(1, 9).map(FixedSizeListType(_, FixedWidth(1))),
    1 -> Gen.choose(1, 5).map(n => FixedSizeListType(n, FixedSizeListType(2, FixedWidth(64))))
  )

  test("values of any type in any encoding, whole and in ranges") {
    forAll(Gen.long, types, Gen.choose(1, 3000), Gen.oneOf(true, false)) {
      (seed, valueType, numValues, isDictionary) =>
        val random = new Random(seed)
        val values = new RandomColumns(random).values(valueType, numValues)
        val validity =
          if (random.nextInt(3) == 0) null
          else {
            val share = random.nextDouble()
            val v = new Validity
            (0 until numValues).foreach(_ => v.append(random.nextDouble() >= share))
            v
          }
        val page =
          new ArrayWriter(random).values(values, validity, 0, numValues, valueType, isDictionary)
        val contents = ValuesGenerators.contents(values).toIndexedSeq
        val expected = contents.indices.map { i =>
          if (validity != null && !validity.isValid(i)) null else contents(i)
        }
        def read(from: Int, until: Int) = ArrayPages.read(
          page,
          valueType,
          Seq(RowRange(from.toLong, until.toLong)),
          isDictionary,
          random
        )
        assert(read(0, numValues) == expected)
        (1 to 3).foreach { _ =>
          val from = random.nextInt(numValues)
          val until = from + 1 + random.nextInt(numValues - from)
          assert(read(from, until) == expected.slice(from, until))
        }
        if (numValues < 300) checkDamage(page, valueType, isDictionary)
    }
  }

  test("encodings of unstable releases are rejected by name") {
    (13 to 21).foreach { tag =>
      val field = UnknownFieldSet.Field.newBuilder.addLengthDelimited(ByteString.EMPTY).build
      val encoding = pb.ArrayEncoding.newBuilder
        .setUnknownFields(UnknownFieldSet.newBuilder.addField(tag, field).build).build
      assert(unsupported(page(1, encoding, hex("00")), FixedWidth(8)).contains(s"[$tag]"))
    }
    assert(unsupported(
      page(1, pb.ArrayEncoding.getDefaultInstance),
      FixedWidth(8)
    ).contains("no encoding"))
  }

  test("structs and lists are not value encodings") {
    val struct = pb.ArrayEncoding.newBuilder.setStruct(pb.SimpleStruct.getDefaultInstance).build
    assert(rejected(page(1, struct), FixedWidth(8)).contains("struct"))
    val list = pb.ArrayEncoding.newBuilder.setList(pb.List.getDefaultInstance).build
    assert(rejected(page(1, list), FixedWidth(8)).contains("list"))
  }

  test("buffers of the page, of the column, and missing ones") {
    def flatOf(kind: pb.Buffer.BufferType, index: Int) = pb.ArrayEncoding.newBuilder
      .setFlat(pb.Flat.newBuilder.setBitsPerValue(8)
        .setBuffer(pb.Buffer.newBuilder.setBufferType(kind).setBufferIndex(index))).build
    def decoder(encoding: pb.ArrayEncoding) = ArrayEncodings.values(
      ArrayPage(3, encoding, IndexedSeq.empty).wrapped,
      3,
      IndexedSeq(3L, 5L),
      1,
      FixedWidth(8),
      isDictionary = false
    )
    assert(decoder(flatOf(pb.Buffer.BufferType.page, 0)).buffers == Seq(0))
    assert(decoder(flatOf(pb.Buffer.BufferType.column, 0)).buffers == Seq(1))
    Seq(
      pb.Buffer.BufferType.page -> 1,
      pb.Buffer.BufferType.column -> 1,
      pb.Buffer.BufferType.page -> -1
    )
      .foreach { case (kind, index) =>
        intercept[CorruptFileException](decoder(flatOf(kind, index)))
      }
    val e = intercept[UnsupportedFeatureException](decoder(flatOf(pb.Buffer.BufferType.file, 0)))
    assert(e.getMessage.contains("buffers of the file"))
  }

  test("invalid descriptions, and descriptions of another type, are rejected") {
    def values(any: Array[Byte]) =
      ArrayEncodings.values(any, 1, IndexedSeq(1L), 1, FixedWidth(8), isDictionary = false)
    val other = ProtobufAny.newBuilder.setTypeUrl(PageDecoders.PageLayoutUrl).build.toByteArray
    assert(intercept[UnsupportedFeatureException](values(other)).getMessage.contains("PageLayout"))
    intercept[CorruptFileException](values(hex("ffff")))
    val broken = ProtobufAny.newBuilder.setTypeUrl("x" + ArrayEncodings.ArrayEncodingUrl)
      .setValue(ByteString.copyFrom(hex("ffff"))).build.toByteArray
    intercept[CorruptFileException](values(broken))
  }
}
