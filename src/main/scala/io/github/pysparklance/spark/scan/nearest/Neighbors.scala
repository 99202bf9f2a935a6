// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.vector.search.TopRows
import io.github.pysparklance.spark.scan.search.RankedRow
import io.github.pysparklance.table.rowid.RowAddress

/** The rows nearest to a query, nearest first. Rows at the same distance are ordered by id.
  *
  * @param rowIds stable row ids if the table has them, otherwise addresses
  * @param addresses addresses of the rows
  * @param distances distance of each row
  */
final private[nearest] class Neighbors(
    val rowIds: Array[Long],
    val addresses: Array[Long],
    val distances: Array[Float]
) extends Serializable {

  def numRows: Int = rowIds.length

  /** Returns the rows with their distances, in the same order. */
  def ranked(queryIndex: Int = 0): IndexedSeq[RankedRow] = (0 until numRows).map { i =>
    new RankedRow(rowIds(i), addresses(i), Array(distances(i)), queryIndex)
  }

  /** Returns the rows without the first `ranks` rows. */
  def drop(ranks: Int): Neighbors =
    if (ranks == 0) this
    else new Neighbors(rowIds.drop(ranks), addresses.drop(ranks), distances.drop(ranks))

  /** Returns the rows with accepted addresses. */
  def filter(accepts: Long => Boolean): Neighbors = {
    val kept = addresses.indices.filter(i => accepts(addresses(i))).toArray
    new Neighbors(kept.map(rowIds), kept.map(addresses), kept.map(distances))
  }

  /** Returns the nearest of these rows of an index and of rows that the index does not cover.
    *
    * @param uncovered ids of the fragments of the other rows. A segment may have become unreadable
    *   during a search, so that these rows may be among them, too
    */
  def mergedWith(other: Neighbors, uncovered: RoaringBitmap, limit: Int): Neighbors =
    Neighbors.merge(
      Seq(filter(a => !uncovered.contains(RowAddress.fragmentId(a).toInt)), other),
      limit
    )
}

private[nearest] object Neighbors {
  val none: Neighbors =
    new Neighbors(Array.emptyLongArray, Array.emptyLongArray, Array.emptyFloatArray)

  /** Returns the nearest rows of several searches without common rows. */
  def merge(parts: Seq[Neighbors], limit: Int): Neighbors = parts.filter(_.numRows > 0) match {
    case Nil => none
    case Seq(one) if one.numRows <= limit => one
    case several =>
      val all = new Collector(limit)
      several.foreach { part =>
        var i = 0
        while (i < part.numRows) {
          all.offer(part.distances(i), part.rowIds(i), part.addresses(i))
          i += 1
        }
      }
      all.result()
  }

  /** Keeps the nearest rows. Not thread-safe. Hot code.
    *
    * @param limit maximum number of rows to keep, at least 1
    */
  final class Collector(limit: Int) {
    private val top = new TopRows(limit)
    // Addresses of rows that are or were kept, if the id is not the address.
    private var addresses = mutable.LongMap.empty[Long]
    private val maxAddresses = math.max(2 * math.min(limit, Int.MaxValue / 2), 64)

    /** Whether [[offer]] may keep a row at this distance. */
    def mayKeep(distance: Float): Boolean = top.mayKeep(distance)

    def offer(distance: Float, rowId: Long, address: Long): Unit = {
      if (rowId != address && top.mayKeep(distance)) addresses(rowId) = address
      top.offer(distance, rowId)
      if (addresses.size > maxAddresses) prune()
    }

    /** Drops the addresses of rows that are no longer kept. */
    private def prune(): Unit = {
      val kept = mutable.LongMap.empty[Long]
      top.result().rows.foreach(id => addresses.get(id).foreach(kept(id) = _))
      addresses = kept
    }

    def result(): Neighbors = {
      val found = top.result()
      val at = if (addresses.isEmpty) found.rows
      else found.rows.map(id => addresses.getOrElse(id, id))
      new Neighbors(found.rows, at, found.distances)
    }
  }
}
