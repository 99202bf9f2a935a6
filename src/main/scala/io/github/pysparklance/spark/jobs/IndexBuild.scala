// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import scala.collection.mutable
import scala.util.Using

import io.github.pysparklance.index.scalar.BTree
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.{IndexDefinition, IndexedFragments, SegmentMerge}
import io.github.pysparklance.spark.common.SparkTasks

/** Writes index segments in Spark tasks. Each task attempt writes its own files, and removes them
  * if it fails.
  *
  * {{{
  *   BTREE        see SortedBuild
  *   INVERTED     see PartitionedBuild
  *   other kinds  read fragments -> a segment for each run of fragments -> one segment of all
  * }}}
  *
  * @param rowsPerRange rows per range of a BTREE index
  * @param isExact whether the segments to merge have no outdated entries; the files record it
  */
final private[jobs] class IndexBuild(
    on: JobTable,
    index: IndexDefinition,
    rowsPerRange: Long,
    isExact: Boolean
) {
  import IndexBuild._

  private val output = IndexOutput(
    on.taskStore,
    on.table.root,
    NewSegment.fileVersion(on.table.fileVersion),
    isExact,
    index.hasAddresses
  )
  private val path: String = on.table.path

  /** Builds a segment.
    *
    * @param fragments positions of the fragments in the table, ascending
    */
  def run(fragments: Seq[Int]): BuiltSegment = index.kind match {
    case BTree => sorted.run(fragments, description(fragments))
    case kind: GatheredIndexKind => gathered(kind, fragments)
    case kind: PartitionedIndexKind =>
      new PartitionedBuild(on, index, kind, output).run(fragments, description(fragments))
    case other => throw new IllegalStateException(s"no job builds a ${other.name} index")
  }

  /** Merges segments into one: small ones on the driver, which takes less time than a Spark job. */
  def merge(sources: Seq[SegmentSource]): BuiltSegment = {
    val segments = if (sources.length == 1) "a segment" else s"${sources.length} segments"
    val description = s"merging $segments of index ${index.name} of $path"
    if (index.kind == BTree) sorted.merge(sources, description)
    else {
      val (definition, out) = (index, output)
      val read = sources.map(_.on(out.store)).toList
      val merged = (its: List[SegmentSource]) =>
        out.write(definition.kind.merge(its, definition.field, definition.parameters, _))
      if (
        read.forall(_.files.numBytes.nonEmpty) && read.flatMap(_.files.numBytes).sum <= smallBytes
      )
        merged(read)
      else
        SparkTasks.run(on.session, description, IndexedSeq(read))(merged)(built =>
          out.remove(built.uuid)
        ).head
    }
  }

  private def sorted: SortedBuild = new SortedBuild(on, index, output, rowsPerRange)

  /** Returns the files of a segment, for reading. */
  def files(segment: BuiltSegment): IndexFiles = output.files(segment)

  /** Removes an uncommitted segment. */
  def remove(segment: BuiltSegment): Unit = output.remove(segment.uuid)

  private def description(fragments: Seq[Int]): String =
    s"building ${index.kind.name} index ${index.name} on ${fragments.length} fragments of $path"

  private def gathered(kind: GatheredIndexKind, fragments: Seq[Int]): BuiltSegment = {
    val (definition, out) = (index, output)
    val parts = SparkTasks.run(on.session, description(fragments), batches(fragments)) { batch =>
      out.write { into =>
        Using.resource(kind.builder(definition.field, definition.parameters, into)) { builder =>
          batch.foreachBatch(out.store)(builder.add)
          builder.finish()
        }
      }
    }(built => out.remove(built.uuid))
    if (parts.length == 1) parts.head
    else
      try
        merge(parts.map { part =>
          SegmentSource(output.files(part), RowTransfer.All)
        })
      finally parts.foreach(remove)
  }

  /** Groups adjacent fragments into parts with about the same number of rows. Returns at least one
    * part, which may be empty.
    */
  private[jobs] def batches(fragments: Seq[Int]): IndexedSeq[IndexedFragments] = {
    val rows = fragments.map(i => on.table.physicalRows(on.table.fragments(i)))
    val tasks = math.max(
      1L,
      math.min(
        tasksPerCore.toLong * on.session.sparkContext.defaultParallelism,
        rows.sum / leastRowsPerTask
      )
    )
    val target = math.max(1L, (rows.sum + tasks - 1) / tasks)
    val found = mutable.ArrayBuffer(mutable.ArrayBuffer.empty[Int])
    var inLast = 0L
    fragments.zip(rows).foreach { case (fragment, n) =>
      if (found.last.nonEmpty && inLast + n / 2 >= target) {
        found += mutable.ArrayBuffer.empty
        inLast = 0L
      }
      found.last += fragment
      inLast += n
    }
    found.map(its => IndexedFragments(on.table, index, its.toList)).toIndexedSeq
  }
}

/** Creates index builds. */
private[jobs] object IndexBuild {
  private val tasksPerCore = 2
  private val leastRowsPerTask = 50000L

  /** Segments of up to this size in total are merged on the driver. */
  private val smallBytes = 4L << 20

  /** Returns a merge of segments of any index of a table, which runs in Spark tasks. */
  def merging(on: JobTable): SegmentMerge = (table, index, sources, isExact) => {
    val build =
      new IndexBuild(on.copy(table = table), index, IndexRequest.defaultRowsPerRange, isExact)
    val merged = build.merge(sources)
    (merged.uuid, merged.files)
  }
}
