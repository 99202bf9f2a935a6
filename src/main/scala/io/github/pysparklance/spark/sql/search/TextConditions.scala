// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  RuntimeReplaceable
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{ArrayType, DataType, NullType, NumericType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity}
import io.github.pysparklance.index.text.query.{
  LeafQuery,
  MatchQuery,
  MultiMatchQuery,
  PhraseQuery,
  TextQuery
}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.functions.{SessionFunctions, TextCall, TextCondition}
import io.github.pysparklance.spark.scan.text.TextArguments

/** The functions `lance_match(column, query, options)`, `lance_match_phrase(column, query, slop)`,
  * and `lance_multi_match(query, options, columns...)`, which are true for rows with the words of a
  * query. They use the analyzer of the column's index, or the default analyzer.
  */
private[spark] object TextConditions {

  def inject(extensions: SparkSessionExtensions): Unit = {
    add(
      extensions,
      "lance_match",
      "_FUNC_(column, query[, options]) - whether the text has any of the words of the query, or all " +
        "of them with the options 'operator=AND'."
    )(matching)
    add(
      extensions,
      "lance_match_phrase",
      "_FUNC_(column, query[, slop]) - whether the text has the words of the query in their order."
    )(phrase)
    add(
      extensions,
      "lance_multi_match",
      "_FUNC_(query[, options], columns...) - whether one of the texts has any of the words of the " +
        "query, or all of them with the options 'operator=AND'."
    )(several)
    extensions.injectPostHocResolutionRule(_ => Analyzers)
    extensions.injectPlanNormalizationRule(_ => OtherAnalyzers)
  }

  private def add(extensions: SparkSessionExtensions, name: String, usage: String)(
      build: Arguments => Expression
  ): Unit = {
    val info = SessionFunctions.description(getClass, name, usage)
    extensions.injectFunction((
      FunctionIdentifier(name),
      info,
      arguments => LanceErrors.translated(build(new Arguments(name, arguments.toIndexedSeq)))
    ))
  }

  private def matching(call: Arguments): Expression = {
    call.check(2, 3)
    call.condition(call.options(2), 1, call.columns.take(1))
  }

  private def phrase(call: Arguments): Expression = {
    call.check(2, 3)
    val slop = if (call.columns.length == 3) call.constant(2, "the slop") else 0
    call.condition(Seq("slop" -> slop), 1, call.columns.take(1))
  }

  private def several(call: Arguments): Expression = {
    call.check(2, Int.MaxValue)
    // A constant list is a text.
    val hasOptions = call.columns.length > 2 && call.columns(1).foldable &&
      call.columns(1).dataType.isInstanceOf[StringType]
    call.condition(
      if (hasOptions) call.options(1) else Nil,
      0,
      call.columns.drop(if (hasOptions) 2 else 1)
    )
  }

  /** The arguments of a call. */
  final private class Arguments(function: String, val columns: IndexedSeq[Expression]) {

    def check(least: Int, most: Int): Unit =
      if (columns.length < least || columns.length > most)
        fail(s"${columns.length} arguments are given, see DESCRIBE FUNCTION $function")

    /** Returns the value of a constant. */
    def constant(at: Int, what: String): Any = {
      def text = columns(at).sql.take(100)
      val folded = columns(at).transform { case r: RuntimeReplaceable => r.replacement }
      if (!folded.foldable) fail(s"$what is $text, which is not constant")
      // Spark computes some constants only when it optimizes a query, such as the current date.
      val computed =
        try folded.eval()
        catch {
          case NonFatal(e) =>
            fail(s"$what is $text, which cannot be computed here (${e.getMessage}): pass a literal")
        }
      computed match {
        case null => fail(s"$what is null")
        case value: UTF8String => value.toString
        case value => value
      }
    }

    /** Returns the value of a constant string or number. */
    private def text(at: Int, what: String): String = {
      columns(at).dataType match {
        case _: StringType | NullType | _: NumericType =>
        case other => fail(s"$what has the type ${other.sql}; a string is expected")
      }
      constant(at, what).toString
    }

    /** Parses options, such as `operator=AND, boost=2`. */
    def options(at: Int): Seq[(String, Any)] =
      if (columns.length <= at) Nil
      else
        text(at, "the option list").split(",").map(_.trim).filter(_.nonEmpty).toSeq
          .map { option =>
            option.split("=", 2) match {
              case Array(name, value) => name.trim -> value.trim
              case _ => fail(s"the option '$option' has no value; name=value is expected")
            }
          }

    /** Returns the factor of the scores of words. */
    private def boost(options: Seq[(String, Any)]): Float = {
      if (options.length > 1) fail("boost is given twice")
      options.headOption.fold(1f) { case (_, value) =>
        val factor = Try(value.toString.toFloat).getOrElse(Float.NaN)
        if (!(factor >= 0) || factor.isInfinite)
          fail(s"boost is '$value'; a finite number that is not negative is expected")
        factor
      }
    }

    /** @param of texts to search */
    def condition(
        allOptions: Seq[(String, Any)],
        query: Int,
        of: IndexedSeq[Expression]
    ): Expression = {
      val (boosts, options) = allOptions.partition(_._1.equalsIgnoreCase("boost"))
      val factor = boost(boosts)
      of.map(_.dataType).find(!isText(_)).foreach { t =>
        fail(s"a text has the type ${t.sql}; strings and arrays of strings are expected")
      }
      options.map(_._1).find(TextArguments.isOfSearch(_)).foreach { name =>
        fail(s"the option $name is for the table function search")
      }
      options.map(_._1).find(TextArguments.isOfExpansions(_)).foreach { name =>
        fail(
          s"the option $name is for the table function search; a condition finds all similar words"
        )
      }
      val words = text(query, "the query")
      if (words.trim.startsWith("{")) fail("queries in JSON are for the table function search")
      val leaf: LeafQuery = new TextArguments(
        function,
        options :+ ("query" -> words)
      ).request.query match {
        case m: MatchQuery => m.copy(boost = factor)
        case phrase: PhraseQuery => phrase
        case other => throw new IllegalStateException(s"$other of words")
      }
      if (leaf.granularity.contains(Granularity.ListElement))
        of.map(_.dataType).find(!_.isInstanceOf[ArrayType]).foreach { t =>
          fail(s"${Granularity.option} is list_element, and a text has the type ${t.sql}")
        }
      val found: TextQuery =
        if (of.length == 1) leaf.on("0")
        else MultiMatchQuery(of.indices.map(i => leaf.on(i.toString)))
      TextCall(TextCondition(function, found, of.map(_.dataType), None), of)
    }

    private def isText(t: DataType): Boolean = t match {
      case _: StringType | NullType => true
      case ArrayType(_: StringType, _) => true
      case _ => false
    }

    private def fail(problem: String): Nothing =
      throw new InvalidRequestException(s"$function: $problem")
  }

  /** Extracts conditions without the analyzers of indices. */
  private object Open {
    def unapply(e: Expression): Option[(TextCondition, Seq[Expression])] = e match {
      case TextCall(c, texts) if c.parameters.isEmpty =>
        Some((c, texts))
      case _ => None
    }

    def isIn(plan: LogicalPlan): Boolean =
      plan.expressions.exists(_.exists(unapply(_).isDefined))
  }

  private def closed(
      condition: TextCondition,
      texts: Seq[Expression],
      analyzers: Seq[AnalyzerParameters]
  ): Expression = {
    LanceErrors.translated {
      condition.query.leaves.foreach(q => analyzers(q.column.get.toInt).checkQuery(q.text))
    }
    TextCall(condition.copy(parameters = Some(analyzers.toIndexedSeq)), texts)
  }

  /** Sets the analyzers of conditions on columns of tables. */
  private object Analyzers extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (!plan.exists(Open.isIn(_))) plan
      else {
        val columns = new ConditionColumns(plan.collect { case p => p })
        plan.resolveOperatorsUp { case p =>
          p.transformExpressions { case open @ Open(condition, texts) =>
            val analyzers = texts.flatMap(columns.analyzer(_, p.children, condition.granularity))
            if (analyzers.length < texts.length) open else closed(condition, texts, analyzers)
          }
        }
      }
  }

  /** Sets the analyzers of the other conditions. Spark analyzes a subquery separately, without the
    * tables of outer queries and common table expressions. The plan of the whole query contains all
    * of them. Texts that are not columns get the default analyzer.
    */
  private object OtherAnalyzers extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      val all = plan.collectWithSubqueries { case p => p }
      if (!all.exists(Open.isIn(_))) plan
      else {
        val columns = new ConditionColumns(all)
        plan.transformWithSubqueries { case p =>
          p.transformExpressions { case Open(condition, texts) =>
            val wanted = condition.granularity
            closed(
              condition,
              texts,
              texts.map { text =>
                columns.analyzer(text, p.children, wanted)
                  .getOrElse(ConditionColumns.default(wanted))
              }
            )
          }
        }
      }
    }
  }
}
