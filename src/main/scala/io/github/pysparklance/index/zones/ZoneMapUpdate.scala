// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.zones

import java.io.{IOException, InterruptedIOException}
import java.util.UUID

import scala.util.control.NonFatal

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Interrupts, LanceException, Log, Optional}
import io.github.pysparklance.index.scalar.{ColumnZones, ZoneMap}
import io.github.pysparklance.index.spi.NewSegment
import io.github.pysparklance.index.{IndexDefinition, ScalarIndex, ScalarIndices}
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.Retry
import io.github.pysparklance.table.transaction.operation.CreateIndex
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}

/** Adds the zones of new fragments to the zone maps of a table. This needs a separate commit,
  * because no operation of the format adds both rows and index segments.
  *
  * {{{
  *   segment of the version   fragments 0 1 2        |
  *   zones of the tasks       fragments 3 4          |--> one segment   fragments 0 1 2 3 4
  * }}}
  * An index has a single segment, because `optimize_indices` of pylance 4 and 6 fails for scalar
  * indices with several segments. Above [[ZoneMapUpdate.zonesOfOne]] zones, an update merges only
  * segments of about the size of the new one. The number of segments then grows logarithmically.
  */
private[pysparklance] object ZoneMapUpdate {
  private val log = Log(getClass)

  /** Up to this number of zones, an index has one segment. This is about half a billion rows and a
    * few megabytes.
    */
  val zonesOfOne: Long = 1L << 16

  /** Adds the zones. Logs failures instead of throwing them, because the rows are already
    * committed, and fragments without index coverage are scanned.
    *
    * @param table the version with the new rows
    * @return the new version, or `table` if nothing was committed
    */
  def apply(
      table: LanceTable,
      zones: Seq[FragmentZones],
      oneSegment: Long = zonesOfOne
  ): LanceTable =
    if (zones.forall(_.columns.isEmpty)) table
    else
      try {
        var next = Option(table)
        def version(): LanceTable = {
          val now = next.getOrElse(table.latest)
          next = None
          now
        }
        Retry()(version())(new ZoneMapUpdate(_, zones, oneSegment).run())
      } catch {
        case e @ (_: InterruptedException | _: InterruptedIOException) =>
          log.warn(s"${table.path}: interrupted, zone maps do not cover the new rows", e)
          Thread.currentThread.interrupt()
          table
        case NonFatal(e) =>
          log.warn(
            s"${table.path}: the rows are committed, but zone maps do not cover them: ${e.getMessage}; " +
              "OPTIMIZE INDEX adds them",
            e
          )
          table
      }
}

/** An attempt to commit.
  *
  * @param table the latest version
  */
