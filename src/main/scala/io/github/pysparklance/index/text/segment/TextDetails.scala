// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.index.proto.InvertedIndexDetails
import io.github.pysparklance.index.proto.InvertedIndexDetails.DocumentGranularity

/** The details of a segment of a full-text index in the manifest.
  *
  * Source: message `InvertedIndexDetails`.
  *
  * @param hasListElements whether documents are elements of lists instead of rows
  * @param mayBeEarly whether the segment may be of a release of the writer before 11, whose stemmers and stop words
  *   differ. Later releases record the version of posting lists
  */
final private[text] case class TextDetails(hasListElements: Boolean, mayBeEarly: Boolean)

private[text] object TextDetails {

  /** Parses the details. Treats a segment with damaged details as unusable. */
  def parse(details: Array[Byte]): TextDetails =
    try {
      val message = InvertedIndexDetails.parseFrom(details)
      TextDetails(
        message.getDocumentGranularity != DocumentGranularity.ROW,
        !message.hasPostingFormatVersion
      )
    } catch {
      case _: InvalidProtocolBufferException =>
        TextDetails(hasListElements = true, mayBeEarly = true)
    }
}
