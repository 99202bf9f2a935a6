// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
  DeleteAction,
  InsertAction,
  InsertStarAction,
  MergeAction,
  MergeIntoTable,
  UpdateAction,
  UpdateStarAction
}
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{Column, Dataset, Row}

import io.github.pysparklance.spark.shim.{EarlyRules, EvolvingMerges, Frames, SessionShim}

/** A MERGE with a data frame as source, like `Dataset.mergeInto` of Spark 4.0 and later. Used by
  * the Python package.
  *
  * @param target name of the table, which may have hints of [[TargetHints]]
  */
final class MergeIntoWriter(source: Dataset[Row], target: String, on: Column) {
  private var matched = Seq.empty[MergeAction]
  private var notMatched = Seq.empty[MergeAction]
  private var notMatchedBySource = Seq.empty[MergeAction]
  private var evolves = false

  /** Updates matched rows.
    *
    * @param condition condition; null for all rows
    * @param values values by column; null for all columns of the source
    */
  def updateMatched(condition: Column, values: util.Map[String, Column]): Unit =
    matched :+= update(condition, values)

  /** Deletes matched rows. */
  def deleteMatched(condition: Column): Unit = matched :+= DeleteAction(of(condition))

  /** Inserts source rows without a match.
    *
    * @param condition condition; null for all rows
    * @param values values by column; null for all columns of the source
    */
  def insertNotMatched(condition: Column, values: util.Map[String, Column]): Unit =
    notMatched :+= Option(values).fold[MergeAction](InsertStarAction(of(condition))) { v =>
      InsertAction(of(condition), assignments(v))
    }

  /** Updates table rows without a match. */
  def updateNotMatchedBySource(condition: Column, values: util.Map[String, Column]): Unit =
    notMatchedBySource :+= update(condition, values)

  /** Deletes table rows without a match. */
  def deleteNotMatchedBySource(condition: Column): Unit =
    notMatchedBySource :+= DeleteAction(of(condition))

  /** Adds columns of the source to the table. */
  def withSchemaEvolution(): Unit = evolves = true

  /** Runs the MERGE. */
  def merge(): Unit = {
    val session = source.sparkSession
    val name = SessionShim.parser(session).parseMultipartIdentifier(target)
    val plan = MergeIntoTable(
      UnresolvedRelation(name),
      source.queryExecution.logical,
      on.expr,
      matched,
      notMatched,
      notMatchedBySource
    )
    if (evolves) EvolvingMerges.mark(plan)
    Frames.of(session, EarlyRules(session, plan)): Unit
  }

  private def update(condition: Column, values: util.Map[String, Column]): MergeAction =
    Option(values).fold[MergeAction](UpdateStarAction(of(condition))) { v =>
      UpdateAction(of(condition), assignments(v))
    }

  private def of(condition: Column): Option[Expression] = Option(condition).map(_.expr)

  private def assignments(values: util.Map[String, Column]): Seq[Assignment] =
    values.asScala.toIndexedSeq.map { case (column, value) =>
      Assignment(expr(column).expr, value.expr)
    }
}
