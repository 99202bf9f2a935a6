// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.{CorruptFileException, Printable, UnsupportedFeatureException}

/** The parameters that split the values of a column into documents, and documents into terms. An
  * index stores them as JSON, except the granularity.
  *
  * Source: format page of indices, "Inverted (full-text)".
  *
  * @param baseTokenizer `simple`, `whitespace`, `raw`, `ngram`, `icu`, `icu/split`, or `code`
  * @param maxTokenLength tokens of this many bytes in UTF-8 or more are dropped
  * @param customStopWords stop words that replace the stop words of the language
  * @param minNgramLength minimum length of an n-gram in code points; only for `ngram`, like the
  *   next two parameters
  * @param prefixOnly whether only the n-grams at the start of a text are terms
  * @param splitIdentifiers whether `code` also splits identifiers into words
  * @param granularity whether a row or a list element is a document
  * @param isJson whether documents are JSON, and terms consist of a path, a type, and a value
  */
final case class AnalyzerParameters(
    baseTokenizer: String = "simple",
    language: Language = Language.English,
    maxTokenLength: Option[Int] = Some(40),
    lowerCase: Boolean = true,
    stem: Boolean = true,
    removeStopWords: Boolean = true,
    customStopWords: Option[IndexedSeq[String]] = None,
    asciiFolding: Boolean = true,
    minNgramLength: Int = 3,
    maxNgramLength: Int = 3,
    prefixOnly: Boolean = false,
    splitIdentifiers: Boolean = false,
    splitOnNumerics: Boolean = false,
    preserveOriginal: Boolean = false,
    indexOperators: Boolean = false,
    granularity: Granularity = Granularity.Row,
    isJson: Boolean = false
) {

  /** Whether the tokenizer splits languages without spaces by dictionaries. */
  def hasDictionary: Boolean = baseTokenizer.startsWith("icu")

  /** Whether each element of a list is a document. */
  def hasElements: Boolean = granularity == Granularity.ListElement

  /** Whether releases of the writer before 11 have other stemmers or stop words. */
  def dependsOnRelease: Boolean = stem || removeStopWords && customStopWords.isEmpty

  /** Returns the start of the part of a term that the tokenizer made. */
  def valueStart(term: String): Int = if (isJson) JsonTerms.valueStart(term) else 0

  /** Checks the form of a query of documents with these parameters.
    *
    * @throws InvalidRequestException if documents are JSON, and the query is not `path,type,value`
    */
  def checkQuery(query: String): Unit = if (isJson) JsonTerms.triples(query): Unit
}

/** Creates and parses parameters of analyzers. */
object AnalyzerParameters {

  /** The parameters for text without an index, see [[TextColumn.defaultParameters]]. */
  val default: AnalyzerParameters = AnalyzerParameters()

  /** Base tokenizers that are supported. */
  val tokenizers: Seq[String] =
    Seq("simple", "whitespace", "raw", "ngram", "icu", "icu/split", "code")

  private val json = new ObjectMapper

  /** Returns the default parameters of a base tokenizer. */
  def of(baseTokenizer: String): AnalyzerParameters = baseTokenizer match {
    case "ngram" => AnalyzerParameters(baseTokenizer, stem = false, removeStopWords = false)
    case "code" =>
      AnalyzerParameters(
        baseTokenizer,
        stem = false,
        removeStopWords = false,
        splitOnNumerics = true,
        preserveOriginal = true
      )
    case _ => AnalyzerParameters(baseTokenizer)
  }

  /** Parses the parameters in the metadata of an index. Unknown keys are ignored, because later
    * releases may add keys.
    *
    * @throws CorruptFileException if the text is not a JSON object, or a value has another type
    * @throws UnsupportedFeatureException for an unknown language, tokenizer, or kind of documents
    */
  def parse(text: String): AnalyzerParameters = {
    val root = read(text)
    val in = new Values(root)
    val isJson = in.text("lance_tokenizer") match {
      case None | Some("text") => false
      case Some("json") => true
      case Some(kind) =>
        throw new UnsupportedFeatureException(
          s"a full-text index of '${Printable.line(kind.take(40))}' documents"
        )
    }
    val base = of(in.text("base_tokenizer").getOrElse("simple"))
    if (!tokenizers.contains(base.baseTokenizer)) unsupportedTokenizer(base.baseTokenizer)
    val parsed = AnalyzerParameters(
      base.baseTokenizer,
      in.text("language").fold(base.language)(Language.named),
      if (root.has("max_token_length")) in.int("max_token_length") else base.maxTokenLength,
      in.flag("lower_case").getOrElse(base.lowerCase),
      in.flag("stem").getOrElse(base.stem),
      in.flag("remove_stop_words").getOrElse(base.removeStopWords),
      in.texts("custom_stop_words"),
      in.flag("ascii_folding").getOrElse(base.asciiFolding),
      in.int("min_ngram_length").getOrElse(base.minNgramLength),
      in.int("max_ngram_length").getOrElse(base.maxNgramLength),
      in.flag("prefix_only").getOrElse(base.prefixOnly),
      in.flag("split_identifiers").getOrElse(base.splitIdentifiers),
      in.flag("split_on_numerics").getOrElse(base.splitOnNumerics),
      in.flag("preserve_original").getOrElse(base.preserveOriginal),
      in.flag("index_operators").getOrElse(base.indexOperators),
      isJson = isJson
    )
    CorruptFileException.check(
      parsed.baseTokenizer != "ngram" ||
        parsed.minNgramLength > 0 && parsed.minNgramLength <= parsed.maxNgramLength,
      s"n-grams of ${parsed.minNgramLength} to ${parsed.maxNgramLength} characters"
    )
    parsed
  }

  private[analysis] def unsupportedTokenizer(name: String): Nothing =
    throw new UnsupportedFeatureException(
      s"a full-text index with the tokenizer '${Printable.line(name.take(40))}'"
    )

  private def read(text: String): JsonNode = {
    def corrupt(cause: Throwable): Nothing = throw new CorruptFileException(
      s"the parameters of a full-text index are not a JSON object: ${Printable.line(text.take(40))}",
      cause = cause
    )
    val node =
      try json.readTree(text)
      catch { case e: JsonProcessingException => corrupt(e) }
    if (node == null || !node.isObject) corrupt(null)
    node
  }

  final private class Values(root: JsonNode) {
    def text(key: String): Option[String] = get(key, _.isTextual).map(_.asText)
    def flag(key: String): Option[Boolean] = get(key, _.isBoolean).map(_.asBoolean)

    def int(key: String): Option[Int] =
      get(key, n => n.isIntegralNumber && n.asLong >= 0).map { n =>
        math.min(n.asLong, Int.MaxValue.toLong).toInt
      }

    def texts(key: String): Option[IndexedSeq[String]] =
      get(key, n => n.isArray && n.elements.asScala.forall(_.isTextual))
        .map(_.elements.asScala.map(_.asText).toIndexedSeq)

    private def get(key: String, isValid: JsonNode => Boolean): Option[JsonNode] =
      Option(root.get(key)).filterNot(_.isNull).map { node =>
        CorruptFileException.check(
          isValid(node),
          s"the parameter $key of a full-text index is ${Printable.line(node.toString.take(40))}"
        )
        node
      }
  }
}
