// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.execution.command.ExplainCommand

import io.github.pysparklance.spark.shim.{EvolvingMerges, ForwardingParser}

/** Parses `MERGE WITH SCHEMA EVOLUTION`, which Spark supports since 4.0. Parses the statement
  * without these words, and marks the plan.
  */
final private[sql] class EvolvingMergeParser(protected val delegate: ParserInterface)
    extends ForwardingParser {

  override def parsePlan(text: String): LogicalPlan =
    EvolvingMergeParser.clause(text).fold(delegate.parsePlan(text)) { case (from, end) =>
      // Blanks preserve the positions in error messages.
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

  /** Returns the position of the clause between MERGE and INTO, if there is one. */
  private def clause(text: String): Option[(Int, Int)] =
    for {
      tokens <- Tokens(text)
      at <- tokens.indices.find(i => words.indices.forall(w => tokens.lift(i + w).exists(_.is(words(w)))))
    } yield (tokens(at + 1).start, tokens(at + 3).end)
}
