// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.annotation.tailrec
import scala.collection.mutable

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
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.{DataType, StructType}

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.spi.RowSet
import io.github.pysparklance.index.vector.{VectorColumn, VectorIndex}
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.spark.common.SparkTasks
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.scan.{LanceScan, ScanPlan}
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{FragmentScan, MetadataColumn, RowCondition}

/** Finds the rows that are nearest to queries. Each task compares the vectors of some fragments and returns its nearest
  * rows, at most as many as the search returns. The driver merges them.
  */
final private[nearest] class NearestSearch(
    session: SparkSession,
    source: NearestSource,
    field: VectorColumn,
    index: Option[VectorIndex],
    query: NearestQuery
) {
  import source.table

  private val metric: Metric =
    query.parameters.metric.orElse(index.map(_.metric)).getOrElse(field.defaultMetric)
  private val task = new ExactTask(field, metric, query)
  private val description = s"lance ${table.path}: nearest rows by ${field.name}"

  /** The nearest rows to each query. */
  def run(): IndexedSeq[Neighbors] = {
    val before = query.filter.filter(_ => query.prefilter).map(parsed)
    val after = query.filter.filterNot(_ => query.prefilter).map(parsed)
    val found = index.fold(exact(before))(byIndex(_, before))
    after.fold(found)(matching(found, _)).map(_.drop(query.offset))
  }

  private def parsed(sql: String): Expression = SessionShim.parser(session).parseExpression(sql)

  /** Fails if the filter is no condition on columns of the table. */
  def checkFilter(): Unit = query.filter.foreach { sql =>
    SessionShim.analyzed(session, Filter(parsed(sql), source.relation)): Unit
  }

  /** Searches an index, and the fragments that it does not cover without it. */
  private def byIndex(index: VectorIndex, filter: Option[Expression]): IndexedSeq[Neighbors] = {
    val found = new IndexSearch(table, index, query).run(filter.map(matchingRows))
    val uncovered = found.map(_.uncovered).reduce(RoaringBitmap.or(_, _))
    if (uncovered.isEmpty || query.parameters.fastSearch) found.map(_.rows)
    else {
      val others = exact(filter, Some(uncovered.toArray.map(_ & 0xffffffffL).toIndexedSeq))
      found.zip(others).map { case (covered, other) =>
        // A segment may have become unreadable between two queries.
        val rows = covered.rows.filter { address =>
          !uncovered.contains(RowAddress.fragmentId(address).toInt)
        }
        Neighbors.merge(Seq(rows, other), query.numCandidates)
      }
    }
  }

  /** Addresses of the rows for which a condition is true. */
  private def matchingRows(condition: Expression): RowSet = {
    val address = UnresolvedAttribute(Seq(MetadataColumn.RowAddr.name))
    val plan = Project(Seq(address), Filter(condition, source.relation))
    val rows = SessionShim.execution(session, plan).toRdd
    val parts = SparkTasks.partitions(session, s"$description, filter", rows)(
      NearestSearch.addresses
    )(_ => ())
    val byFragment = mutable.HashMap.empty[Long, RoaringBitmap]
    parts.foreach(_.foreach { case (fragment, offsets) =>
      byFragment.get(fragment).fold(byFragment(fragment) = offsets)(_.or(offsets))
    })
    RowSet.of(byFragment.iterator)
  }

  /** Compares the vectors of all rows.
    *
    * @param fragments ids of the fragments to search; `None`: all
    */
  private def exact(
      filter: Option[Expression],
      fragments: Option[IndexedSeq[Long]] = None
  ): IndexedSeq[Neighbors] = filter match {
    case None =>
      val all = source.scan(StructType(Nil))
      overFragments(fragments.fold(all) { ids =>
        all.copy(condition = RowCondition.in(MetadataColumn.FragId, ids))
      })
    case Some(matching) =>
      val condition =
        fragments.fold(matching)(ids => And(In(fragmentId, ids.map(Literal(_))), matching))
      val columns = Seq(MetadataColumn.RowAddr.name, MetadataColumn.RowId.name)
        .map(n => UnresolvedAttribute(Seq(n))) :+ UnresolvedAttribute(field.path)
      val execution =
        SessionShim.execution(session, Project(columns, Filter(condition, source.relation)))
      scanned(execution.optimizedPlan) match {
        case Some(Some(plan)) => overFragments(plan)
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

  private def none: IndexedSeq[Neighbors] = query.vectors.elements.map(_ => Neighbors.none)

  /** The scan that has all rows of a plan: none inside if it has no rows; none at all if Spark filters rows. */
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
    val computed = ExactTask.computed(table.hasStableRowIds)
    val plan =
      scan.copy(read = scan.read.copy(fields = IndexedSeq(field.pruned), computed = computed))
    val work = NearestSearch.ofFragments(task, plan.read, plan.store, table.path)
    merged(SparkTasks.run(session, description, plan.tasks)(work)(_ => ()))
  }

  private def merged(tasks: IndexedSeq[Array[Neighbors]]): IndexedSeq[Neighbors] =
    query.vectors.elements.indices.map(q =>
      Neighbors.merge(tasks.map(_(q)), query.numCandidates)
    )

  /** The rows for which a condition is true. */
  private def matching(
      found: IndexedSeq[Neighbors],
      condition: Expression
  ): IndexedSeq[Neighbors] = {
    val addresses = found.flatMap(_.addresses).distinct
    if (addresses.isEmpty) found
    else {
      val address = UnresolvedAttribute(Seq(MetadataColumn.RowAddr.name))
      val among = In(address, addresses.map(Literal(_)))
      val plan = Project(Seq(address), Filter(And(among, condition), source.relation))
      val rows = SessionShim.execution(session, plan).toRdd.map(_.getLong(0)).collect().toSet
      found.map(_.filter(rows))
    }
  }

  /** How the search is done, for `EXPLAIN`. */
  def shape: Seq[String] = Seq(
    s"nearest ${field.name} ($metric, k ${query.parameters.k}, " +
      index.fold("exact")(i => s"index ${i.name} ${i.kind}") + ")"
  ) ++ Optional.when(query.vectors.isBatch)(query.vectors.toString) ++
    query.filter.map(f => (if (query.prefilter) "prefilter " else "postfilter ") + f)
}

/** The work of tasks. It does not keep the search, which stays on the driver. */
private object NearestSearch {

  def ofFragments(
      task: ExactTask,
      read: ReadTask,
      store: FileStore,
      path: String
  ): IndexedSeq[FragmentScan] => Array[Neighbors] = scans => task(read, store, scans, path)

  /** Offsets of rows by the ids of their fragments, from rows of an address. */
  val addresses: Iterator[InternalRow] => Array[(Long, RoaringBitmap)] = { rows =>
    val byFragment = mutable.LongMap.empty[RoaringBitmap]
    rows.foreach { row =>
      val address = row.getLong(0)
      byFragment
        .getOrElseUpdate(RowAddress.fragmentId(address), new RoaringBitmap)
        .add(RowAddress.offset(address).toInt)
    }
    byFragment.toArray
  }

  def ofRows(
      task: ExactTask,
      vectorType: DataType
  ): Iterator[InternalRow] => Array[Neighbors] = rows => task(rows, vectorType)
}
