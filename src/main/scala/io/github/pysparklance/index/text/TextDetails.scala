// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import com.google.protobuf.{CodedInputStream, InvalidProtocolBufferException, WireFormat}

/** The details of a segment of a full-text index in the manifest.
  *
  * Source: message `InvertedIndexDetails`.
  *
  * @param hasListElements whether documents are elements of lists instead of rows
  * @param mayBeEarly whether a release of the writer before 11 may have written the segment, with other
  *   stemmers and stop words
  */
final private[text] case class TextDetails(hasListElements: Boolean, mayBeEarly: Boolean)

private[text] object TextDetails {
  private val granularityField = 14

  /** The version of posting lists, which later releases of the writer record. */
  private val versionField = 15

  /** Parses the details. Treats a segment with damaged details as unusable. */
  def parse(details: Array[Byte]): TextDetails =
    try {
      val in = CodedInputStream.newInstance(details)
      var hasListElements = false
      var mayBeEarly = true
      var tag = in.readTag()
      while (tag != 0) {
        if (tag == (granularityField << 3 | WireFormat.WIRETYPE_VARINT))
          hasListElements = in.readEnum() != 0
        else {
          if (tag >>> 3 == versionField) mayBeEarly = false
          in.skipField(tag): Unit
        }
        tag = in.readTag()
      }
      TextDetails(hasListElements, mayBeEarly)
    } catch {
      case _: InvalidProtocolBufferException =>
        TextDetails(hasListElements = true, mayBeEarly = true)
    }
}
