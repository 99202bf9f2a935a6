// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

/** The page grammars of `PageLayout` and `PlanarLayout`: which forms a data file of that version may hold.
  *
  * Source: format page of the structural encodings, "Versions".
  *
  * @param text the file version
  * @param hasLargeChunk whether chunk words and buffer sizes take 32 bits (else 16)
  */
sealed abstract class EncodingVersion(val text: String, val hasLargeChunk: Boolean)
    extends Serializable {
  override def toString: String = text
}

object EncodingVersion {
  case object V2_1 extends EncodingVersion("2.1", hasLargeChunk = false)
  case object V2_2 extends EncodingVersion("2.2", hasLargeChunk = true)

  /** As release 14 has it. */
  case object V2_3 extends EncodingVersion("2.3", hasLargeChunk = true)
}
