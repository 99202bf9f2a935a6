// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util.Locale

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedExtractValue,
  UnresolvedFunction
}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.Printable

/** A SQL expression that is stored in a table: the condition of a CHECK constraint, or the default
  * of a column.
  *
  * Anyone who can write to the table can change it, so it is untrusted. It may only have literals,
  * columns, operators, and the functions of [[StoredFunctions]]. [[StoredExpression.MaxLength]] and
  * [[StoredExpression.MaxDepth]] limit its size.
  *
  * @param expression the unresolved expression
  * @param columns columns in the expression, split into their name parts
  * @param functions names of the called functions, in lower case
  */
final class StoredExpression private (
    val expression: Expression,
    val columns: Seq[Seq[String]],
    val functions: Set[String]
) {

  /** Returns the reason why the expression cannot be evaluated on rows with these columns, or
    * `None`. Names that are not columns could be session variables. Functions that hide a built-in
    * function run code of the session.
    */
  def problem(rows: StructType): Option[String] =
    columns
      .find(!StoredExpression.has(rows, _))
      .map(c => s"it names ${quoteNameParts(c)}, which is not a column of the table")
      .orElse(hidden)

  private def hidden: Option[String] =
    functions.toSeq.sorted
      .find(!SessionShim.isBuiltIn(_))
      .map(f =>
        s"a function of the session hides the built-in function $f; use a session without it"
      )
}

/** Parses stored expressions. */
object StoredExpression {

  /** Maximum length in characters. */
  val MaxLength: Int = 10000

  /** Maximum depth of nested expressions. */
  val MaxDepth: Int = 100

  /** Maximum depth of nested lambda functions, whose time multiplies. */
  private val maxLambdas = 2

  /** Maximum digits in a call of `round` and similar functions: the precision of a decimal. */
  private val maxDigits = 38

  /** Parses a condition on the columns of a row. Returns the reason if it is rejected. */
  def condition(sql: String): Either[String, StoredExpression] = parsed(sql, isDefault = false)

  /** Parses a value without columns. Returns the reason if it is rejected. */
  def default(sql: String): Either[String, StoredExpression] =
    parsed(sql, isDefault = true).filterOrElse(
      _.columns.isEmpty,
      "a default cannot name columns"
    ).flatMap(e => e.hidden.toLeft(e))

  private def parsed(sql: String, isDefault: Boolean): Either[String, StoredExpression] =
    ofText(sql).toLeft(()).flatMap { _ =>
      try {
        val walk = new Walk(isDefault)
        val tree = CatalystSqlParser.parseExpression(sql)
        walk.visit(tree, 1, Set.empty)
        Right(new StoredExpression(tree, walk.columns.toSeq, walk.functions.toSet))
      } catch {
        case Rejected(why) => Left(why)
        case _: StackOverflowError => Left("it is nested too deeply")
        case NonFatal(e) => Left(s"it cannot be parsed: ${firstLine(e)}")
      }
    }

  private def firstLine(e: Throwable): String =
    Printable(Option(e.getMessage).getOrElse(e.toString).linesIterator.find(_.trim.nonEmpty)
      .getOrElse("").take(200))

  /** Returns the reason why the text is rejected before it is parsed, or `None`. */
  private def ofText(sql: String): Option[String] =
    if (sql.length > MaxLength)
      Some(s"it has ${sql.length} characters, more than $MaxLength")
    else if (Printable.hides(sql)) Some("it holds control or bidirectional characters")
    // The parser would replace them by configurations and environment variables.
    else if (sql.contains("${"))
      Some("it contains ${, which is replaced by the configuration of the session")
    else if (HugeNumbers.inSql(sql)) Some("it has a decimal with a huge exponent")
    else if (nesting(sql) > MaxDepth) Some(s"it is nested more than $MaxDepth levels deep")
    else None

  private def nesting(sql: String): Int =
    sql.iterator
      .scanLeft(0) {
        case (depth, '(' | '[') => depth + 1
        case (depth, ')' | ']') => math.max(0, depth - 1)
        case (depth, _) => depth
      }
      .max

