// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.io.IOException
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.core.{Interrupts, InvalidRequestException, LanceException, Log}
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.storage.MeteredStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The files of the index segments of a version of a table, read through a cache.
  *
  * @param meter counts reads and cache hits
  */
final private[index] class SegmentFiles(table: LanceTable, meter: IndexMeter, cache: IndexCache) {
  private val store = new MeteredStore(table.store, meter.reads)

  private val known = new ConcurrentHashMap[UUID, IndexFiles]

  /** Returns the files of a segment. */
  def of(segment: IndexSegment): IndexFiles = known.computeIfAbsent(
    segment.uuid,
    _ =>
      new IndexFiles(
        store,
        table.indexFolder(segment),
        segment.details,
        segment.indexVersion,
        segment.fileSizes,
        (cache, meter)
      )
  )

  /** Returns `None` and logs a warning if the files of a segment cannot be read.
    *
    * @throws InvalidRequestException if `read` throws it, because then the request is at fault
    */
  def readable[A](segment: IndexSegment)(read: => A): Option[A] =
    SegmentFiles.readable(table, segment)(read)
}

private[index] object SegmentFiles {
  private val log = Log(classOf[SegmentFiles])

  /** Returns `None` and logs a warning if the files of a segment cannot be read.
    *
    * @throws InvalidRequestException if `read` throws it, because then the request is at fault
    */
  def readable[A](table: LanceTable, segment: IndexSegment)(read: => A): Option[A] =
    try Some(read)
    catch {
      case e if Interrupts.isCauseOf(e) => throw e
      case e: InvalidRequestException => throw e
      case e @ (_: LanceException | _: IOException) =>
        log.warn(
          s"the index ${segment.name} of ${table.path} is not used, as its segment ${segment.uuid} cannot be read: " +
            e.getMessage,
          e
        )
        None
    }

  /** Returns the files of a segment without a cache, such as for tasks. */
  def uncached(table: LanceTable, segment: IndexSegment): IndexFiles = new IndexFiles(
    table.store,
    table.indexFolder(segment),
    segment.details,
    segment.indexVersion,
    segment.fileSizes
  )
}
