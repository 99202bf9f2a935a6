// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

/** The format of a segment.
  *
  * {{{
  *   version   last block of a list   positions
  *   1         fixed width            separate for each document
  *   2, 3      variable length        in one stream for each block
  * }}}
  * Version 3 also permits blocks of 256 documents, and the tokenizer `code`. The manifest has
  * version 3 for all segments of list elements.
  *
  * Source: format page of indices, "Inverted (full-text)".
  *
  * @param version format version
  * @param blockSize number of documents of a posting block: 128 or 256
  * @param hasElements whether documents are list elements
  */
final private[build] case class SegmentFormat(
    version: Int,
    blockSize: Int,
    hasPositions: Boolean,
    hasElements: Boolean = false
) {

  /** The `index_version` of segments. */
  def indexVersion: Int = if (hasElements) 3 else version

  def hasVarintTail: Boolean = version > 1

  def hasSharedPositions: Boolean = hasPositions && version > 1

  private def layout: Seq[(String, String)] = Seq(
    "format_version" -> version.toString,
    "posting_block_size" -> blockSize.toString
  )

  private def codecs: Seq[(String, String)] =
    Seq("posting_tail_codec" -> (if (hasVarintTail) "varint_delta_v1" else "fixed32_v1")) ++
      (if (hasSharedPositions)
         Seq("positions_layout" -> "shared_stream_v2", "positions_codec" -> "packed_delta_v1")
       else Nil)

  /** Metadata of the segment. */
  def ofSegment: Seq[(String, String)] = layout ++ codecs

  /** Metadata of posting files. */
  def ofPostings: Seq[(String, String)] = if (version > 1) layout ++ codecs else layout
}