  /** Whether rows have a column or nested field with a path. */
  private def has(rows: StructType, path: Seq[String]): Boolean =
    rows.fields.find(f => SQLConf.get.resolver(f.name, path.head)).exists { f =>
      path.tail.isEmpty || hasMember(f.dataType, path.tail)
    }

  private def hasMember(t: DataType, path: Seq[String]): Boolean = t match {
    case struct: StructType => has(struct, path)
    case ArrayType(item: StructType, _) => has(item, path)
    case MapType(_, value, _) => path.tail.isEmpty || hasMember(value, path.tail)
    case _ => false
  }

  final private case class Rejected(why: String) extends RuntimeException(why, null, false, false)

  /** Visits the nodes of an expression. */
  final private class Walk(isDefault: Boolean) {
    val columns: mutable.LinkedHashSet[Seq[String]] = mutable.LinkedHashSet.empty
    val functions: mutable.Set[String] = mutable.Set.empty
    private var lambdas = 0

    /** @param variables variables of the enclosing lambda functions */
    def visit(e: Expression, depth: Int, variables: Set[String]): Unit = {
      if (depth > MaxDepth) throw Rejected(s"it is nested more than $MaxDepth levels deep")
      def below(children: Seq[Expression], names: Set[String] = variables): Unit =
        children.foreach(visit(_, depth + 1, names))
      e match {
        case a: UnresolvedAttribute => name(a.nameParts)
        case v: UnresolvedNamedLambdaVariable =>
          if (!variables.exists(SQLConf.get.resolver(_, v.nameParts.head))) name(v.nameParts)
        case f: UnresolvedFunction =>
          call(f)
          below(f.arguments)
        case LambdaFunction(body, arguments, _) =>
          val own = arguments.collect { case v: UnresolvedNamedLambdaVariable => v.name }
          lambdas += 1
          if (lambdas > maxLambdas)
            throw Rejected(s"it nests more than $maxLambdas lambda functions")
          below(Seq(body), variables ++ own)
          lambdas -= 1
        case UnresolvedExtractValue(child, extraction) => below(Seq(child, extraction))
        case _: CurrentDate | _: CurrentTimestamp | _: CurrentUser => statement()
        case time if SparkShim.isCurrentTime(time) => statement()
        case Literal(text: UTF8String, _) =>
          if (HugeNumbers.isText(text.toString))
            throw Rejected("it has a number with a huge exponent")
        case operator if isOperator(operator) =>
          patterns(operator)
          below(operator.children)
        case other => throw Rejected(s"it holds ${what(other)}")
      }
    }

    private def statement(): Unit =
      if (!isDefault) throw Rejected("it depends on when or by whom it is evaluated")

    private def name(parts: Seq[String]): Unit =
      if (isDefault && parts.length == 1 && StoredFunctions.ofStatement(lower(parts.head))) ()
      else columns += parts

    private def call(f: UnresolvedFunction): Unit = {
      val name = lower(f.nameParts.mkString("."))
      val isKnown = f.nameParts.length == 1 &&
        (StoredFunctions.all(name) || isDefault && StoredFunctions.ofStatement(name))
      if (!isKnown) throw Rejected(s"it calls the function ${Printable(name)}")
      if (f != UnresolvedFunction(f.nameParts, f.arguments, isDistinct = false))
        throw Rejected(s"it calls $name as an aggregate")
      if (StoredFunctions.scaled(name)) f.arguments.drop(1).foreach(digits(name, _))
      if (StoredFunctions.lengthening(name)) f.arguments.foreach(notLengthened(name, _))
      if (name == StoredFunctions.parsing) f.arguments.lift(1).foreach(schema(name, _))
      if (name == StoredFunctions.joining) f.arguments.headOption.foreach(separator(name, _))
      StoredFunctions.patterns.get(name).flatMap(f.arguments.lift(_)).foreach(pattern(name, _))
      functions += name
    }

