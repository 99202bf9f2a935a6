// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.proto.InvertedIndexDetails
import io.github.pysparklance.index.proto.InvertedIndexDetails.DocumentGranularity
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity, Language}

/** The details of a segment of a full-text index in the manifest.
  *
  * Source: message `InvertedIndexDetails`.
  *
  * @param granularity granularity of the documents; `None` if it is unknown
  * @param analyzer parameters of the analyzer without custom stop words, which the details do not
  *   contain; `None` if the details are incomplete, or the analyzer is not supported
  * @param mayBeEarly whether the segment may be of a release of the writer before 11, whose
  *   stemmers and stop words differ. Later releases record the version of posting lists
  */
final private[text] case class TextDetails(
    granularity: Option[Granularity],
    analyzer: Option[AnalyzerParameters],
    mayBeEarly: Boolean
)

private[text] object TextDetails {

  /** Parses the details. Treats a segment with damaged details as unusable. */
  def parse(details: Array[Byte]): TextDetails =
    try {
      val message = InvertedIndexDetails.parseFrom(details)
      val granularity = message.getDocumentGranularity match {
        case DocumentGranularity.ROW => Some(Granularity.Row)
        case DocumentGranularity.LIST_ELEMENT => Some(Granularity.ListElement)
        case _ => None
      }
      TextDetails(
        granularity,
        granularity.flatMap(analyzer(message, _)),
        !message.hasPostingFormatVersion
      )
    } catch {
      case _: InvalidProtocolBufferException => TextDetails(None, None, mayBeEarly = true)
    }

  private def analyzer(
      message: InvertedIndexDetails,
      granularity: Granularity
  ): Option[AnalyzerParameters] = for {
    language <- Language.all.find(l => message.getLanguage == "\"" + l.name + "\"")
    if AnalyzerParameters.tokenizers.contains(message.getBaseTokenizer)
    code = message.getCodeConfig
    base = AnalyzerParameters.of(message.getBaseTokenizer)
    if base.baseTokenizer != "ngram" ||
      message.getMinNgramLength > 0 && message.getMinNgramLength <= message.getMaxNgramLength
  } yield base.copy(
    language = language,
    maxTokenLength = Optional.when(message.hasMaxTokenLength)(message.getMaxTokenLength),
    lowerCase = message.getLowerCase,
    stem = message.getStem,
    removeStopWords = message.getRemoveStopWords,
    asciiFolding = message.getAsciiFolding,
    minNgramLength = message.getMinNgramLength,
    maxNgramLength = message.getMaxNgramLength,
    prefixOnly = message.getPrefixOnly,
    splitIdentifiers = code.getSplitIdentifiers,
    splitOnNumerics =
      if (code.hasSplitOnNumerics) code.getSplitOnNumerics else base.splitOnNumerics,
    preserveOriginal =
      if (code.hasPreserveOriginal) code.getPreserveOriginal else base.preserveOriginal,
    indexOperators = code.getIndexOperators,
    granularity = granularity
  )
}
