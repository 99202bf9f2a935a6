// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Buffer, CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.{FileVersion, Footer}

class FooterSuite extends AnyFunSuite {
  private val fileSize = 1000L
  private val footer = Footer(
    columnMetadataStart = 500,
    columnMetadataOffsetsStart = fileSize - 40 - 16 - 32,
    globalBufferOffsetsStart = fileSize - 40 - 16,
    numGlobalBuffers = 1,
    numColumns = 2,
    version = FileVersion.V2_1
  )

  private def parse(bytes: Array[Byte]): Footer = Footer.parse(Buffer(bytes), fileSize)

  private def changed(change: Array[Byte] => Unit): Array[Byte] = {
    val bytes = footer.toBytes
    change(bytes)
    bytes
  }

  private def corrupt(words: String)(change: Array[Byte] => Unit): Assertion = {
    val e = intercept[CorruptFileException](parse(changed(change)))
    assert(e.getMessage.contains(words))
  }

  test("a footer round-trips through bytes") {
    assert(parse(footer.toBytes) == footer)
    assert(parse(Array.fill(100)(7.toByte) ++ footer.toBytes) == footer)
    val newer = footer.copy(version = FileVersion.V2_2)
    assert(parse(newer.toBytes) == newer)
  }

  test("the bytes match the format") {
    val hex = footer.toBytes.map(b => f"$b%02x").mkString
    assert(hex == "f401000000000000" + "9003000000000000" + "b003000000000000" +
      "01000000" + "02000000" + "0200" + "0100" + "4c414e43")
  }

  test("positions must be ordered and match the counts") {
    Seq(0, 8, 16).foreach { at =>
      corrupt("footer's positions")(Buffer.putLong(_, at, footer.globalBufferOffsetsStart + 16))
      corrupt("position of")(Buffer.putLong(_, at, -5L))
      corrupt("footer's positions")(Buffer.putLong(_, at, Long.MaxValue))
    }
    Seq(24, 28).foreach { at =>
      corrupt("footer's positions")(Buffer.putInt(_, at, 3))
      corrupt("footer's positions")(Buffer.putInt(_, at, -1))
    }
  }

  test("a file without global buffers has no schema") {
    corrupt("no global buffers") { bytes =>
      Buffer.putLong(bytes, 8, footer.columnMetadataOffsetsStart + 16)
      Buffer.putLong(bytes, 16, footer.globalBufferOffsetsStart + 16)
      Buffer.putInt(bytes, 24, 0)
    }
  }

  test("other files and truncated files are rejected") {
    corrupt("LANC")(_(39) = 'X')
    intercept[CorruptFileException](Footer.parse(Buffer.empty, 0))
    intercept[CorruptFileException](Footer.parse(Buffer(footer.toBytes.drop(2)), 38))
    intercept[CorruptFileException](Footer.parse(Buffer(footer.toBytes.drop(35)), 5))
  }

  test("unknown or unsupported versions are rejected by their numbers") {
    Seq(
      (0, 2) -> "0.1",
      (0, 4) -> "0.4",
      (1, 0) -> "1.0",
      (2, 4) -> "2.4",
      (3, 0) -> "3.0",
      (9, 9) -> "9.9"
    ).foreach { case ((major, minor), text) =>
      val e = intercept[UnsupportedFeatureException](parse(changed { bytes =>
        Buffer.putShort(bytes, 32, major.toShort)
        Buffer.putShort(bytes, 34, minor.toShort)
      }))
      assert(e.getMessage.contains(s"version $text"))
    }
  }
}
