// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core.BinaryValues
import io.github.pysparklance.encoding.compression._
import io.github.pysparklance.encoding.spi._

/** Chooses the encoding of pages of strings and binaries: plain, FSST, or a compressor. */
final private[encoding] class StringChooser(options: EncodingOptions, version: EncodingVersion) {
  private val isV2_1 = version == EncodingVersion.V2_1

  /** In long values, a compressor finds everything that FSST could save. If it leaves more than
    * this share, FSST is not tried.
    */
  private val denseShare = 0.97
  private val longBytes = 1024

  /** Smaller pages are not compressed, even on request. */
  private val fewestBytes = 32768L
  private val fewestMiniBlockBytes = 4096L

  /** In 2.1, chunks must be shorter than 32 KiB. */
  private val chunkBytes: Int =
    options.minichunkBytes.filter(_ < 32768 || !isV2_1).getOrElse(Variable.targetChunkBytes)

  def miniBlock(values: BinaryValues, offsetBits: Int): CompressedMiniBlock =
    options.compression match {
      case Some(CompressionRequest.Plain) => plain(values, offsetBits)
      case Some(CompressionRequest.Symbols) =>
        Fsst.encodeMiniBlock(Fsst.codeAlways(values), offsetBits, chunkBytes)
      case Some(CompressionRequest.General(scheme)) => requested(values, offsetBits, scheme)
      case None =>
        Fsst.code(values) match {
          case Some(coded) => Fsst.encodeMiniBlock(coded, offsetBits, chunkBytes)
          case None if version == EncodingVersion.V2_3 => shorterOffsets(values, offsetBits)
          case None => plain(values, offsetBits)
        }
    }

  private def plain(values: BinaryValues, offsetBits: Int): CompressedMiniBlock =
    Variable.encodeMiniBlock(values, offsetBits, chunkBytes)

  /** Since 2.3, offsets can be encoded as sequences. */
  private def shorterOffsets(values: BinaryValues, offsetBits: Int): CompressedMiniBlock = {
    val usual = plain(values, offsetBits)
    VariableSequence
      .encodeMiniBlock(values, offsetBits, chunkBytes)
      .filter(_.sizeInBytes < usual.sizeInBytes)
      .getOrElse(usual)
  }

  private def requested(
      values: BinaryValues,
      offsetBits: Int,
      scheme: GeneralScheme
  ): CompressedMiniBlock = {
    val inner = plain(values, offsetBits)
    if (inner.sizeInBytes < fewestMiniBlockBytes) inner
    else {
      val compressed = General.encodeMiniBlock(inner, scheme)
      if (compressed.sizeInBytes < inner.sizeInBytes) compressed else inner
    }
  }

  /** Chooses the encoding of full-zip pages. */
  def perValue(values: BinaryValues, offsetBits: Int): CompressedVariableValues =
    options.compression match {
      case Some(CompressionRequest.Plain) => plainPerValue(values, offsetBits)
      case Some(CompressionRequest.Symbols) => coded(Fsst.codeAlways(values), offsetBits)
      case Some(CompressionRequest.General(scheme)) if values.sizeInBytes >= fewestBytes =>
        General.encodePerValue(values, offsetBits, scheme)
      case Some(CompressionRequest.General(_)) => plainPerValue(values, offsetBits)
      case None => shortestPerValue(values, offsetBits)
    }

  /** FSST suits short values, a compressor long ones. A sample decides. */
  private def shortestPerValue(values: BinaryValues, offsetBits: Int): CompressedVariableValues =
    if (values.sizeInBytes < fewestBytes) plainPerValue(values, offsetBits)
    else {
      val heavy = CompressionSample.share(values, zstd)
      val isDense = heavy > denseShare && values.numBytes / values.numItems >= longBytes
      val table = if (isDense) None else Fsst.train(values)
      val light = 1 - table.fold(0.0)(_.savedShare)
      if (heavy <= light * CompressionSample.worthwhileShare)
        General.encodePerValue(values, offsetBits, zstd)
      else
        table.flatMap(Fsst.code(values, _)) match {
          case Some(codes) => coded(codes, offsetBits)
          case None => plainPerValue(values, offsetBits)
        }
    }

  private val zstd = GeneralScheme.Zstd(0)

  /** Whether a page of equal values is shorter with each row compressed than as a constant page. A
    * constant page stores the value once, uncompressed.
    *
    * @param numRows number of rows with the value
    */
  def beatsConstant(values: BinaryValues, item: Int, numRows: Int): Boolean = {
    val scheme = options.compression match {
      case Some(CompressionRequest.General(scheme)) => Some(scheme)
      case Some(_) => None
      case None => Some(zstd)
    }
    val numBytes = values.offsets(item + 1) - values.offsets(item)
    numBytes >= fewestBytes && scheme.exists { s =>
      CompressionSample.share(values, item, s) * numRows <= CompressionSample.worthwhileShare
    }
  }

  private def coded(coded: Fsst.Coded, offsetBits: Int): CompressedVariableValues =
    CompressedVariableValues(
      Fsst.message(coded.symbolTable, offsetBits),
      offsetBits,
      coded.codes
    )

  private def plainPerValue(values: BinaryValues, offsetBits: Int): CompressedVariableValues =
    CompressedVariableValues(Variable.message(offsetBits), offsetBits, values)
}
