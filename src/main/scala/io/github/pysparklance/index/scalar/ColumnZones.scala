// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import java.nio.ByteBuffer

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Column, Optional, RowRange}
import io.github.pysparklance.index.spi.{KeyType, RowSet}

/** The zones of a column of a new fragment, computed by the task that wrote the fragment.
  *
  * {{{
  *   rows    | 0 .. rowsPerZone | .. 2 * rowsPerZone | .. numRows |
  *   bounds  | 0                | 1                  | 2          |
  * }}}
  * @param numRows rows of the fragment, without deletions
  * @param nullOffsets offsets of null rows, as a portable Roaring bitmap
  */
final case class ColumnZones(
    numRows: Long,
    rowsPerZone: Int,
    bounds: IndexedSeq[ZoneBounds],
    nullOffsets: Array[Byte]
) {

  /** Runs `f` on each zone. */
  def foreach(f: (RowRange, ZoneBounds) => Unit): Unit = bounds.indices.foreach { i =>
    val from = i.toLong * rowsPerZone
    f(RowRange(from, math.min(from + rowsPerZone, numRows)), bounds(i))
  }

  /** Returns the null rows as addresses in the fragment with this id. */
  def nullRows(fragmentId: Long): RowSet = {
    val rows = new RoaringBitmap
    rows.deserialize(ByteBuffer.wrap(nullOffsets))
    if (rows.isEmpty) RowSet.empty else RowSet.of(Iterator.single(fragmentId -> rows))
  }
}

/** Builds the zones of columns. */
object ColumnZones {

  /** Fragments with longer bounds get no zones, because the driver collects the zones of all tasks.
    * Long bounds cannot be omitted: pylance skips zones without bounds.
    */
  private val maxBoundBytes = 4096

  /** Computes the zones of a column, fragment by fragment. Hot code, not thread-safe. */
  final class Builder(keyType: KeyType, rowsPerZone: Int) {
    private val bounds = new ZoneBounds.Builder(keyType)
    private val zones = mutable.ArrayBuffer.empty[ZoneBounds]
    private var nulls = new RoaringBitmap
    private var numRows = 0L
    private var inZone = 0
    private var hasLongBound = false

    /** Adds rows.
      *
      * @param values values of the column
      * @param parents enclosing structs that have nulls
      */
    def add(values: Column, parents: Seq[Column], rows: Int): Unit = {
      val keys = keyType.keys(values)
      val hasNulls = values.hasNulls || parents.nonEmpty
      var from = 0
      while (from < rows) {
        val until = math.min(rows, from + rowsPerZone - inZone)
        if (hasNulls) {
          var row = from
          while (row < until) {
            if (values.isNull(row) || parents.exists(_.isNull(row))) {
              bounds.addNull()
              nulls.add((numRows + row).toInt)
            } else bounds.add(keys, row)
            row += 1
          }
        } else bounds.addAll(keys, from, until)
        inZone += until - from
        if (inZone == rowsPerZone) endZone()
        from = until
      }
      numRows += rows
    }

    private def endZone(): Unit = {
      val zone = bounds.result()
      if (zone.isLongerThan(maxBoundBytes)) hasLongBound = true
      if (hasLongBound) zones.clear() else zones += zone
      inZone = 0
    }

    /** Returns the zones of the fragment, or `None` if a bound is too long. Starts the next
      * fragment.
      */
    def result(): Option[ColumnZones] = {
      if (inZone > 0) endZone()
      nulls.runOptimize(): Unit
      val bytes = new Array[Byte](nulls.serializedSizeInBytes)
      nulls.serialize(ByteBuffer.wrap(bytes))
      val all = ColumnZones(numRows, rowsPerZone, zones.toIndexedSeq, bytes)
      val isKept = !hasLongBound
      zones.clear()
      nulls = new RoaringBitmap
      numRows = 0L
      hasLongBound = false
      Optional.when(isKept)(all)
    }
  }
}
