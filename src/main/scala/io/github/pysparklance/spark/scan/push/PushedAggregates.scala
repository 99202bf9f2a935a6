// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.push

import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min
}
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.spark.filter.{FieldPaths, PredicateTranslation}
import io.github.pysparklance.spark.scan.distinct.DistinctRows

/** An aggregate that each task computes, and Spark merges. */
sealed private[scan] trait PushedAggregate {

  /** The column of the aggregate, if any. */
  def column: Option[Seq[String]]

  /** The type of the result of a task. */
  def dataType: DataType
}

/** The supported aggregates. */
private[scan] object PushedAggregate {

  /** `COUNT(*)` */
  case object CountRows extends PushedAggregate {
    def column: Option[Seq[String]] = None
    def dataType: DataType = LongType
    override def toString: String = "count(*)"
  }

  /** `COUNT(column)`, which only reads nulls. */
  final case class CountValues(path: Seq[String]) extends PushedAggregate {
    def column: Option[Seq[String]] = Some(path)
    def dataType: DataType = LongType
    override def toString: String = s"count(${path.mkString(".")})"
  }

  /** `MIN(column)` or `MAX(column)` */
  final case class MinMax(path: Seq[String], dataType: DataType, isMax: Boolean)
      extends PushedAggregate {
    def column: Option[Seq[String]] = Some(path)
    override def toString: String = s"${if (isMax) "max" else "min"}(${path.mkString(".")})"
  }
}

/** Selects the aggregates that tasks can compute: aggregates of plain columns, without groups.
  *
  * @param columnType returns the type of a column by its path, or `None` if tasks cannot read it
  */
final private[scan] class PushedAggregates(columnType: Seq[String] => Option[DataType]) {
  import PushedAggregate._

  /** Returns `None` if Spark has to aggregate. */
  def apply(aggregation: Aggregation): Option[IndexedSeq[PushedAggregate]] = {
    val found = aggregation.aggregateExpressions().toIndexedSeq.map(one)
    if (aggregation.groupByExpressions().isEmpty && found.nonEmpty && found.forall(_.isDefined))
      Some(found.flatten)
    else None
  }

  /** Returns the column if the aggregation only needs its distinct values. */
  def distinct(aggregation: Aggregation): Option[Seq[String]] =
    aggregation.groupByExpressions().toSeq match {
      case Seq(column) if aggregation.aggregateExpressions().isEmpty =>
        typed(column).collect { case (path @ Seq(_), t) if DistinctRows.takes(t) => path }
      case _ => None
    }

  private def one(f: AggregateFunc): Option[PushedAggregate] = f match {
    case _: CountStar => Some(CountRows)
    case c: Count if !c.isDistinct => typed(c.column).map { case (path, _) => CountValues(path) }
    case m: Min => minMax(m.column, isMax = false)
    case m: Max => minMax(m.column, isMax = true)
    case _ => None
  }

  private def minMax(of: Expression, isMax: Boolean): Option[PushedAggregate] =
    typed(of).collect {
      case (path, t) if PredicateTranslation.isComparable(t) => MinMax(path, t, isMax)
    }

  private def typed(e: Expression): Option[(Seq[String], DataType)] = e match {
    case r: NamedReference =>
      val path = r.fieldNames.toSeq
      columnType(path).map(path -> _)
    case _ => None
  }
}

/** Schemas and columns of aggregates. */
private[scan] object PushedAggregates {

  /** The row that a task returns. */
  def schema(aggregates: IndexedSeq[PushedAggregate]): StructType =
    StructType(aggregates.zipWithIndex.map { case (a, i) =>
      StructField(s"${a}_$i", a.dataType, nullable = a.isInstanceOf[PushedAggregate.MinMax])
    })

  /** The columns of the aggregates, pruned to the required fields. If only nulls are counted, a
    * column is pruned to its smallest suitable leaf.
    *
    * @param isEverywhere returns whether all fragments have a leaf, by its id. A missing leaf has
    *   no nulls of its struct
    */
  def fields(
      tableFields: IndexedSeq[Field],
      aggregates: IndexedSeq[PushedAggregate],
      isEverywhere: Int => Boolean
  ): IndexedSeq[Field] = {
    def isHeld(path: Seq[String]): Boolean =
      FieldPaths.find(tableFields, path).exists(_.leaves.forall(leaf => isEverywhere(leaf.id)))
    val compared = aggregates.collect { case e: PushedAggregate.MinMax => e.path }
    val counted = aggregates
      .collect { case c: PushedAggregate.CountValues => c.path }
      .filterNot(path => compared.exists(c => c.startsWith(path) && isHeld(c)))
    val leaves = counted.map(path => smallest(tableFields, path, isEverywhere))
    FieldPaths.cut(tableFields, (compared ++ leaves).distinct)
  }

  /** Returns the path of a nested field that determines the nulls of the field at `path`. */
  private def smallest(
      fields: IndexedSeq[Field],
      path: Seq[String],
      isEverywhere: Int => Boolean
  ): Seq[String] =
    FieldPaths.find(fields, path) match {
      case Some(struct) if !struct.isLeaf && struct.logicalType == LogicalType.Struct =>
        val children = struct.children.filter(_.leaves.forall(leaf => isEverywhere(leaf.id)))
        if (children.isEmpty) path
        else {
          val child = children.minBy(_.leaves.map(Projection.estimatedBytes).sum)
          smallest(fields, path :+ child.name, isEverywhere)
        }
      case _ => path
    }
}
