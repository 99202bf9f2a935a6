// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.fsst.{
  SymbolMatcher,
  SymbolTable,
  SymbolTableBuilder
}
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Strings as one-byte codes for symbols of up to eight bytes, with one symbol table per page.
  * Source: message `Fsst`, format page of the compressive encodings, "FSST"; see `SymbolTable` for
  * the table.
  *
  * {{{
  *   mini-block   as Variable, with codes for bytes
  *   per value    the codes of the value
  *
  *   e4 e8 e7 ce fd    "http://" "www.exam" "ple.com/" "aaa/" "0"
  * }}}
  * Each value is coded independently. The writer uses it for strings (not binaries) if the longest
  * has at least 5 bytes and the page at least 32 KiB. Since 2.1. Hot code: imperative.
  */
object Fsst {

  def miniBlock(message: v2_1.Fsst, valueType: ValueType): MiniBlockDecoder = {
    val table = SymbolTable.parse(message.getSymbolTable.toByteArray)
    val inner = child(message)
    // without codes, chunks are the same as of Variable
    if (table.isOn) {
      Variable.requireVariable(valueType)
      new MiniBlock(table, Variable.offsetBits(inner) / 8)
    } else Variable.miniBlock(inner, valueType)
  }

  def perValue(message: v2_1.Fsst, valueType: ValueType): VariablePerValueDecoder = {
    val table = SymbolTable.parse(message.getSymbolTable.toByteArray)
    val inner = Variable.perValue(child(message), valueType)
    if (table.isOn) new PerValue(table) else inner
  }

  private def child(message: v2_1.Fsst): v2_1.Variable = {
    val values = message.getValues
    if (values.getCompressionCase != CompressiveEncoding.CompressionCase.VARIABLE)
      throw new UnsupportedFeatureException(
        s"Fsst of ${values.getCompressionCase}, only VARIABLE is supported"
      )
    values.getVariable
  }

  final private class MiniBlock(table: SymbolTable, offsetBytes: Int) extends MiniBlockDecoder {
    val numBuffers = 1

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("Fsst", buffers, 1)
      val buffer = buffers(0)
      val values = out.asInstanceOf[BinaryValues]
      values.reserve(count)
      val at = values.numItems
      val to = values.numBytes
      // first the offsets of the codes, later replaced by the offsets of the decoded bytes
      val offsets = values.offsets
      val first = ChunkOffsets.read(buffer, offsetBytes, numValues, from, count, offsets, at, 0)
      val numCodes = offsets(at + count) - offsets(at)
      val codesAt = buffer.offset + first
      offsets(at) = to
      values.reserveBytes(to, table.room(buffer.array, codesAt, codesAt + numCodes))
      table.decodeAll(buffer.array, codesAt, offsets, at, count, values.bytes, to)
      values.extend(count)
    }
  }

  final private class PerValue(table: SymbolTable) extends VariablePerValueDecoder {
    def decode(array: Array[Byte], offset: Int, length: Int, out: Values): Unit = {
      val values = out.asInstanceOf[BinaryValues]
      values.reserve(1)
      values.reserveBytes(table.room(array, offset, offset + length))
      val end = table.decode(array, offset, offset + length, values.bytes, values.numBytes)
      values.offsets(values.numItems + 1) = end
      values.extend(1)
    }
  }

  /** Values as codes, one string of codes per value.
    *
    * @param symbolTable the serialized table for the message
    */
  final case class Coded(codes: BinaryValues, symbolTable: Array[Byte])

  private val fewestBytes = 32768
  private val shortestLongest = 5

  /** Returns a symbol table for the values, or `None` if a sample shows too little saving. */
  def train(values: BinaryValues): Option[SymbolTableBuilder.Result] =
    if (values.sizeInBytes < fewestBytes || longest(values) < shortestLongest) None
    else
      Some(SymbolTableBuilder.build(values, givesUp = true)).filter(_.savedShare >= leastSavedShare)

  /** Encodes the values, or returns `None` if that saves too little. */
  def code(values: BinaryValues): Option[Coded] = train(values).flatMap(code(values, _))

  /** Encodes the values with `table`. Returns `None` if that saves too little, unlike in the
    * sample.
    */
  def code(values: BinaryValues, table: SymbolTableBuilder.Result): Option[Coded] = {
    val codes = codeAll(values, table.matcher)
    val pays = codes.numBytes + SymbolTable.numBytes <= values.numBytes * (1 - leastSavedShare)
    if (pays) Some(Coded(codes, serialized(table))) else None
  }

  /** Encodes the values, even if that saves nothing. */
  def codeAlways(values: BinaryValues): Coded = {
    val table = SymbolTableBuilder.build(values)
    Coded(codeAll(values, table.matcher), serialized(table))
  }

  /** Plain strings are faster to read, so codes must save at least this share. */
  private val leastSavedShare = 0.15

  private def serialized(table: SymbolTableBuilder.Result): Array[Byte] = {
    val m = table.matcher
    SymbolTable.serialize(m.symbols, m.lengths, m.numSymbols, table.terminator)
  }

  private def codeAll(values: BinaryValues, matcher: SymbolMatcher): BinaryValues = {
    val codes = new BinaryValues
    codes.reserve(values.numItems)
    codes.reserveBytes(values.numBytes.toLong)
    var end = 0
    var i = 0
    while (i < values.numItems) {
      val from = values.offsets(i)
      val until = values.offsets(i + 1)
      codes.reserveBytes(end, 2L * (until - from))
      end = matcher.encode(values.bytes, from, until, codes.bytes, end)
      codes.offsets(i + 1) = end
      i += 1
    }
    codes.extend(values.numItems)
    codes
  }

  private[compression] def longest(values: BinaryValues): Int = {
    var most = 0
    var i = 0
    while (i < values.numItems) {
      most = math.max(most, values.offsets(i + 1) - values.offsets(i))
      i += 1
    }
    most
  }

  /** Encodes codes in chunks.
    *
    * @param chunkBytes target size of a chunk of codes, including offsets
    */
  def encodeMiniBlock(
      coded: Coded,
      offsetBits: Int,
      chunkBytes: Int = Variable.targetChunkBytes
  ): CompressedMiniBlock =
    CompressedMiniBlock(
      message(coded.symbolTable, offsetBits),
      Variable.encodeMiniBlock(coded.codes, offsetBits, chunkBytes).chunks
    )

  def message(symbolTable: Array[Byte], offsetBits: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setFsst(
        v2_1.Fsst.newBuilder
          .setSymbolTable(com.google.protobuf.ByteString.copyFrom(symbolTable))
          .setValues(Variable.message(offsetBits))
      )
      .build
}
