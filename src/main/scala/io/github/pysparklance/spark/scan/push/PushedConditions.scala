// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.push

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}

import io.github.pysparklance.core.Schema
import io.github.pysparklance.table.scan.{MetadataColumn, RowCondition}

/** Translates predicates to conditions that select rows without reading their values: equality and
  * `IN` on `_rowid`, `_rowaddr`, `_rowoffset`, and `_fragid`, combined by `AND` and `OR`.
  * Translated predicates are evaluated exactly, so Spark does not need to filter again.
  *
  * @param schema schema of the table, whose columns hide metadata columns with the same name
  */
final private[spark] class PushedConditions(schema: Schema) {

  /** Returns `None` if Spark has to evaluate the predicate. */
  def apply(predicate: Predicate): Option[RowCondition] = {
    val children = predicate.children()
    predicate.name() match {
      case "=" | "<=>" => equality(children(0), children(1))
      case "IN" =>
        for {
          column <- metadata(children.head)
          values <- all(children.tail.toSeq.map(literal))
          condition <- RowCondition.in(column, values.flatten)
        } yield condition
      case "AND" => both(children, RowCondition.And.apply)
      case "OR" => both(children, RowCondition.Or.apply)
      case "ALWAYS_TRUE" => Some(RowCondition.EveryRow)
      case "ALWAYS_FALSE" => Some(RowCondition.NoRow)
      case _ => None
    }
  }

  private def both(
      children: Array[Expression],
      join: (RowCondition, RowCondition) => RowCondition
  ): Option[RowCondition] =
    all(children.toSeq.map {
      case p: Predicate => apply(p)
      case _ => None
    }).map(_.reduce(join))

  private def equality(left: Expression, right: Expression): Option[RowCondition] =
    for {
      column <- metadata(left).orElse(metadata(right))
      value <- literal(right).orElse(literal(left))
      condition <- RowCondition.in(column, value.toSeq)
    } yield condition

  private def metadata(e: Expression): Option[MetadataColumn] = e match {
    case r: NamedReference if r.fieldNames.length == 1 =>
      MetadataColumn.byName(r.fieldNames.head).filter(c => schema.field(c.name).isEmpty)
    case _ => None
  }

  /** Returns the value of a literal. The inner `None` is null, which equals nothing. */
  private def literal(e: Expression): Option[Option[Long]] = e match {
    case l: Literal[_] =>
      l.value match {
        case null => Some(None)
        case value: Long => Some(Some(value))
        case _ => None
      }
    case _ => None
  }

  private def all[A](found: Seq[Option[A]]): Option[Seq[A]] =
    if (found.forall(_.isDefined)) Some(found.flatten) else None
}
