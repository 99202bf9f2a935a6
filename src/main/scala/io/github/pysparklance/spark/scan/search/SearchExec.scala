// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeReference,
  BindReferences,
  ExprId,
  Expression,
  InterpretedUnsafeProjection,
  NamedExpression,
  Predicate,
  SortOrder,
  SubqueryExpression,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{LeafExecNode, SQLExecution, SparkPlan, SparkStrategy}

/** Searches and reads the rows on the driver. If the search needs no Spark job, and the query
  * collects the rows, no Spark job runs.
  *
  * @param columns expressions to return
  * @param conditions filters of the found rows
  * @param read columns of the scan
  */
final private[scan] case class SearchExec(
    columns: Seq[NamedExpression],
    conditions: Seq[Expression],
    read: Seq[Attribute],
    @transient scan: SearchScan
) extends LeafExecNode {
  override def output: Seq[Attribute] = columns.map(_.toAttribute)

  override lazy val metrics: Map[String, SQLMetric] =
    scan.supportedCustomMetrics().map { metric =>
      metric.name() -> SQLMetrics.createV2CustomMetric(sparkContext, metric)
    }.toMap + ("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  private def condition: Option[Expression] =
    conditions.reduceOption[Expression]((a, b) => And(a, b))

  @transient private lazy val rows: Array[InternalRow] = {
    val (all, values) = scan.rows()
    val kept = condition.fold(all) { c =>
      val predicate = Predicate.create(c, read)
      predicate.initialize(0)
      all.filter(predicate.eval)
    }
    val found = if (isWhole) kept else kept.map(projection(_).copy(): InternalRow)
    (scan.reportDriverMetrics() ++ values).foreach { m =>
      metrics.get(m.name()).foreach(_.set(m.value()))
    }
    metrics("numOutputRows").set(found.length.toLong)
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics.values.toSeq)
    found
  }

  private def isWhole: Boolean = columns.map(_.exprId) == read.map(_.exprId)

  /** Generates code only for computed columns. */
  @transient private lazy val projection: UnsafeProjection =
    if (columns.forall(_.isInstanceOf[AttributeReference]))
      InterpretedUnsafeProjection.createProjection(
        BindReferences.bindReferences(columns: Seq[Expression], read)
      )
    else UnsafeProjection.create(columns, read)

  override def executeCollect(): Array[InternalRow] = rows

  override def executeTake(n: Int): Array[InternalRow] = rows.take(n)

  override def executeTail(n: Int): Array[InternalRow] = rows.takeRight(n)

  override def executeToIterator(): Iterator[InternalRow] = rows.iterator

  override protected def doExecute(): RDD[InternalRow] =
    if (rows.isEmpty) sparkContext.emptyRDD[InternalRow]
    else sparkContext.parallelize(rows.toSeq, 1)

  override def outputOrdering: Seq[SortOrder] = Nil

  /** By default, Spark would normalize the expressions of a leaf without the columns of the scan.
    */
  override protected def doCanonicalize(): SparkPlan = {
    def normalized[E <: Expression](e: E): E = QueryPlan.normalizeExpressions(e, read)
    val canonical = columns.zipWithIndex.map {
      case (a: Alias, i) => Alias(normalized(a.child), "")(ExprId(i.toLong))
      case (column, _) => normalized(column)
    }
    SearchExec(canonical, conditions.map(normalized(_)), read.map(normalized(_)), scan)
  }

  override def nodeName: String = scan.operator

  override def simpleString(maxFields: Int): String = {
    val where = condition.fold("")(c => s", where ${c.sql}")
    s"$nodeName ${output.mkString("[", ", ", "]")} ${scan.description()}$where"
  }
}

/** Plans small searches as [[SearchExec]]. */
private[spark] object DriverSearches extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(columns, conditions, relation: DataSourceV2ScanRelation) =>
      relation.scan match {
        case scan: SearchScan if scan.isSmall && (columns ++ conditions).forall(isSimple) =>
          Seq(SearchExec(columns, conditions, relation.output, scan))
        case _ => Nil
      }
    case _ => Nil
  }

  private def isSimple(e: Expression): Boolean =
    e.deterministic && !SubqueryExpression.hasSubquery(e)
}
