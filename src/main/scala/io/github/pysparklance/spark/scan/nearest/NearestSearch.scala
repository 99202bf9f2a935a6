// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.annotation.tailrec

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Expression,
  In,
  Literal,
  ShiftRightUnsigned
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.DataType

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.{FoundRows, SearchStatistics}
import io.github.pysparklance.index.vector.{
  ProbeTasks,
  ProbeWork,
  VectorColumn,
  VectorIndex,
  VectorIndices
}
import io.github.pysparklance.spark.common.{SharedValue, SparkTasks}
import io.github.pysparklance.spark.scan.search.{SearchSource, SourceRows}
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.scan.{LanceScan, ScanPlan}
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{FragmentScan, MetadataColumn, RowCondition}

/** Finds the rows that are nearest to queries. Small searches run on the driver. In larger ones,
  * each task compares the vectors of some fragments, or searches the index for some queries or in
  * some partitions, and returns at most as many rows for each query as the search returns. The
  * driver merges them.
  *
  * @param shared selects rows for other searches of the same table, too
  * @param indexBytesHere size of the partitions of an index that the driver reads
  */
final private[nearest] class NearestSearch(
    session: SparkSession,
    source: SearchSource,
    field: VectorColumn,
    index: Option[VectorIndex],
    query: NearestQuery,
    shared: Option[SourceRows] = None,
    indexBytesHere: Long = NearestSearch.driverIndexBytes
) {
  import source.table

  private val metric: Metric =
    query.parameters.metric.orElse(index.map(_.metric)).getOrElse(field.defaultMetric)
  private val task = new ExactTask(field, metric, query)
  private val description = s"lance ${table.path}: nearest rows by ${field.name}"
  private val rows = shared.getOrElse(new SourceRows(session, source, description))

  /** Counts reads of index files on the driver. */
  val meter = new IndexMeter

  /** Counts the work of index searches on the driver. */
  val statistics = new SearchStatistics

  /** Returns the nearest rows to each query. */
  def run(): IndexedSeq[Neighbors] = source.context.run {
    val before = query.filter.filter(_ => query.prefilter)
    val after = query.filter.filterNot(_ => query.prefilter)
    val found = index match {
      case None => exact(before)
      case Some(_) if query.vectors.size >= NearestSearch.batchQueries => inTasks(before)
      case Some(i) => byIndex(i, before)
    }
    after.fold(found)(matching(found, _)).map(_.drop(query.offset))
  }

  /** Throws if the filter is not a condition on columns of the table. */
  def checkFilter(): Unit = query.filter.foreach(f => rows.where(f): Unit)

  /** Returns the search for tasks. Evaluates the filter first. */
  def inBatches(): BatchSearch = source.context.run {
    val selected = query.filter.map(rows.matching)
    inBatches(
      query,
      selected.filter(_ => query.prefilter),
      selected.filterNot(_ => query.prefilter)
    )
  }

  private def inBatches(
      query: NearestQuery,
      before: Option[AddressSet],
      after: Option[AddressSet]
  ): BatchSearch = {
    val scan = source.scan(IndexedSeq(field.pruned))
    new BatchSearch(
      table.handle(scan.store),
      scan.store,
      field,
      metric,
      index.map(_.name),
      query.copy(vectors = QueryVectors.none),
      before,
      after,
      scan.read
    )
  }

  /** Searches the index for groups of queries in parallel. */
  private def inTasks(filter: Option[String]): IndexedSeq[Neighbors] = {
    val search = inBatches(unskipped, filter.map(rows.matching), None)
    val shared = SharedValue(session, search)
    val numTasks = math.max(1, session.sparkContext.defaultParallelism)
    val perTask = math.max(
      NearestSearch.minQueriesOfTask,
      (query.vectors.size + numTasks - 1) / numTasks
    )
    val groups = query.vectors.queries.grouped(perTask).map(NearestSearch.Group(_)).toIndexedSeq
    val found =
      SparkTasks.run(session, description, groups)(NearestSearch.ofQueries(shared))(_ => ())
    found.foreach { case (_, work) => statistics.add(work) }
    found.flatMap(_._1)
  }

  /** Searches an index, and the fragments that it does not cover without it. */
  private def byIndex(index: VectorIndex, filter: Option[String]): IndexedSeq[Neighbors] = {
    val indices = new VectorIndices(table, meter)
    val search = new IndexSearch(table, indices, index, query, rows => Some(new Probes(rows)))
    filter.map(rows.matching) match {
      case Some(selected) if search.prefersExact(selected) =>
        inBatches(unskipped, Some(selected), None)(query.vectors.queries, statistics)
      case selected =>
        val found = search.run(query.vectors.queries, selected) { uncovered =>
          exact(filter, Some(uncovered.toArray.map(_ & 0xffffffffL).toIndexedSeq))
        }
        statistics.add(search.statistics)
        found
    }
  }

  /** Searches partitions in tasks.
    *
    * @param rows addresses of rows that may be found; `None`: all rows
    */
  final private class Probes(rows: Option[AddressSet]) extends ProbeTasks {
    private lazy val shared = SharedValue(session, inBatches(query, rows, None))

    override def bytesHere: Long = indexBytesHere

    override def parallelism: Int = session.sparkContext.defaultParallelism

    override def run(work: IndexedSeq[ProbeWork]): IndexedSeq[Option[IndexedSeq[FoundRows]]] = {
      val found =
        SparkTasks.run(session, description, work)(NearestSearch.ofPartitions(shared))(_ => ())
      found.foreach { case (_, work) => statistics.add(work) }
      found.map(_._1)
    }
  }

  /** The query with the rows that `offset` skips. */
  private def unskipped: NearestQuery =
    query.copy(offset = 0, parameters = query.parameters.copy(k = query.numCandidates))

  /** Compares the vectors of all rows.
    *
    * @param fragments ids of the fragments to search; `None` for all
    */
  private def exact(
      filter: Option[String],
      fragments: Option[IndexedSeq[Long]] = None
  ): IndexedSeq[Neighbors] = filter match {
    case None =>
      val all = source.scan(IndexedSeq(field.pruned))
      overFragments(fragments.fold(all) { ids =>
        all.copy(condition = RowCondition.in(MetadataColumn.FragId, ids))
      })
    case Some(sql) =>
      val matching = rows.where(sql)
      val selected = fragments.fold(matching) { ids =>
        matching.copy(condition = And(In(fragmentId, ids.map(Literal(_))), matching.condition))
      }
      val columns = Seq(MetadataColumn.RowAddr.name, MetadataColumn.RowId.name)
        .map(n => UnresolvedAttribute(Seq(n))) :+ UnresolvedAttribute(field.path)
      val execution = SessionShim.execution(session, Project(columns, selected))
      scanned(execution.optimizedPlan) match {
        case Some(Some(plan)) =>
          val own = source.scan(IndexedSeq(field.pruned)).read
          overFragments(plan.copy(read =
            plan.read.copy(fields = own.fields, computed = own.computed)
          ))
        case Some(None) => none
        case None =>
          val vectorType = execution.analyzed.output.last.dataType
          val work = NearestSearch.ofRows(task, vectorType)
          merged(SparkTasks.partitions(session, description, execution.toRdd)(work)(_ => ()))
      }
  }

  /** The id of the fragment of a row. A column of the table may hide the metadata column. */
  private def fragmentId: Expression = {
    val name = MetadataColumn.FragId.name
    if (source.columns.fieldNames.exists(_.equalsIgnoreCase(name)))
      ShiftRightUnsigned(
        UnresolvedAttribute(Seq(MetadataColumn.RowAddr.name)),
        Literal(32)
      )
    else UnresolvedAttribute(Seq(name))
  }

  private def none: IndexedSeq[Neighbors] = query.vectors.queries.map(_ => Neighbors.none)

  /** Returns the scan with all rows of a plan. The inner option is empty if the plan has no rows,
    * and the outer option if Spark filters rows.
    */
  @tailrec
  private def scanned(plan: LogicalPlan): Option[Option[ScanPlan]] = plan match {
    case Project(_, child) => scanned(child)
    case relation: DataSourceV2ScanRelation =>
      relation.scan match {
        case scan: LanceScan => Some(Some(scan.plan))
        case _ => None
      }
    case empty: LocalRelation if empty.data.isEmpty => Some(None)
    case _ => None
  }

  private def overFragments(scan: ScanPlan): IndexedSeq[Neighbors] = {
    val rowBytes = field.numBytes * math.max(1, query.vectors.size)
    val found = rows.overFragments(scan, NearestSearch.driverBytes / rowBytes)(
      NearestSearch.ofFragments(task)
    )
    if (found.isEmpty) none else merged(found)
  }

  private def merged(tasks: IndexedSeq[Array[Neighbors]]): IndexedSeq[Neighbors] =
    query.vectors.queries.indices.map(q =>
      Neighbors.merge(tasks.map(_(q)), query.numCandidates)
    )

  /** Returns the neighbors that match a filter. */
  private def matching(found: IndexedSeq[Neighbors], filter: String): IndexedSeq[Neighbors] = {
    val selects = rows.matching(filter, found.flatMap(_.addresses))
    found.map(_.filter(selects))
  }

  /** The description of the search in `EXPLAIN`. */
  def shape: Seq[String] = Seq(
    s"nearest ${field.name} ($metric, k ${query.parameters.k}, " +
      index.fold("exact")(i =>
        s"index ${i.name} ${i.kind}, ${i.segments.length} segments, " +
          s"${i.segments.map(_._2.numPartitions.toLong).sum} partitions"
      ) + ")"
  ) ++ Optional.when(query.vectors.isBatch)(query.vectors.toString) ++
    query.filter.map(f => (if (query.prefilter) "prefilter " else "postfilter ") + f)
}

