// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core._
import io.github.pysparklance.index.proto.InvertedIndexDetails
import io.github.pysparklance.index.proto.InvertedIndexDetails.{
  CodeTokenizerConfig,
  DocumentGranularity
}
import io.github.pysparklance.index.spi.{IndexParameter, IndexParameters}
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity, Language}

/** The parameters of a full-text index. */
final private[build] case class TextParameters(
    analyzer: AnalyzerParameters,
    format: SegmentFormat
) {

  /** Returns the parameters in the form of the metadata of a segment. */
  def json: String = {
    val root = TextParameters.mapper.createObjectNode()
    root.put("lance_tokenizer", if (analyzer.isJson) "json" else "text")
    root.put("base_tokenizer", analyzer.baseTokenizer)
    root.put("language", analyzer.language.name)
    root.put("with_position", format.hasPositions)
    root.putNull("max_token_length")
    analyzer.maxTokenLength.foreach(n => root.put("max_token_length", n))
    root.put("lower_case", analyzer.lowerCase)
    root.put("stem", analyzer.stem)
    root.put("remove_stop_words", analyzer.removeStopWords)
    root.putNull("custom_stop_words")
    analyzer.customStopWords.foreach { words =>
      val array = root.putArray("custom_stop_words")
      words.foreach(word => array.add(word))
    }
    root.put("ascii_folding", analyzer.asciiFolding)
    root.put("min_ngram_length", analyzer.minNgramLength)
    root.put("max_ngram_length", analyzer.maxNgramLength)
    root.put("prefix_only", analyzer.prefixOnly)
    root.put("block_size", format.blockSize)
    root.put("split_identifiers", analyzer.splitIdentifiers)
    root.put("split_on_numerics", analyzer.splitOnNumerics)
    root.put("preserve_original", analyzer.preserveOriginal)
    root.put("index_operators", analyzer.indexOperators)
    root.toString
  }

  /** Returns the message for the manifest. It is complete, because pylance compares the messages of
    * segments.
    */
  def details: Array[Byte] = {
    val message = InvertedIndexDetails.newBuilder()
      .setBaseTokenizer(analyzer.baseTokenizer)
      .setLanguage("\"" + analyzer.language.name + "\"")
      .setWithPosition(format.hasPositions)
      .setLowerCase(analyzer.lowerCase)
      .setStem(analyzer.stem)
      .setRemoveStopWords(analyzer.removeStopWords)
      .setAsciiFolding(analyzer.asciiFolding)
      .setMinNgramLength(analyzer.minNgramLength)
      .setMaxNgramLength(analyzer.maxNgramLength)
      .setPrefixOnly(analyzer.prefixOnly)
      .setBlockSize(format.blockSize)
      .setPostingFormatVersion(format.version)
      .setDocumentGranularity(
        if (format.hasElements) DocumentGranularity.LIST_ELEMENT else DocumentGranularity.ROW
      )
    analyzer.maxTokenLength.foreach(message.setMaxTokenLength(_))
    if (analyzer.baseTokenizer == "code")
      message.setCodeConfig(
        CodeTokenizerConfig.newBuilder()
          .setSplitIdentifiers(analyzer.splitIdentifiers)
          .setSplitOnNumerics(analyzer.splitOnNumerics)
          .setPreserveOriginal(analyzer.preserveOriginal)
          .setIndexOperators(analyzer.indexOperators)
      ): Unit
    message.build().toByteArray
  }
}

/** Defines, parses, and checks parameters, with the names and defaults of pylance.
  *
  * Source: format page of indices, "Tokenizer pipeline"; message `InvertedIndexDetails`.
  */