final private class ZoneMapUpdate(
    table: LanceTable,
    zones: Seq[FragmentZones],
    oneSegment: Long
) {
  import ZoneMapUpdate.log

  private val indices = new ScalarIndices(table)
  private val known = indices.indices.filter(_.kind == ZoneMap)

  def run(): LanceTable = {
    val written = IndexedSeq.newBuilder[UUID]
    UncommittedFiles.removedOnFailure(written.result().foreach(remove)) {
      val changes = newFragments.toSeq.sortBy(_._1).flatMap { case (fieldId, added) =>
        definition(fieldId).flatMap { case (index, of) =>
          val present = of.toSeq.flatMap(covered)
          // A concurrent writer may have added the same fragments.
          val open = added.filterNot(a => present.exists(_._2.contains(a._1.toInt)))
          Optional.unless(open.isEmpty)(change(index, present, open, written += _))
        }
      }
      if (changes.isEmpty) table
      else table.commit(CreateIndex(changes.map(_._1), changes.flatMap(_._2)))
    }
  }

  private def remove(uuid: UUID): Unit =
    UncommittedFiles.removeSegment(table.store, table.path, uuid)

  /** Returns the zones of fragments that the version has, by field, in the order of fragment ids.
    */
  private def newFragments: Map[Int, Seq[(Long, ColumnZones)]] = {
    val wanted = zones.iterator.map(_.file).toSet
    val present = table.fragments.iterator
      .flatMap(f => f.files.iterator.filter(file => wanted(file.path)).map(_ -> f))
      .map { case (file, fragment) => file.path -> (file.fields.toSet -> fragment) }
      .toMap
    val found = for {
      written <- zones
      (fields, fragment) <- present.get(written.file).toSeq
      column <- written.columns
      if fields(column.fieldId) && isOf(column, fragment)
    } yield (column.fieldId, fragment.id, column.zones)
    found.groupBy(_._1).map { case (id, its) => id -> its.map(z => (z._2, z._3)).sortBy(_._1) }
  }

  private def isOf(column: FragmentColumn, fragment: Fragment): Boolean =
    fragment.physicalRows.contains(column.zones.numRows) &&
      (column.isRequested || !table.hasStableRowIds)

  /** Returns the existing zone map of a field, or the definition of a new one. */
  private def definition(fieldId: Int): Option[(IndexDefinition, Option[ScalarIndex])] =
    known.find(_.fieldId == fieldId) match {
      case Some(index) => Some(IndexDefinition.of(table, index) -> Some(index))
      case None =>
        table.schema.way(fieldId).map { way =>
          val column = FieldPath(way.map(_.name))
          val index =
            IndexDefinition.create(table, freeName(column), ZoneMap, column, Map.empty)
          index -> None
        }
    }

  /** Returns an unused name. Avoids pylance's default `<column>_idx`, so that it stays available to
    * users.
    */
  private def freeName(column: FieldPath): String = {
    val taken = table.indices.iterator.map(_.name).toSet
    val base = s"${column}_zonemap"
    Iterator.from(1).map(i => if (i == 1) base else s"${base}_$i").find(!taken(_)).get
  }

  /** Returns the segments of an index that can be merged, with the fragments that they cover,
    * latest first.
    */
  private def covered(index: ScalarIndex): Seq[(IndexSegment, RoaringBitmap)] =
    index.segments
      .sortBy(s => (s.datasetVersion, s.createdAtMillis))
      .reverse
      .flatMap(s => coverage(s).map(s -> _))

  /** Writes the new segment of an index.
    *
    * @param present see [[covered]]
    * @return the new segment, and the segments that it replaces
    */
  private def change(
      index: IndexDefinition,
      present: Seq[(IndexSegment, RoaringBitmap)],
      added: Seq[(Long, ColumnZones)],
      started: UUID => Unit
  ): (IndexSegment, Seq[IndexSegment]) = {
    val merged = chosen(present, ZoneMap.rowsPerZone(index.parameters), added)
    val uuid = UUID.randomUUID()
    started(uuid)
    val into = new NewSegment(
      table.store,
      IndexSegment.newFolder(table.root, uuid),
      NewSegment.fileVersion(table.fileVersion)
    )
    val sources =
      merged.collect { case (s, covered) if !covered.isEmpty => indices.source(s, covered) }
    ZoneMap.extend(sources, added, index.field, index.parameters, into)
    val coverage = new RoaringBitmap
    merged.foreach(m => coverage.or(m._2))
    added.foreach(a => coverage.add(a._1.toInt))
    (index.segment(uuid, table, coverage, into.files), merged.map(_._1))
  }

  /** Returns the segments to merge with the new zones, and the fragments that they cover, oldest
    * first.
    */
  private def chosen(
      present: Seq[(IndexSegment, RoaringBitmap)],
      rowsPerZone: Int,
      added: Seq[(Long, ColumnZones)]
  ): Seq[(IndexSegment, RoaringBitmap)] = {
    val known = present.map { case (s, c) => (s, c, numZones(c, rowsPerZone)) }
    val sizes = known.scanLeft(added.map(_._2.bounds.length.toLong).sum)((sum, k) => sum + k._3)
    known
      .zip(sizes)
      .takeWhile { case ((_, _, size), sum) => sum + size <= oneSegment || size <= sum }
      .map { case ((s, c, _), _) => (s, c) }
      .reverse
  }

  /** Returns `None` if the segment cannot be merged. */
  private def coverage(segment: IndexSegment): Option[RoaringBitmap] =
    try
      if (ZoneMap.isMergeable(indices.filesOf(segment))) Some(indices.covered(ZoneMap, segment))
      else None
    catch {
      case e if Interrupts.isCauseOf(e) => throw e
      case e @ (_: LanceException | _: IOException) =>
        log.warn(
          s"${table.path}: segment ${segment.uuid} of index ${segment.name} cannot be read and stays as it is",
          e
        )
        None
    }

  private def numZones(covered: RoaringBitmap, rowsPerZone: Int): Long =
    table.fragments.iterator
      .filter(f => covered.contains(f.id.toInt))
      .map(f => (table.physicalRows(f) + rowsPerZone - 1) / rowsPerZone)
      .sum
}
