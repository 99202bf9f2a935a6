// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.fsst.SymbolTable
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Strings as codes for symbols of up to eight bytes. Source: message `Fsst`, encodings_v2_0.proto;
  * the symbol table is that of `Fsst` in 2.1.
  *
  * {{{
  *   binary         a Binary with the codes of each value, and its nulls
  *   symbol_table   2312 bytes in the message; if switched off, values are stored uncompressed
  * }}}
  * Each value is coded independently. Hot code.
  */
object Fsst {

  def decoder(
      message: pb.Fsst,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    val table = SymbolTable.parse(message.getSymbolTable.toByteArray)
    val binary = chooser.decoder(message.getBinary, numValues, valueType)
    valueType match {
      case VariableWidth(_) if table.isOn => new Node(table, binary)
      case VariableWidth(_) => binary
      case other => throw Trees.contradiction("Fsst", other)
    }
  }

  final private class Node(table: SymbolTable, codes: ArrayDecoder) extends OneChildDecoder(codes) {
    def bitsPerValue: Long = codes.bitsPerValue
    def yieldsNulls: Boolean = codes.yieldsNulls
    def read(values: RowRange): ArrayRead = new Read(table, codes.read(values))
  }

  final private class Read(table: SymbolTable, codes: ArrayRead) extends OneChildRead(codes) {
    private val coded = new NullableValues(new BinaryValues)

    override def splitOff(maxBytes: Long): Option[(Int, ArrayRead)] =
      codes.splitOff(maxBytes).map { case (left, rest) => (left, new Read(table, rest)) }

    def decode(numValues: Int, out: NullableValues): Unit = {
      coded.clear()
      codes.decode(numValues, coded)
      val in = coded.values.asInstanceOf[BinaryValues]
      val values = out.values.asInstanceOf[BinaryValues]
      val before = values.numItems
      values.reserve(numValues)
      values.reserveBytes(table.room(in.bytes, 0, in.numBytes))
      val to = values.numBytes
      System.arraycopy(in.offsets, 1, values.offsets, before + 1, numValues)
      table.decodeAll(in.bytes, 0, values.offsets, before, numValues, values.bytes, to)
      values.extend(numValues)
      if (coded.nulls.hasNulls)
        out.nullsUpTo(before).appendFrom(coded.nullsUpTo(numValues), 0, numValues)
    }
  }

  /** Encodes codes.
    *
    * @param binary the encoding of the codes with their nulls
    */
  def encode(symbolTable: Array[Byte], binary: pb.ArrayEncoding): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder().setFsst(
      pb.Fsst.newBuilder().setBinary(binary).setSymbolTable(ByteString.copyFrom(symbolTable))
    ).build()
}