private[build] object TextParameters {
  val mapper: ObjectMapper = new ObjectMapper

  /** Parameter that decides whether documents are texts or JSON. */
  private val documentKind = "lance_tokenizer"

  /** Returns the parameters of a new index on a field, with the kind of its documents.
    *
    * @throws UnsupportedFeatureException if documents are JSON, and the field is not
    */
  def on(field: Field, values: IndexParameters): IndexParameters =
    lower(values, documentKind) match {
      case `unset` => values.updated(documentKind, if (field.isJson) "json" else "text")
      case "json" if !field.isJson =>
        throw new UnsupportedFeatureException(
          s"an INVERTED index with $documentKind = 'json' on a column of type " +
            s"${LogicalType.text(field.logicalType)}; only columns of type json have JSON documents"
        )
      case _ => values
    }

  /** Value of unset parameters whose default depends on other parameters. */
  val unset: String = ""

  private def flag(name: String, default: String): IndexParameter = IndexParameter(
    name,
    default,
    "true or false",
    text => Parse.boolean(text).isDefined || text.isEmpty && default == unset
  )

  private def choice(name: String, default: String, values: String*): IndexParameter =
    IndexParameter(
      name,
      default,
      values.mkString(", "),
      text => values.contains(text.toLowerCase(Locale.ROOT)) || text == default
    )

  private def optional(name: String): IndexParameter = {
    val count = IndexParameter.count(name, 1)
    count.copy(default = unset, isValid = text => text.isEmpty || count.isValid(text))
  }

  /** All parameters. */
  val all: Seq[IndexParameter] = Seq(
    choice("analyzer", unset, "text", "code"),
    choice("base_tokenizer", unset, AnalyzerParameters.tokenizers: _*),
    IndexParameter(
      "language",
      Language.English.name,
      s"one of ${Language.all.mkString(", ")}",
      text => Language.all.exists(_.name.equalsIgnoreCase(text))
    ),
    flag("with_position", "false"),
    IndexParameter(
      "max_token_length",
      "40",
      "a whole number from 1 on, or none",
      text => text.equalsIgnoreCase("none") || Parse.int(text).exists(_ >= 1)
    ),
    flag("lower_case", unset),
    flag("stem", unset),
    flag("remove_stop_words", unset),
    IndexParameter(
      "custom_stop_words",
      unset,
      "words separated by commas, or a JSON list of strings",
      stopWords(_).isDefined
    ),
    flag("ascii_folding", unset),
    IndexParameter.count("min_ngram_length", 3),
    IndexParameter.count("max_ngram_length", 3),
    flag("prefix_only", "false"),
    choice("block_size", "128", "128", "256"),
    flag("split_identifiers", unset),
    flag("split_on_numerics", unset),
    flag("preserve_original", unset),
    flag("index_operators", unset),
    choice(documentKind, unset, "text", "json"),
    choice(
      Granularity.option,
      Granularity.Row.name,
      Granularity.Row.name,
      Granularity.ListElement.name
    ),
    choice("format_version", unset, "1", "2", "3", "v1", "v2", "v3"),
    optional(IndexParameter.memoryLimit),
    optional(IndexParameter.numWorkers)
  )

  /** Returns checked parameters.
    *
    * @throws InvalidRequestException if parameters contradict each other
    * @throws UnsupportedFeatureException if they are not supported
    */
  def checked(values: IndexParameters): TextParameters = {
    val analyzer = analyzerOf(values)
    TextParameters(analyzer, formatOf(values, analyzer))
  }

  private def lower(values: IndexParameters, name: String): String =
    values.text(name).toLowerCase(Locale.ROOT)

  private def analyzerOf(values: IndexParameters): AnalyzerParameters = {
    val base = AnalyzerParameters.of(tokenizerOf(values))
    def or(name: String, default: Boolean): Boolean =
      Parse.boolean(values.text(name)).getOrElse(default)
    val found = AnalyzerParameters(
      base.baseTokenizer,
      Language.all.find(_.name.equalsIgnoreCase(values.text("language"))).get,
      Parse.int(values.text("max_token_length")),
      or("lower_case", base.lowerCase),
      or("stem", base.stem),
      or("remove_stop_words", base.removeStopWords),
      stopWords(values.text("custom_stop_words")).flatten,
      or("ascii_folding", base.asciiFolding),
      values.count("min_ngram_length"),
      values.count("max_ngram_length"),
      or("prefix_only", base.prefixOnly),
      or("split_identifiers", base.splitIdentifiers),
      or("split_on_numerics", base.splitOnNumerics),
      or("preserve_original", base.preserveOriginal),
      or("index_operators", base.indexOperators),
      Granularity.named(values.text(Granularity.option)),
      isJson = lower(values, documentKind) == "json"
    )
    if (found.baseTokenizer == "ngram" && found.minNgramLength > found.maxNgramLength)
      invalid(
        s"min_ngram_length = ${found.minNgramLength}, which is more than max_ngram_length, ${found.maxNgramLength}"
      )
    val ofCode = Seq(
      "split_identifiers" -> found.splitIdentifiers,
      "split_on_numerics" -> found.splitOnNumerics,
      "preserve_original" -> found.preserveOriginal,
      "index_operators" -> found.indexOperators
    )
    ofCode.find(_._2).filter(_ => found.baseTokenizer != "code").foreach { case (name, _) =>
      invalid(s"$name = true, which needs base_tokenizer = 'code'")
    }
    found
  }

  private def tokenizerOf(values: IndexParameters): String =
    (lower(values, "analyzer"), lower(values, "base_tokenizer")) match {
      case ("code", `unset`) => "code"
      case (_, `unset`) => "simple"
      case ("code", other) if other != "code" =>
        invalid(s"analyzer = 'code' and base_tokenizer = '$other'")
      case ("text", "code") => invalid("analyzer = 'text' and base_tokenizer = 'code'")
      case (_, named) => named
    }

  private def formatOf(values: IndexParameters, analyzer: AnalyzerParameters): SegmentFormat = {
    val blockSize = values.count("block_size")
    val isCode = analyzer.baseTokenizer == "code"
    val needed = if (isCode || blockSize == 256) 3 else 2
    val version = Parse.int(lower(values, "format_version").stripPrefix("v")).getOrElse(needed)
    if (version < 3 && needed == 3) {
      val reason = if (isCode) "base_tokenizer = 'code'" else s"block_size = $blockSize"
      invalid(s"format_version = $version, but $reason needs 3")
    }
    SegmentFormat(
      version,
      blockSize,
      Parse.boolean(values.text("with_position")).contains(true),
      analyzer.hasElements
    )
  }

  private def invalid(what: String): Nothing =
    throw new InvalidRequestException(s"an INVERTED index has $what")

  /** Parses stop words. Returns `None` if the text is invalid. */
  private def stopWords(text: String): Option[Option[IndexedSeq[String]]] =
    if (text.isEmpty) Some(None)
    else if (text.startsWith("["))
      try {
        val node = mapper.readTree(text)
        Optional.when(node.isArray && node.elements.asScala.forall(_.isTextual))(
          Some(node.elements.asScala.map(_.asText).toIndexedSeq)
        )
      } catch { case _: JsonProcessingException => None }
    else Some(Some(text.split(",").map(_.trim).filter(_.nonEmpty).toIndexedSeq))
}
