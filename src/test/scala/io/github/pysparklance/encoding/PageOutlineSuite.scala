// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import com.google.protobuf.{Any => ProtobufAny, ByteString, Message}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.encoding.proto.v2_1._
import io.github.pysparklance.encoding.proto.v2_3.{
  ChunkedValues,
  PlanarLayout,
  SparseStructure,
  StructuralPlane,
  ValuePlane
}
import io.github.pysparklance.encoding.proto.{v2_0 => arrays}

class PageOutlineSuite extends AnyFunSuite {

  private def outline(url: String, message: Message): (String, String) = {
    val any = ProtobufAny.newBuilder().setTypeUrl(url).setValue(message.toByteString).build()
    val found = PageOutline(any.toByteArray)
    (found.layout, found.encoding)
  }

  private def encoding(
      set: CompressiveEncoding.Builder => CompressiveEncoding.Builder
  ): CompressiveEncoding =
    set(CompressiveEncoding.newBuilder()).build()

  private val variable = encoding(_.setVariable(Variable.getDefaultInstance))
  private val bitpacked = encoding(_.setInlineBitpacking(InlineBitpacking.getDefaultInstance))
  private val zstd = encoding(
    _.setGeneral(
      General
        .newBuilder()
        .setCompression(
          BufferCompression.newBuilder().setScheme(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
        )
        .setValues(encoding(_.setFsst(Fsst.newBuilder().setValues(variable))))
    )
  )

  test("pages of 2.1 and 2.2, from the outermost layout inwards") {
    val block = MiniBlockLayout.newBuilder().setValueCompression(bitpacked).setDictionary(zstd)
    val page = PageLayout.newBuilder().setMiniBlockLayout(block).build()
    assert(outline(PageDecoders.PageLayoutUrl, page) ==
      (("mini_block", "dictionary(inline_bitpacking, general(zstd, fsst(variable)))")))
    val blob = PageLayout.newBuilder().setBlobLayout(BlobLayout.newBuilder().setInnerLayout(page))
    assert(outline(PageDecoders.PageLayoutUrl, blob.build())._1 == "blob")
    val rle = encoding(_.setRle(Rle.newBuilder().setValues(bitpacked).setRunLengths(bitpacked)))
    val zip = FullZipLayout.newBuilder().setValueCompression(rle)
    assert(outline(
      PageDecoders.PageLayoutUrl,
      PageLayout.newBuilder().setFullZipLayout(zip).build()
    )
      == (("full_zip", "rle(inline_bitpacking, inline_bitpacking)")))
  }

  test("pages of 2.3 and 2.0") {
    val planar = PlanarLayout
      .newBuilder()
      .setStructure(StructuralPlane.newBuilder().setSparse(SparseStructure.getDefaultInstance))
      .setValues(
        ValuePlane.newBuilder().setChunked(ChunkedValues.newBuilder().setCompression(bitpacked))
      )
      .build()
    assert(outline(PageDecoders.PlanarLayoutUrl, planar) ==
      (("sparse_chunked", "inline_bitpacking")))
    val flat = arrays.Flat.newBuilder().setCompression(
      arrays.Compression.newBuilder().setScheme("zstd")
    )
    val values = arrays.ArrayEncoding.newBuilder().setFlat(flat)
    val some = arrays.Nullable.SomeNull.newBuilder().setValues(values)
    val nullable = arrays.ArrayEncoding
      .newBuilder()
      .setNullable(arrays.Nullable.newBuilder().setSomeNulls(some))
      .build()
    assert(outline(
      ArrayEncodings.ArrayEncodingUrl,
      nullable
    ) == (("array", "nullable(flat(zstd))")))
  }

  test("encodings nested more deeply than protobuf allows are corrupt") {
    def nested(depth: Int): Array[Byte] = {
      val inner = (1 to depth).foldLeft(variable) { (values, _) =>
        encoding(_.setFsst(Fsst.newBuilder().setValues(values)))
      }
      val page = PageLayout
        .newBuilder()
        .setFullZipLayout(FullZipLayout.newBuilder().setValueCompression(inner))
      ProtobufAny
        .newBuilder()
        .setTypeUrl(PageDecoders.PageLayoutUrl)
        .setValue(page.build().toByteString)
        .build()
        .toByteArray
    }
    assert(PageOutline(nested(20)).encoding.startsWith("fsst(fsst("))
    val e = intercept[CorruptFileException](PageOutline(nested(500)))
    assert(e.getMessage.contains("not valid protobuf"))
  }

  test("unknown encodings are named, corrupt ones are an error") {
    assert(outline("/lance.encodings99.PageLayout", PageLayout.getDefaultInstance) ==
      (("unknown", "lance.encodings99.PageLayout")))
    assert(outline(PageDecoders.PageLayoutUrl, PageLayout.getDefaultInstance) ==
      (("unknown", "unknown")))
    assert(intercept[CorruptFileException](PageOutline(Array[Byte](
      10,
      100,
      1
    ))).getMessage.contains(
      "not valid protobuf"
    ))
    val broken = ProtobufAny
      .newBuilder()
      .setTypeUrl(PageDecoders.PageLayoutUrl)
      .setValue(ByteString.copyFrom(Array[Byte](10, 100, 1)))
      .build()
    intercept[CorruptFileException](PageOutline(broken.toByteArray))
  }
}
