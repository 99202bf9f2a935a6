// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util.Locale

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar
}
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types.{LongType, StructField, StructType}

import io.github.pysparklance.core.{Field, Optional}
import io.github.pysparklance.index.{IndexCondition, IndexCounts}
import io.github.pysparklance.index.IndexCounts.Counted
import io.github.pysparklance.index.spi.IndexPredicate
import io.github.pysparklance.spark.filter.{FieldPaths, IndexTranslation, StoredKeys}
import io.github.pysparklance.spark.scan.push.PushedFilters
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.LanceTable

/** Counts that indices have, so that no row is read: `COUNT(*)` and `COUNT(column)` with or without a filter on indexed
  * columns, and both by groups of a column with a `BITMAP` index.
  *
  * @param filters the filters of the scan, all of which are pushed
  */
final private[scan] class IndexedAggregates(
    table: LanceTable,
    tableFields: IndexedSeq[Field],
    filters: PushedFilters,
    options: ReadOptions
) {
  private lazy val counts = new IndexCounts(table)

  /** Returns the rows of the aggregation, or `None` if the indices do not have them. */
  def apply(aggregation: Aggregation): Option[LanceIndexScan] =
    if (
      !options.useScalarIndex || !options.pushAggregates || options.includesDeleted ||
      filters.condition.isDefined || table.indices.forall(_.isSystem)
    ) None
    else {
      val functions = aggregation.aggregateExpressions().toIndexedSeq
      aggregation.groupByExpressions().toSeq match {
        case Seq() if functions.nonEmpty => counted(functions)
        case Seq(group) if filters.expressions.isEmpty => leaf(group).flatMap(grouped(_, functions))
        case _ => None
      }
    }

  private def counted(functions: IndexedSeq[AggregateFunc]): Option[LanceIndexScan] = {
    val filter =
      filters.filter.map(f => new IndexTranslation(f.fields, options.types)(f.expression))
    // The condition of the rows that each function counts; none: all rows.
    val conditions: IndexedSeq[Option[Option[IndexCondition]]] = functions.map {
      case _: CountStar => Some(filter)
      case c: Count if !c.isDistinct =>
        leaf(c.column()).map { field =>
          val isNull = IndexCondition.Test(field.id, field.logicalType, IndexPredicate.IsNull)
          val hasValue = IndexCondition.Not(isNull)
          Some(filter.fold[IndexCondition](hasValue)(IndexCondition.And(_, hasValue)))
        }
      case _ => None
    }
    if (conditions.exists(_.isEmpty)) None
    else {
      val found = conditions.flatten.distinct.map {
        case Some(condition) => Option(condition) -> counts.rows(condition)
        case None => None -> table.rowCount.map(Counted(_, Nil))
      }.toMap
      Optional.when(found.values.forall(_.isDefined)) {
        val results = conditions.flatten.flatMap(found(_))
        val columns = functions.zip(results).map { case (f, r) => column(f, r.indices) }
        scan(StructType(columns), Seq(InternalRow.fromSeq(results.map(_.result))))
      }
    }
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
      value <- StoredKeys.of(field.logicalType, dataType)
      if areCounts.forall(_.isDefined)
      Counted(groups, indices) <-
        counts.groups(field.id, field.logicalType, IndexedAggregates.maxGroups)
    } yield {
      val rows = groups.map { case (key, rows) =>
        val results = areCounts.flatten.map(ofRows => if (ofRows || key.isDefined) rows else 0L)
        InternalRow.fromSeq(key.map(value).orNull +: results)
      }
      val group = StructField(field.name, dataType)
      scan(StructType(group +: functions.map(column(_, indices))), rows)
    }
  }

  private def column(function: AggregateFunc, indices: Seq[String]): StructField = {
    val by = if (indices.isEmpty) "" else indices.mkString(" by index ", ", ", "")
    StructField(s"$function$by".toLowerCase(Locale.ROOT), LongType, nullable = false)
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

  /** Groups are rows on the driver. */
  private val maxGroups = 10000
}

/** The result of an aggregation, computed from indices while the query was planned. Its columns name the indices. */
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
