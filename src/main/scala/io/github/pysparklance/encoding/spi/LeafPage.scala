// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer

/** Rows of one leaf column on their way to a page: levels and values, one value for every visible level.
  *
  * @param numRows top-level rows
  * @param layers innermost first, each of the kind that the page's data need
  * @param repetition one level an entry, null when no layer is a list
  * @param definition one level an entry, null when every layer is all valid
  * @param numLevels entries of the two streams; the number of values when both are null
  */
final case class LeafPage(
    numRows: Int,
    layers: IndexedSeq[RepDefLayer],
    repetition: Array[Short],
    definition: Array[Short],
    numLevels: Int,
    values: Values
)

/** A page ready for the file.
  *
  * @param typeUrl name under which [[encoding]] is wrapped
  * @param encoding the serialized layout message
  * @param buffers the page's buffers in the layout's order; the container pads them
  */
final case class EncodedPage(
    numRows: Long,
    typeUrl: String,
    encoding: Array[Byte],
    buffers: IndexedSeq[Buffer]
)
