// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.util.UUID

import scala.collection.mutable
import scala.util.Using

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.{BinaryType, LongType, StructType}

import io.github.pysparklance.index.scalar.{BTree, BTreePages}
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.{IndexDefinition, IndexEntries, IndexedFragments}
import io.github.pysparklance.spark.common.SparkTasks
import io.github.pysparklance.spark.shim.{Frames, SessionShim}
import io.github.pysparklance.table.UncommittedFiles

/** Writes segments of an index in Spark tasks. Each attempt of a task writes to files of its own, and removes them if it
  * fails.
  *
  * {{{
  *   BTREE        read fragments -> sort by value and row, in ranges -> pages of each range -> table of the pages
  *   other kinds  read fragments -> a segment for each run of fragments -> one segment of all
  * }}}
  *
  * @param rowsPerRange rows of a range of a BTREE index
  */
final private[jobs] class IndexBuild(on: JobTable, index: IndexDefinition, rowsPerRange: Long) {
  private val output =
    IndexOutput(on.taskStore, on.table.root, NewSegment.fileVersion(on.table.fileVersion))
  private val path: String = on.table.path

  /** Builds one segment.
    *
    * @param fragments their positions in the table, ascending
    */
  def run(fragments: Seq[Int]): BuiltSegment = index.kind match {
    case BTree => sorted(fragments)
    case kind: GatheredIndexKind => gathered(kind, fragments)
    case other => throw new IllegalStateException(s"no job builds a ${other.name} index")
  }

  /** Writes one segment with the rows of several. */
  def merge(sources: Seq[SegmentSource]): BuiltSegment = {
    val (definition, out) = (index, output)
    val read = sources.map(_.on(out.store)).toList
    SparkTasks.run(
      on.session,
      s"merging ${sources.length} segments of index ${index.name} of $path",
      IndexedSeq(read)
    ) { its =>
      out.write(definition.kind.merge(its, definition.field, definition.parameters, _))
    }(built => out.remove(built.uuid)).head
  }

  /** The files of a segment, to be read. */
  def files(segment: BuiltSegment): IndexFiles = output.files(segment)

  /** Removes a segment that no version will name. */
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

  /** Runs of neighboring fragments with about as many rows as one another; one, empty or not, at least. */
  private def batches(fragments: Seq[Int]): IndexedSeq[IndexedFragments] = {
    val rows = fragments.map(i => on.table.physicalRows(on.table.fragments(i)))
    val tasks = math.max(
      1L,
      math.min(
        IndexBuild.tasksPerCore.toLong * on.session.sparkContext.defaultParallelism,
        rows.sum / IndexBuild.leastRowsPerTask
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

  private def sorted(fragments: Seq[Int]): BuiltSegment = {
    val (reader, isNumber) = (output.store, keyType.isNumber)
    val entries = SparkTasks.rows(on.session, batches(fragments)) { batch =>
      IndexBuild.rows(batch.entries(reader))
    }
    val columns = new StructType()
      .add("key", if (isNumber) LongType else BinaryType)
      .add("row", LongType, nullable = false)
    val order = Seq(col("key"), col("row"))
    val numRows = fragments.map(i => on.table.physicalRows(on.table.fragments(i))).sum
    val ranges = math.max(1L, (numRows + rowsPerRange - 1) / rowsPerRange).toInt
    val rows = SparkTasks.described(on.session.sparkContext, description(fragments)) {
      Frames.rows(
        SessionShim
          .frame(on.session, entries, columns)
          .repartitionByRange(ranges, order: _*)
          .sortWithinPartitions(order: _*)
      )
    }
    rows.getNumPartitions match {
      case 0 => empty
      case 1 => inOneRange(rows, fragments)
      case _ => inRanges(rows, fragments)
    }
  }

  /** A BTREE index without entries. */
  private def empty: BuiltSegment = output.write { into =>
    val pages = IndexBuild.pages(index, Iterator.empty, isNumber = true, None, into)
    BTree.writeLookup(index.field, index.parameters, Seq(pages), into)
  }

  private def keyType: KeyType = KeyType.of(index.field.logicalType).get

  private def inOneRange(
      rows: RDD[InternalRow],
      fragments: Seq[Int]
  ): BuiltSegment = {
    val (definition, out, isNumber) = (index, output, keyType.isNumber)
    SparkTasks.partitions(on.session, description(fragments), rows) { entries =>
      out.write { into =>
        val pages = IndexBuild.pages(definition, entries, isNumber, None, into)
        BTree.writeLookup(definition.field, definition.parameters, Seq(pages), into)
      }
    }(built => out.remove(built.uuid)).head
  }

  /** All attempts write to the folder of the segment, each to a file with its own id. */
  private def inRanges(
      rows: RDD[InternalRow],
      fragments: Seq[Int]
  ): BuiltSegment = {
    val built = UUID.randomUUID()
    val (definition, out, isNumber) = (index, output, keyType.isNumber)
    val ranges = SparkTasks.partitions(on.session, description(fragments), rows) { entries =>
      if (entries.isEmpty) BuiltRange.empty
      else {
        val into = out.folder(built)
        val id = TaskContext.get().taskAttemptId()
        val pages = IndexBuild.pages(definition, entries, isNumber, Some(id), into)
        BuiltRange(Some(pages), into.files)
      }
    } { range =>
      val folder = out.folder(built).folder
      range.files.foreach(f => out.store.discard(folder.resolve(f.name)))
    }
    val pages = ranges.flatMap(_.pages)
    if (pages.isEmpty) empty
    else {
      val into = output.folder(built)
      UncommittedFiles.removedOnFailure(output.remove(built)) {
        BTree.writeLookup(index.field, index.parameters, pages, into)
      }
      BuiltSegment(built, ranges.flatMap(_.files) ++ into.files)
    }
  }
}

private object IndexBuild {
  private val tasksPerCore = 2
  private val leastRowsPerTask = 50000L

  /** Entries as rows, one object for all. */
  def rows(entries: IndexEntries): Iterator[InternalRow] = {
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => entries.close()))
    val row = new GenericInternalRow(2)
    Iterator
      .continually(entries.next())
      .takeWhile(identity)
      .map { _ =>
        entries.key match {
          case Some(NumberKey(value)) => row.update(0, value)
          case Some(bytes: BytesKey) => row.update(0, bytes.bytes)
          case None => row.setNullAt(0)
        }
        row.update(1, entries.row)
        row
      }
  }

  /** Writes the pages of sorted rows. */
  def pages(
      index: IndexDefinition,
      rows: Iterator[InternalRow],
      isNumber: Boolean,
      id: Option[Long],
      into: NewSegment
  ): BTreePages = Using.resource(BTree.writer(index.field, index.parameters, id, into)) { writer =>
    rows.foreach { row =>
      val key =
        if (row.isNullAt(0)) None
        else if (isNumber) Some(NumberKey(row.getLong(0)))
        else Some(new BytesKey(row.getBinary(0)))
      writer.append(key, row.getLong(1))
    }
    writer.finish()
  }
}

/** What a task wrote of a BTREE index.
  *
  * @param pages none: there are no rows
  */
final private[jobs] case class BuiltRange(pages: Option[BTreePages], files: Seq[SegmentFile])

private object BuiltRange {
  val empty: BuiltRange = BuiltRange(None, Nil)
}
