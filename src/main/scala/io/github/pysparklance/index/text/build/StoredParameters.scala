// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity, TextColumn}
import io.github.pysparklance.index.text.segment.{TextDetails, TextSegment}

/** The parameters of existing segments. */
private[build] object StoredParameters {
  import TextParameters.{mapper, unset}

  /** Returns the parameters of a segment.
    *
    * @throws CorruptFileException if the metadata are damaged
    * @throws UnsupportedFeatureException if segments with these parameters cannot be written
    */
  def of(files: IndexFiles): Map[String, String] = {
    val (metadata, json) = params(files)
    val of = AnalyzerParameters.parse(json)
    val granularity = TextDetails.parse(files.details).granularity.getOrElse(Granularity.Row)
    Map(
      "base_tokenizer" -> of.baseTokenizer,
      "language" -> of.language.name,
      "with_position" -> mapper.readTree(json).path("with_position").asBoolean(false).toString,
      "max_token_length" -> of.maxTokenLength.fold("none")(_.toString),
      "lower_case" -> of.lowerCase.toString,
      "stem" -> of.stem.toString,
      "remove_stop_words" -> of.removeStopWords.toString,
      "custom_stop_words" ->
        of.customStopWords.fold(unset)(words => mapper.writeValueAsString(words.asJava)),
      "ascii_folding" -> of.asciiFolding.toString,
      "min_ngram_length" -> of.minNgramLength.toString,
      "max_ngram_length" -> of.maxNgramLength.toString,
      "prefix_only" -> of.prefixOnly.toString,
      "block_size" -> metadata.getOrElse("posting_block_size", "128"),
      "split_identifiers" -> of.splitIdentifiers.toString,
      "split_on_numerics" -> of.splitOnNumerics.toString,
      "preserve_original" -> of.preserveOriginal.toString,
      "index_operators" -> of.indexOperators.toString,
      Granularity.option -> granularity.name,
      "lance_tokenizer" -> (if (of.isJson) "json" else "text"),
      "format_version" -> metadata.getOrElse("format_version", versionWithoutKey(metadata))
    )
  }

  /** Returns the format version of releases that do not record it. */
  private def versionWithoutKey(metadata: Map[String, String]): String =
    if (metadata.get("posting_block_size").contains("256")) "3"
    else if (
      metadata.contains("positions_layout") || metadata.contains("positions_codec") ||
      metadata.get("posting_tail_codec").contains("varint_delta_v1")
    ) "2"
    else "1"

  /** Whether segments of a column with a details message can be written. */
  def isKnown(details: Array[Byte], column: TextColumn): Boolean =
    TextDetails.parse(details).analyzer.exists(a => column.isList || !a.hasElements)

  /** Whether an early release of the writer may have written a segment. These releases have other
    * stemmers and stop words, and store each string of a list as a document.
    */
  def isEarly(files: IndexFiles): Boolean =
    TextDetails.parse(files.details).mayBeEarly && {
      AnalyzerParameters.parse(params(files)._2).dependsOnRelease ||
      TextSegment.open(files).partitions.exists(_.documents(files).hasRepeatedRows)
    }

  /** Returns the metadata of a segment, and its analyzer as JSON. */
  private def params(files: IndexFiles): (Map[String, String], String) = {
    if (!files.names.contains(TextSegment.metadataFile))
      throw new UnsupportedFeatureException(
        "writing a full-text index of an early release again; create it again",
        Place(path = Some(files.path))
      )
    val metadata = files.use(TextSegment.metadataFile)(_.schema.metadata)
    val json = metadata.getOrElse(
      "params",
      throw new CorruptFileException(
        "the metadata of a full-text index lack params",
        Place(path = Some(files.path))
      )
    )
    (metadata, json)
  }
}
