// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer

/** Rows of one leaf column before they are encoded as a page: levels, and one value for each
  * visible level.
  *
  * @param numRows number of top-level rows
  * @param layers innermost first, with the kinds that the page's data need
  * @param repetition one level per entry; null if no layer is a list
  * @param definition one level per entry; null if every layer is all valid
  * @param numLevels entries of the two arrays; the number of values if both are null
  */
final case class LeafPage(
    numRows: Int,
    layers: IndexedSeq[RepDefLayer],
    repetition: Array[Short],
    definition: Array[Short],
    numLevels: Int,
    values: Values
)

/** An encoded page that is ready to be written.
  *
  * @param typeUrl type URL of [[encoding]]
  * @param encoding the serialized layout message
  * @param buffers the page's buffers in the layout's order; the file writer pads them
  */
final case class EncodedPage(
    numRows: Long,
    typeUrl: String,
    encoding: Array[Byte],
    buffers: IndexedSeq[Buffer]
)
