// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.execution.command.ExplainCommand

import io.github.pysparklance.spark.shim.{EvolvingMerges, ForwardingParser}

/** Reads `MERGE WITH SCHEMA EVOLUTION`, which Spark has since 4.0: the same statement without these words, marked. */
final private[sql] class EvolvingMergeParser(protected val delegate: ParserInterface)
    extends ForwardingParser {

  override def parsePlan(text: String): LogicalPlan =
    EvolvingMergeParser.clause(text).fold(delegate.parsePlan(text)) { case (from, end) =>
      // Blanks keep the positions that errors state.
      val plain = text.substring(0, from) + " " * (end - from) + text.substring(end)
      val plan = delegate.parsePlan(plain)
      mark(plan)
      plan
    }

  private def mark(plan: LogicalPlan): Unit = plan.foreach {
    case m: MergeIntoTable => EvolvingMerges.mark(m)
    case e: ExplainCommand => mark(e.logicalPlan)
    case _ => ()
  }
}

private object EvolvingMergeParser {
  private val words = Seq("MERGE", "WITH", "SCHEMA", "EVOLUTION", "INTO")

  /** Where the words between MERGE and INTO are, if the text has them. */
  private def clause(text: String): Option[(Int, Int)] =
    for {
      tokens <- Tokens(text)
      at <- tokens.indices.find(i => words.indices.forall(w => tokens.lift(i + w).exists(_.is(words(w)))))
    } yield (tokens(at + 1).start, tokens(at + 3).end)
}
