// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.io.Source
import scala.util.Using

import io.github.pysparklance.index.spi.AsciiFolding

/** The stop words of each language in the reference. Each list is a resource with one word per
  * line.
  */
private[text] object StopWords {
  private val lists = new ConcurrentHashMap[String, Set[String]]

  /** Returns the words that an analyzer drops. */
  def of(parameters: AnalyzerParameters): Set[String] =
    parameters.customStopWords match {
      case Some(words) => words.toSet
      case None if parameters.hasDictionary => allLanguages
      case None => read(parameters.language.name.toLowerCase(Locale.ROOT))
    }

  /** Returns the terms that only early releases of the writer drop, besides the words of [[of]]. */
  def early(parameters: AnalyzerParameters): Set[String] =
    if (parameters.removeStopWords && parameters.customStopWords.isEmpty) {
      val start = parameters.language.name.toLowerCase(Locale.ROOT) + " "
      val words = read("early").filter(_.startsWith(start)).map(_.drop(start.length))
      if (parameters.asciiFolding) words.map(AsciiFolding.fold) else words
    } else Set.empty

  /** The words of all languages, except words that are significant in another language. */
  private lazy val allLanguages: Set[String] =
    Language.all.map(l => read(l.name.toLowerCase(Locale.ROOT))).reduce(_ ++ _) ++
      read("cjk") -- read("exclusions")

  private def read(name: String): Set[String] = lists.computeIfAbsent(name, load(_))

  private def load(name: String): Set[String] = {
    val path = s"/io/github/pysparklance/index/text/stopwords/$name.txt"
    val stream = getClass.getResourceAsStream(path)
    if (stream == null) throw new IllegalStateException(s"the resource $path is missing")
    Using.resource(Source.fromInputStream(stream, UTF_8.name))(_.getLines().toSet)
  }
}
