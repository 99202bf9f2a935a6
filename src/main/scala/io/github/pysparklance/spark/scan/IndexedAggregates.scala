// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util.Locale

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min
}
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}

import io.github.pysparklance.core.{Field, Optional}
import io.github.pysparklance.index.spi.IndexPredicate
import io.github.pysparklance.index.{
  IndexCondition,
  IndexCounts,
  IndexMinMax,
  IndexedResult,
  ScalarIndices
}
import io.github.pysparklance.spark.filter.{FieldPaths, IndexTranslation, StoredKeys}
import io.github.pysparklance.spark.scan.push.PushedFilters
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.LanceTable

/** Computes aggregates from indices, reading no or only a few rows. Supports `COUNT(*)`,
  * `COUNT(column)`, `MIN(column)`, and `MAX(column)`, with or without a filter on indexed columns.
  * Supports both counts with groups of a column with a `BITMAP` index.
  *
  * @param filters filters of the scan, which must all be pushed down
  */
final private[scan] class IndexedAggregates(
    table: LanceTable,
    tableFields: IndexedSeq[Field],
    filters: PushedFilters,
    options: ReadOptions
) {
  import IndexedAggregates.Wanted

  private lazy val indices = new ScalarIndices(table)
  private lazy val counts = new IndexCounts(indices)
  private lazy val minMax = new IndexMinMax(indices)

  /** Returns the rows of the aggregation, or `None` if the indices do not have the result. */
  def apply(aggregation: Aggregation): Option[LanceIndexScan] =
    if (!options.pushAggregates || filters.condition.isDefined) None
    else
      IndexedRows.ifUsable(table, options) {
        val functions = aggregation.aggregateExpressions().toIndexedSeq
        aggregation.groupByExpressions().toSeq match {
          case Seq() if functions.nonEmpty => ungrouped(functions)
          case Seq(group) if filters.expressions.isEmpty =>
            leaf(group).flatMap(grouped(_, functions))
          case _ => None
        }
      }

  private def ungrouped(functions: IndexedSeq[AggregateFunc]): Option[LanceIndexScan] = {
    val wanted = functions.map(result)
    if (wanted.exists(_.isEmpty)) None
    else {
      // Several functions may need the same result. Stops at the first result that indices do not
      // have.
      val known = mutable.HashMap.empty[Wanted, Option[IndexedResult[Any]]]
      val isKnown = wanted.flatten.forall(w => known.getOrElseUpdate(w, find(w)).isDefined)
      Optional.when(isKnown) {
        val results = wanted.flatten.flatMap(known(_))
        val columns = functions.indices.map { i =>
          column(functions(i), results(i).indices, wanted(i).get.dataType)
        }
        scan(StructType(columns), Seq(InternalRow.fromSeq(results.map(_.value))))
      }
    }
  }

  private lazy val filter =
    filters.filter.map(f => new IndexTranslation(f.fields, options.types)(f.expression))

  /** Returns the result that a function without groups needs from the indices, or `None` if it is
    * not supported.
    */
  private def result(function: AggregateFunc): Option[Wanted] = function match {
    case _: CountStar => Some(Wanted.Rows(filter))
    case c: Count if !c.isDistinct =>
      leaf(c.column()).map { field =>
        val isNull = IndexCondition.Test(field.id, field.logicalType, IndexPredicate.IsNull)
        val hasValue = IndexCondition.Not(isNull)
        Wanted.Rows(Some(filter.fold[IndexCondition](hasValue)(IndexCondition.And(_, hasValue))))
      }
    case m: Min => leaf(m.column()).flatMap(value(_, isMax = false))
    case m: Max => leaf(m.column()).flatMap(value(_, isMax = true))
    case _ => None
  }

  private def value(field: Field, isMax: Boolean): Option[Wanted] = {
    val dataType = SparkTypes.dataType(field, options.types)
    StoredKeys.of(field.logicalType, dataType).map(_ => Wanted.Value(field, isMax, dataType))
  }

  private def find(wanted: Wanted): Option[IndexedResult[Any]] = wanted match {
    case Wanted.Rows(None) => table.rowCount.map(IndexedResult(_, Nil))
    case Wanted.Rows(Some(condition)) => counts.rows(condition)
    case Wanted.Value(field, isMax, dataType) =>
      for {
        toSpark <- StoredKeys.of(field.logicalType, dataType)
        found <- minMax(field, isMax, filter)
        value <- found.value.fold(Some(null): Option[Any])(toSpark)
      } yield IndexedResult(value, found.indices)
  }

  private def grouped(
      field: Field,
      functions: IndexedSeq[AggregateFunc]
  ): Option[LanceIndexScan] = {
    val dataType = SparkTypes.dataType(field, options.types)
    val areCounts = functions.map {
      case _: CountStar => Some(true)
      case c: Count if !c.isDistinct && leaf(c.column()).contains(field) => Some(false)
      case _ => None
    }
    for {
      toSpark <- StoredKeys.of(field.logicalType, dataType)
      if areCounts.forall(_.isDefined)
      groups <- counts.groups(field.id, field.logicalType, IndexedAggregates.maxGroups)
      values = groups.value.map { case (key, _) => key.fold(Some(null): Option[Any])(toSpark) }
      if values.forall(_.isDefined)
    } yield {
      val rows = groups.value.zip(values).map { case ((key, rows), value) =>
        val results = areCounts.flatten.map(ofRows => if (ofRows || key.isDefined) rows else 0L)
        InternalRow.fromSeq(value.orNull +: results)
      }
      val group = StructField(field.name, dataType)
      scan(StructType(group +: functions.map(column(_, groups.indices, LongType))), rows)
    }
  }

  private def column(
      function: AggregateFunc,
      indices: Seq[String],
      dataType: DataType
  ): StructField = {
    val by = if (indices.isEmpty) "" else indices.mkString(" by index ", ", ", "")
    val isCount = !function.isInstanceOf[Min] && !function.isInstanceOf[Max]
    StructField(s"$function$by".toLowerCase(Locale.ROOT), dataType, nullable = !isCount)
  }

  private def scan(schema: StructType, rows: Seq[InternalRow]): LanceIndexScan =
    new LanceIndexScan(table.path, table.version, schema, rows)

  private def leaf(column: Expression): Option[Field] = column match {
    case r: NamedReference =>
      val path = r.fieldNames.toSeq
      FieldPaths.find(tableFields, path).filter(_.isLeaf && filters.typeOf(path).isDefined)
    case _ => None
  }
}

private object IndexedAggregates {

  /** Maximum groups, because the driver holds their rows. */
  private val maxGroups = 10000

  /** A result that indices may have. */
  sealed private trait Wanted {
    def dataType: DataType
  }

  private object Wanted {

    /** The number of rows for which a condition is true; `None` counts all rows. */
    final case class Rows(condition: Option[IndexCondition]) extends Wanted {
      def dataType: DataType = LongType
    }

    /** The minimum or maximum of a field. */
    final case class Value(field: Field, isMax: Boolean, dataType: DataType) extends Wanted
  }
}

/** Returns the result of an aggregation that was computed from indices while the query was planned.
  * The column names include the indices.
  */
final class LanceIndexScan private[scan] (
    path: String,
    version: Long,
    schema: StructType,
    result: Seq[InternalRow]
) extends LocalScan {
  override def readSchema(): StructType = schema
  override def rows(): Array[InternalRow] = result.toArray
  override def description(): String = s"lance $path version $version, ${schema.catalogString}"
}
