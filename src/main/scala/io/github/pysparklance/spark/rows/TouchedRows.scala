// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rows

import java.nio.ByteBuffer

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.rowid.RowAddress

/** Collects the rows that a task removes from their fragments. Hot code. Not thread-safe. */
final private[spark] class TouchedRows {
  private val byFragment = mutable.LongMap.empty[RoaringBitmap]
  private var fragmentId = -1L
  private var offsets: RoaringBitmap = null

  /** Adds a row.
    *
    * @param address row address, see [[RowAddress]]
    * @return `false` if the row was already added
    */
  def add(address: Long): Boolean = {
    val id = RowAddress.fragmentId(address)
    if (id != fragmentId) {
      fragmentId = id
      offsets = byFragment.getOrElseUpdate(id, new RoaringBitmap)
    }
    offsets.checkedAdd(RowAddress.offset(address).toInt)
  }

  /** Returns the offsets by fragment id, each as a portable Roaring bitmap. */
  def toBytes: Map[Long, Array[Byte]] = byFragment.iterator.map { case (id, rows) =>
    rows.runOptimize(): Unit
    val bytes = new Array[Byte](rows.serializedSizeInBytes)
    rows.serialize(ByteBuffer.wrap(bytes))
    id -> bytes
  }.toMap
}

/** Merges the rows of tasks. */
private[spark] object TouchedRows {

  /** Returns the union of the rows of all tasks.
    *
    * @param parts results of [[TouchedRows.toBytes]]
    */
  def union(parts: Iterable[Map[Long, Array[Byte]]]): Map[Long, DeletionVector] = {
    val all = mutable.LongMap.empty[RoaringBitmap]
    for (part <- parts; (id, bytes) <- part) {
      val rows = new RoaringBitmap
      rows.deserialize(ByteBuffer.wrap(bytes))
      all.getOrElseUpdate(id, new RoaringBitmap).or(rows)
    }
    all.iterator.map { case (id, rows) => id -> DeletionVector.of(rows) }.toMap
  }
}
