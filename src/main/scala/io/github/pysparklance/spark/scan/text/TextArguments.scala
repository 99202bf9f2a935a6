// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import io.github.pysparklance.index.text.analysis.Granularity
import io.github.pysparklance.index.text.query.{
  MatchQuery,
  Operator,
  PhraseQuery,
  TextQuery,
  TextQueryJson
}
import io.github.pysparklance.spark.scan.search.{ArgumentNames, SearchArguments}

/** Parses the arguments of full-text searches. Accepts the names of pylance and lance-spark, and
  * ignores case and underscores.
  *
  * @param where place of the arguments in errors, such as `option fullTextQuery`
  * @param values numbers, strings, booleans, sequences of these, or null, by argument name
  */
final private[spark] class TextArguments(where: String, values: Seq[(String, Any)]) {
  import TextArguments._

  private val arguments = new SearchArguments(where, names, values)
  import arguments.{boolean, fail, get, int, text, texts}

  /** Returns the request.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if an argument is missing or wrong
    */
  def request: TextRequest = TextRequest(
    query,
    texts("search_columns").map { columns =>
      if (columns.isEmpty) fail("search_columns is empty")
      columns
    },
    int("k", 1).getOrElse(SearchArguments.defaultK),
    int("offset", 0).getOrElse(0),
    text("filter"),
    boolean("prefilter").getOrElse(true),
    boolean("use_index").getOrElse(true),
    boolean("fast_search").getOrElse(false),
    boolean("with_row_id").getOrElse(false)
  )

  private def query: TextQuery = {
    val words = text("query").getOrElse(fail("the query is missing or null"))
    if (words.trim.startsWith("{")) {
      reject(ofWords, "a query in JSON, which has it inside")
      TextQueryJson.parse(words)
    } else
      int("slop", 0) match {
        case Some(slop) =>
          reject(ofWords.filterNot(Set("slop", Granularity.option)), "slop")
          PhraseQuery(words, None, slop, granularity)
        case None =>
          MatchQuery(
            words,
            None,
            fuzziness = fuzziness,
            maxExpansions = int("max_expansions", 1).getOrElse(defaultExpansions),
            operator = text("operator").fold[Operator](Operator.Or)(TextQueryJson.operator),
            prefixLength = int("prefix_length", 0).getOrElse(0),
            granularity = granularity
          )
      }
  }

  private def granularity: Option[Granularity] = text(Granularity.option).map(Granularity.named)

  private def fuzziness: Option[Int] = text("fuzziness") match {
    case Some(auto) if auto.equalsIgnoreCase("auto") => None
    case _ => Some(int("fuzziness", 0).getOrElse(0))
  }

  private def reject(others: Seq[String], kind: String): Unit =
    others.find(get(_).isDefined).foreach(name => fail(s"$name cannot be combined with $kind"))
}

private[spark] object TextArguments {
  private val defaultExpansions = 50

  /** Arguments that require a query of words. */
  private val ofWords = Seq(
    "operator",
    "fuzziness",
    "prefix_length",
    "max_expansions",
    "slop",
    Granularity.option
  )

  /** Arguments of full-text searches only. */
  private[scan] val own: Seq[(String, Seq[String])] =
    Seq("query" -> Seq("search_query"), "search_columns" -> Seq("search_column")) ++
      ofWords.map(_ -> Nil)

  private val names = new ArgumentNames(
    own.map {
      case ("query", others) => "query" -> (others :+ "text")
      case ("search_columns", others) => "search_columns" -> (others :+ "column")
      case other => other
    } ++ SearchArguments.ofAll
  )

  /** Whether an argument applies to the whole search, such as `k`, instead of to the words. */
  private[spark] def isOfSearch(name: String): Boolean =
    names.find(name).exists(!ofWords.contains(_))

  /** Whether an argument limits the number of similar words. */
  private[spark] def isOfExpansions(name: String): Boolean =
    names.find(name).contains("max_expansions")

  /** Parses the value of an option: a JSON object with the key `query`, a query in JSON, or words.
    *
    * @param where place of the arguments in errors
    * @throws io.github.pysparklance.core.InvalidRequestException if the JSON is neither of them
    */
  def ofOption(where: String, value: String): TextArguments = {
    val arguments =
      if (!value.trim.startsWith("{")) Seq("query" -> value)
      else
        SearchArguments.members(where, value, example) match {
          case Seq((kind, _)) if TextQueryJson.kinds.contains(kind) => Seq("query" -> value)
          case members => members
        }
    new TextArguments(where, arguments)
  }

  private val example = """{"query": "quick fox", "search_columns": ["text"], "k": 10}"""
}
