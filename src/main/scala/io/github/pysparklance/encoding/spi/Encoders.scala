// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding

/** One chunk of a mini-block page on its way to the file: values and their buffers, levels not yet.
  *
  * @param numValues a power of two of at least 2, but for the last chunk of a page
  * @param buffers the value buffers, exactly as long as the chunk header will say
  */
final case class MiniBlockChunk(numValues: Int, buffers: IndexedSeq[Buffer])

/** The values of one page cut into chunks, with the description that lets a reader undo it. */
final case class CompressedMiniBlock(
    encoding: CompressiveEncoding,
    chunks: IndexedSeq[MiniBlockChunk]
) {

  /** Bytes of all value buffers, padded to 8 as in the page. */
  def sizeInBytes: Long = chunks.iterator.flatMap(_.buffers).map(b => (b.length + 7L) & ~7L).sum
}

/** Cuts the values of a page into mini-block chunks. */
trait MiniBlockEncoder {

  /** None when this encoding cannot hold the values, or would not pay.
    *
    * @param values all values of the page, fillers under nulls included
    */
  def encode(values: Values): Option[CompressedMiniBlock]
}

/** One self-contained block with its description. */
final case class CompressedBlock(encoding: CompressiveEncoding, bytes: Buffer)

/** Writes levels or dictionary items as one block. */
trait BlockEncoder {

  /** None when this encoding cannot hold the values, or would not pay. */
  def encode(values: Values): Option[CompressedBlock]
}
