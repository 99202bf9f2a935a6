// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

import io.github.pysparklance.core.{Field, RowSelection}
import io.github.pysparklance.spark.filter.{FieldPaths, PredicateTranslation, RowFilter}
import io.github.pysparklance.spark.scan.push.PushedConditions
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.scan.{FragmentScan, RowCondition}

/** Applies conditions that Spark finds while a query runs, such as the join keys of the other side.
  * Conditions on row ids and addresses select rows. All other conditions are evaluated while rows
  * are read.
  *
  * @param tableFields fields of the table
  * @param translation the translation of the static conditions
  * @param filters static conditions on values, over the columns of `translation`
  */
final private[scan] class RuntimeFilters(
    tableFields: IndexedSeq[Field],
    translation: PredicateTranslation,
    filters: Seq[Expression]
) {
  import RuntimeFilters._

  /** The columns for which Spark may pass conditions. Empty if the scan has a limit or a sample,
    * because they must be applied after the conditions.
    */
  def attributes(plan: ScanPlan): Array[NamedReference] =
    if (!takesFilters(plan)) Array.empty
    else {
      val named = plan.schema.fields.groupBy(f => folded(f.name))
      plan.schema.fields
        // Since 4.3, Spark rejects scans with ambiguous filter attributes.
        .filter(f => isKey(f.dataType) && named(folded(f.name)).length == 1)
        .map(f => Expressions.column(quoteIdentifier(f.name)))
    }

  private def takesFilters(plan: ScanPlan): Boolean =
    !plan.isCut && !plan.read.options.includesDeleted && plan.read.options.pushFilters

  /** Whether an index finds the rows with given values of a column. */
  def hasIndexOn(plan: ScanPlan, path: Seq[String]): Boolean =
    takesFilters(plan) && plan.read.options.useScalarIndex && FieldPaths.find(tableFields, path)
      .exists(field => isKeyField(field, plan) && IndexedRows.findsValues(plan.table, field))

  private def isKeyField(field: Field, plan: ScanPlan): Boolean =
    field.isLeaf && isKey(SparkTypes.dataType(field, plan.read.options.types))

  /** Returns the effect of conditions on a scan. */
  def apply(plan: ScanPlan, predicates: Seq[Predicate]): Filtered = {
    val conditions = new PushedConditions(plan.table.schema)
    val (onRows, onValues) = predicates.map(p => p -> conditions(p)).partition(_._2.isDefined)
    val found = onValues.collect {
      case (p, _) if p.children().length <= maxKeys => translation(p)
    }.flatten
    val filter =
      if (found.isEmpty) plan.read.filter
      else
        Some(RowFilter(
          tableFields,
          translation.columns,
          (filters ++ found).reduce(And(_, _)),
          plan.read.options.types
        ))
    val indexed =
      if (found.isEmpty) None else plan.indexedBy(filter, searchesAll = true)
    val condition = onRows.flatMap(_._2).reduceOption(RowCondition.And(_, _))
    val ids = plan.table.fragments.map(_.id)
    Filtered(filter, condition.map(c => ids.zip(c.select(plan.table)).toMap), indexed)
  }
}

/** Limits and results. */
private[scan] object RuntimeFilters {

  /** The join checks its keys anyway. With more keys than this, checking them twice costs more than
    * it saves.
    */
  val maxKeys: Int = 10000

  /** @param filter all conditions on values
    * @param rows the selected rows by fragment id; `None` selects all
    * @param indexed the rows selected by indices; `None` if no index applies
    */
  final case class Filtered(
      filter: Option[RowFilter],
      rows: Option[Map[Long, RowSelection]],
      indexed: Option[IndexedRows]
  ) {

    /** Applies the conditions to tasks. */
    def of(tasks: IndexedSeq[IndexedSeq[FragmentScan]]): IndexedSeq[IndexedSeq[FragmentScan]] =
      if (rows.isEmpty && indexed.isEmpty) tasks
      else
        tasks.map(_.flatMap { scan =>
          val id = scan.fragment.id
          val all = rows.fold(RowSelection.of(scan.rows))(_.getOrElse(id, RowSelection.empty))
          narrowed(scan, indexed.fold(all)(_.narrow(id, all)))
        }).filter(_.nonEmpty)

    private def narrowed(scan: FragmentScan, selected: RowSelection): Option[FragmentScan] = {
      val inScan = selected.within(scan.rows)
      val both = scan.selection.fold(inScan)(_.intersect(inScan))
      if (both.isEmpty) None
      else if (both.numRows == scan.rows.numRows) Some(scan)
      else Some(scan.copy(selection = Some(both)))
    }
  }

  /** Normalizes a name according to the case sensitivity of the session. */
  private def folded(name: String): String =
    if (SQLConf.get.caseSensitiveAnalysis) name else name.toLowerCase(Locale.ROOT)

  /** Joins treat both zeros and all NaNs as equal, but value lookups do not. */
  private def isKey(t: DataType): Boolean =
    t != FloatType && t != DoubleType && PredicateTranslation.isComparable(t)
}
