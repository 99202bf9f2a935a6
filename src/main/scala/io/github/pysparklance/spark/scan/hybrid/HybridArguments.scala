// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.hybrid

import java.util.Locale

import io.github.pysparklance.spark.scan.nearest.NearestArguments
import io.github.pysparklance.spark.scan.search.{ArgumentNames, SearchArguments, SearchLimits}
import io.github.pysparklance.spark.scan.text.TextArguments

/** Reads the arguments of hybrid searches: of both searches, and of their fusion. They have the
  * names of pylance, lancedb, or lance-spark, in any case and with or without underscores.
  *
  * @param where they are, for errors
  * @param values numbers, texts, booleans, sequences of these, or null, by the name of the argument
  */
final private[spark] class HybridArguments(where: String, values: Seq[(String, Any)]) {
  import HybridArguments._

  private val arguments = new SearchArguments(where, names, values)
  import arguments.{fail, get, int, number, text}

  /** The search.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if an argument is missing or wrong
    */
  def request: HybridRequest = {
    val k = int("k", 1).getOrElse(SearchArguments.defaultK)
    val offset = int("offset", 0).getOrElse(0)
    val wanted = SearchLimits.numCandidates(k, offset)
    val candidates = int("candidates", 1).getOrElse(wanted)
    val ofBoth = both.flatMap(n => get(n).map(n -> _)) :+ ("k" -> candidates)
    HybridRequest(
      new NearestArguments(where, chosen(ofNearest) ++ ofBoth).query,
      new TextArguments(where, chosen(TextArguments.own) ++ ofBoth).request,
      fusion,
      k,
      offset
    )
  }

  private def fusion: Fusion = {
    val rrfK = number("rrf_k")
    val weight = number("weight")
    rrfK.filter(v => !(v > 0) || v.isInfinite).foreach { v =>
      fail(s"rrf_k must be a positive number, not $v")
    }
    weight.filter(v => !(v >= 0 && v <= 1)).foreach { v =>
      fail(s"weight must be between 0 and 1, not $v")
    }
    val default = if (weight.isDefined) "linear" else "rrf"
    text("fusion").fold(default)(_.toLowerCase(Locale.ROOT)) match {
      case "rrf" =>
        weight.foreach(_ => fail("weight is for the fusion linear, and rrf is chosen"))
        rrfK.fold(Fusion.ReciprocalRank())(Fusion.ReciprocalRank(_))
      case "linear" =>
        rrfK.foreach(_ => fail("rrf_k is for the fusion rrf, and linear is chosen"))
        weight.fold(Fusion.Linear())(Fusion.Linear(_))
      case other => fail(s"fusion is '$other'; rrf or linear is expected")
    }
  }

  private def chosen(names: Seq[(String, Seq[String])]): Seq[(String, Any)] =
    names.flatMap { case (name, _) => get(name).map(name -> _) }
}

private[spark] object HybridArguments {

  /** Arguments that both searches take. `k` and `offset` select rows of the fusion. */
  private val both: Seq[String] =
    SearchArguments.ofAll.map(_._1).filterNot(Set("k", "offset").contains)

  /** Arguments of the vector search. `column` and `query` are of the full-text search. */
  private val ofNearest: Seq[(String, Seq[String])] = NearestArguments.own.map {
    case ("column", _) => "vector_column" -> Nil
    case ("q", _) => "query_vector" -> Seq("q")
    case other => other
  }

  private val names = new ArgumentNames(
    ofNearest ++ TextArguments.own ++ SearchArguments.ofAll ++ Seq(
      "candidates" -> Seq("num_candidates", "candidate_count"),
      "fusion" -> Nil,
      "rrf_k" -> Nil,
      "weight" -> Nil
    )
  )
}
