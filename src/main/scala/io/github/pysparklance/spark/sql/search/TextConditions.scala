// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  ApplyFunctionExpression,
  Attribute,
  Cast,
  ExprId,
  Expression,
  GetStructField,
  OuterReference
}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, CTERelationRef, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{ArrayType, DataType, NullType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.text.{TextIndices, TextMatcher}
import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.index.text.query.{LeafQuery, MultiMatchQuery, TextQuery}
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.functions.{SessionFunctions, TextCondition}
import io.github.pysparklance.spark.scan.search.SearchTable
import io.github.pysparklance.spark.scan.text.TextArguments
import io.github.pysparklance.spark.shim.RowLevelTables

/** The functions `lance_match(column, query, options)`, `lance_match_phrase(column, query, slop)`, and
  * `lance_multi_match(query, options, columns...)`: whether a row has the words of a query. They read
  * the texts with the analyzer of the index of the column, and with the default analyzer if it has
  * none.
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
    val hasOptions = call.columns.length > 2 && call.columns(1).foldable
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

    /** The value of a constant. */
    def constant(at: Int, what: String): Any = {
      if (!columns(at).foldable)
        fail(s"$what is ${columns(at).sql.take(100)}, which is not constant")
      columns(at).eval() match {
        case null => fail(s"$what is null")
        case value: UTF8String => value.toString
        case value => value
      }
    }

    /** Options as text: `operator=AND, boost=2`. */
    def options(at: Int): Seq[(String, Any)] =
      if (columns.length <= at) Nil
      else
        constant(at, "the option list").toString.split(",").map(_.trim).filter(_.nonEmpty).toSeq
          .map { option =>
            option.split("=", 2) match {
              case Array(name, value) => name.trim -> value.trim
              case _ => fail(s"the option '$option' has no value; name=value is expected")
            }
          }
          .filterNot(_._1.equalsIgnoreCase("boost")) // of the score

    /** @param of the texts to search */
    def condition(
        options: Seq[(String, Any)],
        query: Int,
        of: IndexedSeq[Expression]
    ): Expression = {
      of.map(_.dataType).find(!isText(_)).foreach { t =>
        fail(s"a text has the type ${t.sql}; strings and arrays of strings are expected")
      }
      options.map(_._1).find(TextArguments.isOfSearch(_)).foreach { name =>
        fail(s"the option $name is for the table function search")
      }
      val words = constant(query, "the query").toString
      if (words.trim.startsWith("{")) fail("queries in JSON are for the table function search")
      val leaf = new TextArguments(function, options :+ ("query" -> words)).request.query match {
        case one: LeafQuery => one
        case other => throw new IllegalStateException(s"$other of words")
      }
      val found: TextQuery =
        if (of.length == 1) leaf.on("0")
        else MultiMatchQuery(of.indices.map(i => leaf.on(i.toString)))
      new TextMatcher(found, of.map(_ => AnalyzerParameters.default)): Unit // checks the query
      ApplyFunctionExpression(TextCondition(function, found, of.map(_.dataType), None), of)
    }

    private def isText(t: DataType): Boolean = t match {
      case _: StringType | NullType => true
      case ArrayType(_: StringType, _) => true
      case _ => false
    }

    private def fail(problem: String): Nothing =
      throw new InvalidRequestException(s"$function: $problem")
  }

  /** A condition without the analyzers of the indices. */
  private object Open {
    def unapply(e: Expression): Option[(TextCondition, Seq[Expression])] = e match {
      case ApplyFunctionExpression(c: TextCondition, texts) if c.parameters.isEmpty =>
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
  ): Expression =
    ApplyFunctionExpression(condition.copy(parameters = Some(analyzers.toIndexedSeq)), texts)

  /** Gives conditions on columns of tables the analyzers of the indices. */
  private object Analyzers extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (!plan.exists(Open.isIn(_))) plan
      else {
        val columns = new Columns(plan.collect { case p => p })
        plan.resolveOperatorsUp { case p =>
          p.transformExpressions { case open @ Open(condition, texts) =>
            val analyzers = texts.flatMap(columns.analyzer(_))
            if (analyzers.length < texts.length) open else closed(condition, texts, analyzers)
          }
        }
      }
  }

  /** Gives the other conditions their analyzers. Spark analyzes a subquery by itself, without the tables
    * of outer queries and common table expressions. The plan of the whole query has all of them. A text
    * that is no column has the default analyzer.
    */
  private object OtherAnalyzers extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      val all = plan.collectWithSubqueries { case p => p }
      if (!all.exists(Open.isIn(_))) plan
      else {
        val columns = new Columns(all)
        def analyzer(text: Expression) =
          columns.analyzer(text).getOrElse(AnalyzerParameters.default)
        plan.transformWithSubqueries { case p =>
          p.transformExpressions { case Open(condition, texts) =>
            closed(condition, texts, texts.map(analyzer(_)))
          }
        }
      }
    }
  }

  /** The columns of tables that the attributes of plans are.
    *
    * @param plans all nodes
    */
  final private class Columns(plans: Seq[LogicalPlan]) {
    private val tables: Map[ExprId, (LanceSparkTable, String)] = plans.collect {
      case r: DataSourceV2Relation => named(r.table, r.output)
      case r: StreamingRelationV2 => named(r.table, r.output)
    }.flatten.toMap

    private val definitions: Map[Long, Seq[Attribute]] =
      plans.collect { case d: CTERelationDef => d.id -> d.output }.toMap

    /** What aliases and the columns of common table expressions are. */
    private val aliases: Map[ExprId, Expression] = plans.collect {
      case r: CTERelationRef => r.output.zip(definitions.getOrElse(r.cteId, Nil)).collect {
          case (a, defined) if a.exprId != defined.exprId => a.exprId -> (defined: Expression)
        }
      case p => p.expressions.flatMap(_.collect { case a: Alias => a.exprId -> a.child })
    }.flatten.toMap

    private def named(
        table: Table,
        output: Seq[Attribute]
    ): Seq[(ExprId, (LanceSparkTable, String))] =
      lance(table).toSeq.flatMap(t => output.map(a => a.exprId -> (t -> a.name)))

    private def lance(table: Table): Option[LanceSparkTable] = RowLevelTables.read(table) match {
      case t: LanceSparkTable => Some(t)
      case s: SearchTable => lance(s.searched)
      case _ => None
    }

    /** The analyzer of the index of a column, or the default one without an index. `None` if the text
      * is no column of these plans.
      */
    def analyzer(text: Expression): Option[AnalyzerParameters] =
      path(text, Set.empty).map { case (table, names) =>
        table.table.schema.ways.find(_.map(_.name) == names)
          .fold(AnalyzerParameters.default)(way => parameters(table, way.last.id, names))
      }

    private def parameters(table: LanceSparkTable, fieldId: Int, names: Seq[String]) =
      LanceErrors.translated {
        val indices = new TextIndices(table.table)
        val found = indices.find(fieldId)
        if (found.isEmpty) indices.names(fieldId).headOption.foreach { name =>
          throw new InvalidRequestException(
            s"the full-text index $name of column ${names.mkString(".")} cannot be used, so its terms are " +
              "unknown: create it again, or drop it"
          )
        }
        found.fold(AnalyzerParameters.default)(_.parameters)
      }

    /** @param seen aliases that were followed */
    private def path(
        e: Expression,
        seen: Set[ExprId]
    ): Option[(LanceSparkTable, IndexedSeq[String])] = e match {
      case a: Attribute => tables.get(a.exprId).map { case (t, name) => (t, IndexedSeq(name)) }
          .orElse {
            aliases.get(a.exprId).filterNot(_ => seen.contains(a.exprId))
              .flatMap(path(_, seen + a.exprId))
          }
      case OuterReference(a) => path(a, seen)
      case g: GetStructField => path(g.child, seen).map { case (t, names) =>
          (t, names :+ g.extractFieldName)
        }
      // Views cast their columns to the types that these had.
      case c: Cast if DataTypeUtils.sameType(c.child.dataType, c.dataType) => path(c.child, seen)
      case s: StaticInvoke if s.functionName == "readSidePadding" => path(s.arguments.head, seen)
      case _ => None
    }
  }
}
