// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import scala.util.Using

import io.github.pysparklance.core.{
  BlobField,
  BlobMode,
  Column,
  NullColumn,
  Place,
  RowRange,
  Schema
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.blob.AllowedUris
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.{
  FragmentSummaries,
  FragmentSummary,
  FragmentWriter,
  UncommittedFiles
}

/** Rewrites some fragments as new ones. Runs anywhere, independently of the other tasks of the
  * plan. Nothing is visible before the results are committed.
  *
  * @param path path of the table or branch
  * @param schema schema of the table
  * @param fileVersion file version of the new files
  * @param sources sources in the order of the table, with their lineage
  * @param liveRows total number of live rows
  * @param summaries collects summaries of the new files; `None` if they are not used
  */
final case class CompactionTask(
    path: String,
    readVersion: Long,
    schema: Schema,
    fileVersion: FileVersion,
    hasStableRowIds: Boolean,
    sources: IndexedSeq[FragmentScan],
    liveRows: Long,
    options: CompactionOptions,
    summaries: Option[FragmentSummaries] = None
) {

  /** Returns this task with permission to read external blobs from these locations. */
  def allowing(uris: AllowedUris): CompactionTask = copy(sources = sources.map(_.allowing(uris)))

  /** Writes the live rows of the fragments in order to new files, with the bytes of their blobs.
    * External blobs are stored in the table afterwards.
    *
    * @throws io.github.pysparklance.core.LanceException if a file cannot be read; the new files are
    *   removed
    */
  def run(store: FileStore): CompactionResult = {
    val place = Place(path = Some(path), version = Some(readVersion))
    val (written, inline) = Place.in(place) {
      PageCopy.run(store, this).map(_ -> IndexedSeq.empty).getOrElse(rewritten(store))
    }
    try {
      val added = if (hasStableRowIds) withLineage(store, written) else written
      val statistics =
        if (inline.nonEmpty) inline
        else summaries.fold(IndexedSeq.empty[FragmentSummary]) { s =>
          Place.in(place)(written.map(summarized(store, _, s)))
        }
      CompactionResult(readVersion, sources.map(_.fragment), added, statistics)
    } catch {
      case e: Exception =>
        UncommittedFiles.remove(store, path, written)
        throw e
    }
  }

  /** Number of rows in each new fragment, divided evenly, so that none is much larger than the
    * target and the last is not small.
    */
  private[maintenance] def outputRows: IndexedSeq[Long] =
    if (liveRows == 0) IndexedSeq.empty
    else {
      val n = math.max(1L, liveRows / math.max(1L, options.targetRowsPerFragment))
      (0L until n).map(i => liveRows / n + (if (i < liveRows % n) 1 else 0))
    }

  private def withLineage(store: FileStore, written: IndexedSeq[Fragment]): IndexedSeq[Fragment] = {
    val lineage = MovedLineage.read(store, sources)
    val starts = written.scanLeft(0L)(_ + _.physicalRows.getOrElse(0L))
    written.indices.map(i => lineage.put(written(i), starts(i)))
  }

  /** Returns the summary of a file with copied pages. */
  private def summarized(
      store: FileStore,
      written: Fragment,
      by: FragmentSummaries
  ): FragmentSummary = {
    val file = written.files.head
    val builder = by.builder()
    val scan = FragmentScan(
      written,
      IndexedSeq(FragmentWriter.folder(TablePath(path), None).resolve(file.path)),
      None,
      RowRange(0, written.physicalRows.getOrElse(0L)),
      sources.head.blobBases
    )
    val read = schema.fields.indices.filter(by.positions)
    val fields = read.map(schema.fields)
    Using.resource(FragmentReader.open(store, scan, fields, batchRows = options.batchSize)) { in =>
      while (in.next()) {
        val columns = schema.fields.indices.map { i =>
          if (by.positions(i)) in.columns(read.indexOf(i)) else NullColumn(in.numRows)
        }
        builder.add(columns, in.numRows)
      }
    }
    builder.finish(file.path)
  }

  private def rewritten(store: FileStore): (IndexedSeq[Fragment], IndexedSeq[FragmentSummary]) = {
    val fields = schema.fields.map(BlobField.in(BlobMode.Content))
    val out = new CompactionOutput(store, this)
    try {
      val live = new LiveRows(fields)
      sources.foreach { scan =>
        Place.in(scan.place) {
          Using.resource(FragmentReader.open(store, scan, fields, batchRows = options.batchSize)) {
            in =>
              while (in.next()) {
                var done = 0
                while (done < in.numLive) {
                  val n = math.min(out.roomInFile, (in.numLive - done).toLong).toInt
                  // Whole batches are not copied.
                  val columns =
                    if (in.live == null && n == in.numRows) in.columns
                    else live.take(in.columns, in.live, done, n)
                  out.write(columns, n)
                  done += n
                }
              }
          }
        }
      }
      out.finish()
    } catch {
      case e: Exception =>
        out.abort()
        throw e
    }
  }
}

/** The result of a task.
  *
  * @param readVersion the version that the plan is based on
  * @param newFragments without ids
  * @param summaries summaries of the new files; empty if the task collects none
  */
final case class CompactionResult(
    readVersion: Long,
    oldFragments: IndexedSeq[Fragment],
    newFragments: IndexedSeq[Fragment],
    summaries: IndexedSeq[FragmentSummary] = IndexedSeq.empty
) {

  /** Numbers of changed files and fragments. */
  def metrics: CompactionMetrics = {
    def files(fs: IndexedSeq[Fragment]): Long =
      fs.map(f => f.files.length.toLong + f.deletionFile.size).sum
    CompactionMetrics(
      oldFragments.length.toLong,
      newFragments.length.toLong,
      files(oldFragments),
      files(newFragments)
    )
  }
}

/** Numbers of files and fragments that compactions changed.
  *
  * @param filesRemoved includes deletion files; they remain in the storage until a clean-up
  */
final case class CompactionMetrics(
    fragmentsRemoved: Long = 0,
    fragmentsAdded: Long = 0,
    filesRemoved: Long = 0,
    filesAdded: Long = 0
) {

  /** Adds both metrics. */
  def +(o: CompactionMetrics): CompactionMetrics = CompactionMetrics(
    fragmentsRemoved + o.fragmentsRemoved,
    fragmentsAdded + o.fragmentsAdded,
    filesRemoved + o.filesRemoved,
    filesAdded + o.filesAdded
  )
}

/** Writes the new files of a task one after another. */
final private class CompactionOutput(store: FileStore, task: CompactionTask) {
  private val sizes = task.outputRows
  private var done = Vector.empty[Fragment]
  private val summary = task.summaries.map(_.builder())
  private var summaries = Vector.empty[FragmentSummary]
  private var current: FragmentWriter = null
  private var planned = 0

  /** Number of rows that the present file can still take. */
  def roomInFile: Long = {
    if (current == null) {
      val size = sizes(math.min(planned, sizes.length - 1))
      planned += 1
      current = FragmentWriter.open(store, task.path, task.schema, task.fileVersion)
      room = size
    }
    room
  }
  private var room = 0L

  def write(columns: IndexedSeq[Column], numRows: Int): Unit = {
    summary.foreach(_.add(columns, numRows))
    current.write(columns, numRows)
    room -= numRows
    if (room <= 0 || current.reaches(task.options.maxBytesPerFile)) close()
  }

  private def close(): Unit = if (current != null) {
    val fragment = current.finish()
    done :+= fragment
    summaries ++= summary.map(_.finish(fragment.files.head.path))
    current = null
  }

  def finish(): (IndexedSeq[Fragment], IndexedSeq[FragmentSummary]) = {
    close()
    (done, summaries)
  }

  def abort(): Unit = {
    if (current != null) current.abort()
    UncommittedFiles.remove(store, task.path, done)
  }
}
