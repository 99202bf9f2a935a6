// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  Expression,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.index.vector.search.SearchStatistics
import io.github.pysparklance.spark.common.{LanceErrors, SharedValue, SparkTasks}
import io.github.pysparklance.spark.scan.nearest.{NearestMetrics, Neighbors}

/** Runs a [[NearestJoin]]. Each task searches for the queries of its rows, in batches. If the left
  * side is small, its rows are collected, and the search runs in parallel over fragments or
  * queries.
  *
  * @param columns columns of the table to read, in the order of `found`
  * @param isSmall whether the left side is small enough to be collected
  */
final private[join] case class NearestJoinExec(
    child: SparkPlan,
    queries: Expression,
    @transient search: JoinSearch,
    found: Seq[Attribute],
    columns: StructType,
    isOuter: Boolean,
    isSmall: Boolean
) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output ++ foundOutput

  private def foundOutput: Seq[Attribute] = NearestJoin.output(found, isOuter)

  override def outputPartitioning: Partitioning =
    if (isSmall) UnknownPartitioning(0) else child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = if (isSmall) Nil else child.outputOrdering

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "numQueries" -> SQLMetrics.createMetric(sparkContext, "queries")
  ) ++ NearestMetrics.ofSearch.map { m =>
    m.name() -> SQLMetrics.createMetric(sparkContext, m.description())
  }

  override protected def doExecute(): RDD[InternalRow] = LanceErrors.translated {
    val bound = search.queries(BindReferences.bindReference(queries, child.output))
    val shared = SharedValue(session, search.work(session, columns))
    metrics(NearestMetrics.Segments).set(search.numSegments.toLong)
    try
      if (isSmall) collected(bound, shared) else streamed(child.execute(), bound, shared)
    finally {
      val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
      SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics.values.toSeq)
    }
  }

  /** Searches in the tasks of the left side. */
  private def streamed(
      rows: RDD[InternalRow],
      bound: JoinQueries,
      shared: SharedValue[JoinWork]
  ): RDD[InternalRow] = {
    val counters = new JoinCounters(metrics)
    val (left, right, outer, path) = (child.output, foundOutput, isOuter, search.path)
    rows.mapPartitions { rows =>
      val work = shared.value
      val unsafe = NearestJoinExec.unsafe(rows, left)
      val searched = JoinedRows.searched(unsafe, bound, work.search.queriesAtATime) { batch =>
        LanceErrors.inTask(path) {
          val statistics = new SearchStatistics
          val near = work.search(batch, statistics)
          counters.add(batch.length, statistics)
          near
        }
      }
      counters.counted(path, new JoinedRows(work, left, right, outer)(searched))
    }
  }

  /** Collects the left side, and searches for all of its queries together. */
  private def collected(bound: JoinQueries, shared: SharedValue[JoinWork]): RDD[InternalRow] = {
    val counters = new JoinCounters(metrics)
    val rows = NearestJoinExec.unsafe(child.executeCollect().iterator, child.output).toIndexedSeq
    val foundByAll = rows.length.toLong * search.numCandidates
    if (foundByAll > NearestJoinExec.foundOnDriver) {
      val perTask = math.max(1, NearestJoinExec.foundOnDriver / search.numCandidates)
      val pieces = rows.grouped(perTask).map(NearestJoinExec.Rows(_)).toIndexedSeq
      val distributed =
        SparkTasks.elements[NearestJoinExec.Rows, InternalRow](session, pieces)(_.rows.iterator)
      streamed(distributed, bound, shared)
    } else {
      val all = JoinedRows.searched(rows.iterator, bound, Int.MaxValue) { batch =>
        if (batch.isEmpty) IndexedSeq.empty
        else {
          val run = search.of(session, batch)
          val near = run.run()
          counters.add(batch.length, run.statistics)
          near
        }
      }.toIndexedSeq
      taken(all, shared, counters)
    }
  }

  private def taken(
      all: IndexedSeq[(UnsafeRow, Neighbors)],
      shared: SharedValue[JoinWork],
      counters: JoinCounters
  ): RDD[InternalRow] = {
    val pieces = all.grouped(math.max(1, NearestJoinExec.foundOfTask / math.max(1, search.k)))
      .map(NearestJoinExec.Piece(_)).toIndexedSeq
    val (left, right, outer, path) = (child.output, foundOutput, isOuter, search.path)
    SparkTasks.elements[NearestJoinExec.Piece, InternalRow](session, pieces) { piece =>
      val joined = new JoinedRows(shared.value, left, right, outer)
      counters.counted(path, joined(piece.rows.iterator))
    }
  }

  override def nodeName: String = "LanceNearestJoin"

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${queries.sql} ${found.mkString("[", ", ", "]")} ${search.description}" +
      (if (isOuter) ", left outer" else "") + (if (isSmall) ", left side collected" else "")

  override protected def withNewChildInternal(newChild: SparkPlan): NearestJoinExec =
    copy(child = newChild)
}

private[join] object NearestJoinExec {

  /** Number of nearest rows that a task reads for a collected left side. */
  val foundOfTask = 8192

  /** Maximum number of nearest rows of a collected left side on the driver. */
  val foundOnDriver: Int = 1 << 21

  /** Rows of a collected left side. */
  final case class Rows(rows: IndexedSeq[UnsafeRow])

  /** Returns rows that can be copied and serialized. */
  def unsafe(rows: Iterator[InternalRow], columns: Seq[Attribute]): Iterator[UnsafeRow] = {
    lazy val projection = UnsafeProjection.create(columns, columns)
    rows.map {
      case unsafe: UnsafeRow => unsafe
      case other => projection(other).copy()
    }
  }

  /** Rows of a collected left side, with their neighbors. */
  final case class Piece(rows: IndexedSeq[(UnsafeRow, Neighbors)])
}

/** Counts the work of a join. */
final private[join] class JoinCounters(metrics: Map[String, SQLMetric]) extends Serializable {

  def add(numQueries: Int, statistics: SearchStatistics): Unit = {
    metrics("numQueries").add(numQueries.toLong)
    metrics(NearestMetrics.Partitions).add(statistics.partitionsProbed)
    metrics(NearestMetrics.Vectors).add(statistics.vectorsCompared)
    metrics(NearestMetrics.Refined).add(statistics.rowsRefined)
  }

  /** Counts rows, and translates read errors. */
  def counted(path: String, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val numRows = metrics("numOutputRows")
    new Iterator[InternalRow] {
      override def hasNext: Boolean = LanceErrors.inTask(path)(rows.hasNext)
      override def next(): InternalRow = {
        numRows += 1
        LanceErrors.inTask(path)(rows.next())
      }
    }
  }
}
