// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding

/** A chunk of a mini-block page before its levels are added.
  *
  * @param numValues a power of two of at least 2, except for the last chunk of a page
  * @param buffers the value buffers, with the lengths that the chunk header will contain
  */
final case class MiniBlockChunk(numValues: Int, buffers: IndexedSeq[Buffer])

/** The values of one page as chunks, with the message that describes their encoding. */
final case class CompressedMiniBlock(
    encoding: CompressiveEncoding,
    chunks: IndexedSeq[MiniBlockChunk]
) {

  /** Total bytes of the value buffers, each padded to 8 bytes as in the page. */
  def sizeInBytes: Long = chunks.iterator.flatMap(_.buffers).map(b => (b.length + 7L) & ~7L).sum
}

/** Encodes the values of a page as mini-block chunks. */
trait MiniBlockEncoder {

  /** Returns `None` if this encoding cannot hold the values or does not pay off.
    *
    * @param values all values of the page, including placeholders of nulls
    */
  def encode(values: Values): Option[CompressedMiniBlock]
}

/** A self-contained block with the message that describes its encoding. */
final case class CompressedBlock(encoding: CompressiveEncoding, bytes: Buffer)

/** Encodes levels or dictionary items as one block. */
trait BlockEncoder {

  /** Returns `None` if this encoding cannot hold the values or does not pay off. */
  def encode(values: Values): Option[CompressedBlock]
}
