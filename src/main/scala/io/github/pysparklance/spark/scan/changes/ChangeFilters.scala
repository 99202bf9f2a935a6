// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.DataType

import io.github.pysparklance.core.{Field, UnsupportedFeatureException}
import io.github.pysparklance.spark.filter.{FieldPaths, PredicateTranslation, RowFilter}
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}
import io.github.pysparklance.table.scan.{ComputedColumn, RowChange}

/** The predicates that a stream or a scan of changes evaluates. Predicates on the kind, version,
  * and time of changes select changes before any data is read. The others filter rows.
  *
  * @param tableFields the columns in the types of the read
  */
final private[spark] class ChangeFilters(tableFields: IndexedSeq[Field], options: ReadOptions) {
  private val translation = new PredicateTranslation(typeOf)
  private var pushed = Seq.empty[(Predicate, Expression)]

  // A stream of appended rows may have columns with the names of change columns.
  private lazy val selection = new ChangeSelection(translation.columns.filter {
    case (path, _) => FieldPaths.find(tableFields, path).isEmpty
  })
  private lazy val (selected, filtering) = pushed.map(_._2).partition(selection.isOn)

  /** Accepts predicates. Returns the predicates that Spark has to evaluate. */
  def push(predicates: Array[Predicate]): Array[Predicate] =
    predicates.filterNot { p =>
      val filter = if (options.pushFilters) translation(p) else None
      filter.foreach(f => pushed :+= p -> f)
      filter.isDefined
    }

  /** The accepted predicates. */
  def predicates: Seq[Predicate] = pushed.map(_._1)

  /** The conditions that select changes. */
  def selecting: Seq[Expression] = selected

  /** Whether changes are selected. */
  lazy val keeps: RowChange => Boolean = selection(selected)

  /** The filter on the rows of selected changes. */
  lazy val rowFilter: Option[RowFilter] = filtering.reduceOption(And(_, _)).map { all =>
    RowFilter(tableFields, translation.columns, all, options.types)
  }

  private def typeOf(path: Seq[String]): Option[DataType] =
    FieldPaths.find(tableFields, path) match {
      case Some(field) if field.flatten.exists(_.isBlob) => None
      case Some(field) =>
        try Some(SparkTypes.dataType(field, options.types))
        catch { case _: UnsupportedFeatureException => None }
      case None if path.length == 1 && !tableFields.exists(_.name == path.head) =>
        ComputedColumn.byName(path.head).map(MetadataFields.dataType)
      case None => None
    }
}
