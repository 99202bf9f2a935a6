// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.push

import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.DataType

import io.github.pysparklance.core.{Field, UnsupportedFeatureException}
import io.github.pysparklance.spark.filter.{FieldPaths, PredicateTranslation, RowFilter}
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{MetadataColumn, RowCondition}

/** The predicates that a scan evaluates: conditions that select rows without reading their values,
  * and filters on the values of columns.
  *
  * @param tableFields fields of the table with the types of the read
  */
final private[scan] class PushedFilters(
    table: LanceTable,
    tableFields: IndexedSeq[Field],
    options: ReadOptions
) {
  private var selecting = Seq.empty[(Predicate, RowCondition)]
  private var filtering = Seq.empty[(Predicate, Expression)]

  /** Translates predicates and orders on columns. */
  val translation = new PredicateTranslation(typeOf)

  /** Accepts predicates. Returns the predicates that Spark has to evaluate. */
  def push(predicates: Array[Predicate]): Array[Predicate] = {
    val conditions = new PushedConditions(table.schema)
    predicates.filterNot { p =>
      // Conditions on row ids and ranks only find rows that are not deleted.
      val condition = if (options.includesDeleted) None else conditions(p)
      val filter = if (condition.isEmpty && options.pushFilters) translation(p) else None
      condition.foreach(c => selecting :+= p -> c)
      filter.foreach(f => filtering :+= p -> f)
      condition.isDefined || filter.isDefined
    }
  }

  /** The accepted predicates. */
  def predicates: Seq[Predicate] = (selecting ++ filtering).map(_._1)

  /** The filters on the values of columns. */
  def expressions: Seq[Expression] = filtering.map(_._2)

  /** The condition that selects rows; `None` if all rows are selected. */
  def condition: Option[RowCondition] = selecting.map(_._2).reduceOption(RowCondition.And(_, _))

  /** The filter on the selected rows. */
  def filter: Option[RowFilter] = expressions.reduceOption(And(_, _)).map { all =>
    RowFilter(tableFields, translation.columns, all, options.types)
  }

  /** Returns the type of a column that filters and aggregates can read. Excludes blobs, which are
    * fetched for matching rows only.
    */
  def typeOf(path: Seq[String]): Option[DataType] =
    FieldPaths.find(tableFields, path) match {
      case Some(field) if field.flatten.exists(_.isBlob) => None
      case Some(field) =>
        try Some(SparkTypes.dataType(field, options.types))
        catch { case _: UnsupportedFeatureException => None }
      case None if path.length == 1 && table.schema.field(path.head).isEmpty =>
        MetadataColumn.byName(path.head).map(MetadataFields.dataType)
      case None => None
    }
}
