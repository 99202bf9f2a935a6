// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.compression.fsst.{SymbolTable, SymbolTableBuilder}
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.testkit.{EncodingSuite, RandomBytes, ValuesGenerators}

class FsstSuite extends EncodingSuite {
  import ValuesGenerators.contents

  /** Compresses any strings, even if they do not become shorter. */
  private def codeAnyway(values: BinaryValues): Fsst.Coded = {
    val table = SymbolTableBuilder.build(values)
    val codes = new BinaryValues
    (0 until values.numItems).foreach { i =>
      val (from, until) = (values.offsets(i), values.offsets(i + 1))
      val out = new Array[Byte](2 * (until - from))
      codes.append(out, 0, table.matcher.encode(values.bytes, from, until, out, 0))
    }
    val m = table.matcher
    Fsst.Coded(codes, SymbolTable.serialize(m.symbols, m.lengths, m.numSymbols, table.terminator))
  }

  for (bits <- Seq(32, 64))
    test(s"mini-block round trip with offsets of $bits bits") {
      forAllStrings { values =>
        val compressed = Fsst.encodeMiniBlock(codeAnyway(values), bits)
        checkMiniBlock(compressed, values, VariableWidth(bits))
        checkDamage(compressed, VariableWidth(bits))
      }
    }

  test("per-value round trip") {
    forAllStrings { values =>
      val coded = codeAnyway(values)
      val decoder =
        Compressions.variablePerValue(Fsst.message(coded.symbolTable, 32), VariableWidth(32))
      val out = new BinaryValues
      (0 until values.numItems).foreach { i =>
        val from = coded.codes.offsets(i)
        decoder.decode(coded.codes.bytes, from, coded.codes.offsets(i + 1) - from, out)
      }
      assert(contents(out) == contents(values))
    }
  }

  test("addresses shrink to less than half") {
    val values =
      strings((0 until 5000).map(i => s"http://www.example.com/aaa/${i * 7919 % 5000}"): _*)
    val coded = Fsst.code(values).get
    assert(coded.codes.numBytes * 3 < values.numBytes)
    checkMiniBlock(Fsst.encodeMiniBlock(coded, 32), values, VariableWidth(32))
  }

  test("short pages, short strings, and random bytes are not compressed") {
    assert(Fsst.code(strings("http://www.example.com/", "http://www.example.com/")).isEmpty)
    assert(Fsst.code(strings(Seq.fill(20000)("abab"): _*)).isEmpty)
    val random = new scala.util.Random(5)
    val noise = new BinaryValues
    (0 until 4000).foreach(_ => noise.append(RandomBytes(random, 20), 0, 20))
    assert(Fsst.code(noise).isEmpty)
  }

  /** A table of two symbols, as written by another writer. */
  private val twoSymbols: Array[Byte] = {
    val head = hex("02 00 01 01 54 53 53 46 | 6874747000000000 6162000000000000 | 04 02")
    java.util.Arrays.copyOf(head, SymbolTable.numBytes)
  }

  private def decodeWith(table: Array[Byte], codes: String): Seq[Any] = {
    val encoding = message(
      _.setFsst(v2_1.Fsst.newBuilder.setSymbolTable(
        ByteString.copyFrom(table)
      ).setValues(Variable.message(32)))
    )
    val out = new BinaryValues
    val bytes = hex(codes)
    Compressions.variablePerValue(encoding, VariableWidth(32)).decode(bytes, 0, bytes.length, out)
    contents(out)
  }

  test("golden bytes: symbols, escapes, and uncompressed values") {
    assert(decodeWith(twoSymbols, "00 01 ff 7a 00") == contents(strings("httpabzhttp")))
    val off = java.util.Arrays.copyOf(hex("00 00 00 00 54 53 53 46"), SymbolTable.numBytes)
    assert(decodeWith(off, "61 ff") == Seq(Seq[Byte](0x61, -1)))
  }

  test("corrupt tables, unknown codes, and an escape at the end are rejected") {
    assertThrows[CorruptFileException](decodeWith(twoSymbols, "00 ff"))
    assertThrows[CorruptFileException](decodeWith(twoSymbols, "02"))
    assertThrows[CorruptFileException](decodeWith(twoSymbols.take(100), "00"))
    assertThrows[CorruptFileException](decodeWith(twoSymbols.updated(7, 0.toByte), "00"))
    assertThrows[CorruptFileException](decodeWith(twoSymbols.updated(24, 9.toByte), "00"))
  }
}