/** The work of tasks. Does not reference the search, which stays on the driver. */
private object NearestSearch {

  /** Minimum number of queries to search for in tasks. */
  val batchQueries = 64

  /** Minimum number of queries per task. */
  val minQueriesOfTask = 16

  /** Maximum bytes of vectors to compare on the driver, times the number of queries. */
  val driverBytes: Long = 16L << 20

  /** Size of the partitions of an index that are searched on the driver and are not in its cache.
    */
  val driverIndexBytes: Long = 64L << 20

  def ofPartitions(
      shared: SharedValue[BatchSearch]
  ): ProbeWork => (Option[IndexedSeq[FoundRows]], SearchStatistics) = { work =>
    val statistics = new SearchStatistics
    (shared.value.probe(work, statistics), statistics)
  }

  /** Queries of a task. */
  final case class Group(queries: IndexedSeq[IndexedSeq[Array[Double]]])

  def ofQueries(
      shared: SharedValue[BatchSearch]
  ): Group => (Array[Neighbors], SearchStatistics) = { group =>
    val statistics = new SearchStatistics
    (shared.value(group.queries, statistics).toArray, statistics)
  }

  def ofFragments(
      task: ExactTask
  ): (ReadTask, FileStore, IndexedSeq[FragmentScan], String) => Array[Neighbors] =
    (read, store, scans, path) => task(read, store, scans, path)

  def ofRows(
      task: ExactTask,
      vectorType: DataType
  ): Iterator[InternalRow] => Array[Neighbors] = rows => task(rows, vectorType)
}
