// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import scala.collection.mutable
import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{And, In, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Project}
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.spark.common.SparkTasks
import io.github.pysparklance.spark.scan.ScanPlan
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{FragmentScan, MetadataColumn, RowCondition}

/** Selects and reads rows of the searched table.
  *
  * @param description description of the Spark jobs
  */
final private[scan] class SourceRows(
    session: SparkSession,
    source: SearchSource,
    val description: String
) {

  /** Returns the analyzed plan of the rows that a filter selects.
    *
    * @throws org.apache.spark.sql.AnalysisException if it is not a condition on columns of the
    *   table
    */
  def where(filter: String): Filter = source.where(session, filter)

  private val known = mutable.HashMap.empty[String, AddressSet]

  /** Returns the addresses of the rows that a filter selects. Runs a job once for each filter. */
  def matching(filter: String): AddressSet =
    known.getOrElseUpdate(filter, addressesWhere(where(filter)))

  private def addressesWhere(selected: Filter): AddressSet = {
    val parts = SparkTasks.partitions(session, s"$description, filter", scanned(selected))(
      SourceRows.addresses
    )(_ => ())
    val byFragment = mutable.HashMap.empty[Long, RoaringBitmap]
    parts.foreach(_.foreach { case (fragment, offsets) =>
      byFragment.get(fragment).fold(byFragment(fragment) = offsets)(_.or(offsets))
    })
    AddressSet.of(byFragment.iterator)
  }

  /** Returns a predicate that accepts the addresses of matching rows.
    *
    * @param among addresses to test
    */
  def matching(filter: String, among: Seq[Long]): Long => Boolean = {
    val addresses = among.distinct
    if (addresses.isEmpty) _ => false
    else if (known.contains(filter) || addresses.length > SourceRows.maxLiterals) {
      val rows = matching(filter)
      rows.contains
    } else {
      val selected = where(filter)
      val among = And(In(address, addresses.map(Literal(_))), selected.condition)
      scanned(selected.copy(condition = among)).map(_.getLong(0)).collect().toSet
    }
  }

  private def scanned(selected: Filter): RDD[InternalRow] =
    SessionShim.execution(session, Project(Seq(address), selected)).toRdd

  private def address = UnresolvedAttribute(Seq(MetadataColumn.RowAddr.name))

  /** Reads rows in tasks, or a small number of rows in this process.
    *
    * @param scan scan of the rows
    * @param rowsOnDriver maximum number of rows to read in this process
    * @param work processes the rows of a task. Receives the path of the table. Must not reference
    *   the search
    */
  def overFragments[A <: AnyRef: ClassTag](
      scan: ScanPlan,
      rowsOnDriver: Long
  )(work: (ReadTask, FileStore, IndexedSeq[FragmentScan], String) => A): IndexedSeq[A] = {
    val tasks = scan.tasks
    val run = SourceRows.ofTask(work, scan.read, scan.store, source.table.path)
    def numRows = tasks.iterator.flatten.map(s => s.selection.fold(s.rows.numRows)(_.numRows)).sum
    if (tasks.isEmpty) IndexedSeq.empty
    else if (numRows <= rowsOnDriver) IndexedSeq(run(tasks.flatten))
    else SparkTasks.run(session, description, tasks)(run)(_ => ())
  }
}

private[scan] object SourceRows {

  /** Maximum number of addresses in a condition. With more, the filter is evaluated on all rows. */
  private val maxLiterals = 1000

  // The work of tasks does not reference the search, which stays on the driver.

  private def ofTask[A](
      work: (ReadTask, FileStore, IndexedSeq[FragmentScan], String) => A,
      read: ReadTask,
      store: FileStore,
      path: String
  ): IndexedSeq[FragmentScan] => A = scans => work(read, store, scans, path)

  /** Collects the offsets of rows by fragment id, from rows that contain an address. */
  private val addresses: Iterator[InternalRow] => Array[(Long, RoaringBitmap)] = { rows =>
    val byFragment = mutable.LongMap.empty[RoaringBitmap]
    rows.foreach { row =>
      val address = row.getLong(0)
      byFragment
        .getOrElseUpdate(RowAddress.fragmentId(address), new RoaringBitmap)
        .add(RowAddress.offset(address).toInt)
    }
    byFragment.toArray
  }
}

/** Rows by their addresses.
  *
  * @param rows `None` for all
  * @param fragments ids of the fragments; `None` for all
  */
final private[scan] case class RowsAt(rows: Option[AddressSet], fragments: Option[IndexedSeq[Long]])
    extends RowCondition {
  override def maxRows(all: Long): Long = rows.fold(all)(r => math.min(all, r.numRows))

  override def select(table: LanceTable): IndexedSeq[RowSelection] = {
    val wanted = fragments.map(_.toSet)
    table.fragments.map { f =>
      if (wanted.exists(ids => !ids(f.id))) RowSelection.empty
      else
        rows.fold(RowSelection.of(RowRange(0, table.physicalRows(f)))) { r =>
          RowSelection.of(r.offsets(f.id).toArray.map(_ & 0xffffffffL))
        }
    }
  }

  override def isStable(table: LanceTable): Boolean = false

  override def toString: String =
    (rows.map(r => s"${r.numRows} rows") ++ fragments.map(f => s"${f.length} fragments"))
      .mkString(" of ")
}
