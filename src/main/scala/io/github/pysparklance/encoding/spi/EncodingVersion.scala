// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

/** The file versions whose pages are described by `PageLayout` or `PlanarLayout`.
  *
  * Source: format page of the structural encodings, "Versions".
  *
  * @param text the file version
  * @param hasLargeChunk whether chunk words and buffer sizes take 32 bits instead of 16
  */
sealed abstract class EncodingVersion(val text: String, val hasLargeChunk: Boolean)
    extends Serializable {
  override def toString: String = text
}

object EncodingVersion {
  case object V2_1 extends EncodingVersion("2.1", hasLargeChunk = false)
  case object V2_2 extends EncodingVersion("2.2", hasLargeChunk = true)

  /** As written by release 14 of the reference. */
  case object V2_3 extends EncodingVersion("2.3", hasLargeChunk = true)
}