    private def notLengthened(function: String, argument: Expression): Unit = argument.foreach {
      case f: UnresolvedFunction =>
        val inner = lower(f.nameParts.mkString("."))
        if (StoredFunctions.lengthening(inner))
          throw Rejected(s"it calls $function on the result of $inner")
      case _ => ()
    }

    /** Spark computes all digits of decimals in JSON, also if they exceed the precision. */
    private def schema(function: String, argument: Expression): Unit = argument match {
      case Literal(null, _) => ()
      case Literal(text: UTF8String, _) if HugeNumbers.hasDecimals(text.toString) =>
        throw Rejected(s"it calls $function with decimals in the schema")
      case Literal(text: UTF8String, _) if text.toString.count(_ == '<') <= MaxDepth => ()
      case _ => throw Rejected(s"it calls $function with a schema that is no literal, or too deep")
    }

    private def separator(function: String, argument: Expression): Unit = argument match {
      case _: Literal => ()
      case _ => throw Rejected(s"it calls $function with a separator that is not a literal")
    }

    private def patterns(operator: Expression): Unit = operator match {
      case Like(_, p, _) => pattern("like", p)
      case ILike(_, p, _) => pattern("like", p)
      case RLike(_, p) => pattern("rlike", p)
      case LikeAll(_, all) => all.foreach(likePattern)
      case NotLikeAll(_, all) => all.foreach(likePattern)
      case LikeAny(_, all) => all.foreach(likePattern)
      case NotLikeAny(_, all) => all.foreach(likePattern)
      case _ => ()
    }

    private def pattern(function: String, argument: Expression): Unit = argument match {
      case Literal(null, _) => ()
      case Literal(text: UTF8String, _) if StoredFunctions.ofLike(function) => likePattern(text)
      case Literal(text: UTF8String, _) => if (PatternCost.isHigh(text.toString)) slow(text)
      case _ => throw Rejected(s"it calls $function with a pattern that is not a literal")
    }

    private def likePattern(text: UTF8String): Unit =
      if (text != null && PatternCost.isHighLike(text.toString)) slow(text)

    private def slow(text: UTF8String): Nothing =
      throw Rejected(s"the pattern ${Printable.line(text.toString.take(100))} can take very long")

    private def digits(function: String, argument: Expression): Unit = argument match {
      case Literal(n: Int, _) if n >= -maxDigits && n <= maxDigits => ()
      case UnaryMinus(Literal(n: Int, _), _) if n >= 0 && n <= maxDigits => ()
      case _ => throw Rejected(s"it calls $function for other than $maxDigits digits at most")
    }
  }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)

  private def what(e: Expression): String = e match {
    case _: SubqueryExpression | _: InSubquery => s"a subquery (${e.nodeName})"
    case other => s"an expression that is not allowed there (${other.nodeName})"
  }

  /** Whether the parser creates this operator without looking up a function. */
  private def isOperator(e: Expression): Boolean = e match {
    case _: Literal | _: Cast => true
    case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: In | _: CaseWhen => true
    case _: EqualTo | _: EqualNullSafe | _: LessThan | _: LessThanOrEqual => true
    case _: GreaterThan | _: GreaterThanOrEqual => true
    case _ if e.nodeName == "Between" => true // since Spark 4.0; two comparisons before
    case _: Add | _: Subtract | _: Multiply | _: Divide | _: IntegralDivide | _: Remainder => true
    case _: UnaryMinus | _: UnaryPositive => true
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot => true
    case _: ShiftLeft | _: ShiftRight | _: ShiftRightUnsigned => true
    case _: Like | _: ILike | _: RLike | _: LikeAll | _: LikeAny | _: NotLikeAll | _: NotLikeAny =>
      true
    case _: Concat | _: Coalesce | _: Lower | _: Substring | _: StringLocate => true
    case _: StringTrim | _: StringTrimLeft | _: StringTrimRight => true
    case _: TimestampAdd | _: TimestampDiff | _: CreateNamedStruct => true
    case _ => false
  }
}
