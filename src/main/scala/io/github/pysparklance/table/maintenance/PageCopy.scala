// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import scala.util.Using

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.file.PageConcatenation
import io.github.pysparklance.storage.spi.{FileStore, RangeReader, TablePath}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.table.{DataFileName, LanceTable, UncommittedFiles}

/** Compacts fragments by copying their pages unchanged. Each fragment must have a single file of
  * the target version with all columns in the same order, without deleted rows and blobs.
  *
  * Source: format page of the table, "Config keys", `compaction_mode`.
  */
private object PageCopy {

  /** Writes the new fragments.
    *
    * @return `None` if pages should not or cannot be copied
    * @throws UnsupportedFeatureException if they must be copied but cannot
    */
  def run(store: FileStore, task: CompactionTask): Option[IndexedSeq[Fragment]] =
    if (task.options.mode == CompactionMode.Reencode) None
    else if (isPossible(store, task)) Some(copied(store, task))
    else if (task.options.mode == CompactionMode.TryBinaryCopy) None
    else
      throw new UnsupportedFeatureException(
        s"copying the pages of fragments ${task.sources.map(_.fragment.id).mkString(", ")}; use " +
          "compaction mode try_binary_copy or reencode"
      )

  private def isPossible(store: FileStore, task: CompactionTask): Boolean = {
    val files = task.sources.flatMap(_.fragment.files)
    PageConcatenation.isPossible(task.schema, task.fileVersion) && files.nonEmpty &&
    task.sources.forall(s => s.fragment.files.length == 1 && s.fragment.deletionFile.isEmpty) &&
    files.forall(f => f.fields == files.head.fields && isWhole(f, task)) &&
    task.sources.forall { s =>
      Using.resource(open(store, s)) { in =>
        PageConcatenation.isPossible(
          in,
          task.fileVersion,
          s.fragment.files.head.fields.length,
          s.rows.numRows
        )
      }
    }
  }

  /** Whether a file has exactly the columns of the schema, in order. */
  private def isWhole(f: DataFile, task: CompactionTask): Boolean =
    f.fileVersion == task.fileVersion && f.fields == task.schema.fields.flatMap(
      _.leaves
    ).map(_.id) &&
      f.columnIndices == f.fields.indices

  private def open(store: FileStore, s: FragmentScan): RangeReader =
    s.fragment.files.head.reliableSizeBytes.fold(store.open(s.paths.head))(
      store.open(s.paths.head, _)
    )

  private def copied(store: FileStore, task: CompactionTask): IndexedSeq[Fragment] = {
    val fields = task.sources.head.fragment.files.head.fields
    val rowsOfFile = task.outputRows.headOption.getOrElse(0L)
    val data = TablePath(task.path).folder(LanceTable.dataFolder)
    var done = Vector.empty[Fragment]
    var name = ""
    var out: PageConcatenation = null
    def close(): Unit = if (out != null) {
      val s = out.finish()
      out = null
      val file = DataFile(name, s.fieldIds, s.columnIndices, task.fileVersion, s.sizeBytes)
      done :+= Fragment.unassigned(Seq(file), s.numRows)
    }
    try {
      task.sources.foreach { source =>
        if (out == null) {
          name = DataFileName.random()
          out = new PageConcatenation(
            store.create(data.resolve(name)),
            task.schema,
            task.fileVersion,
            fields
          )
        }
        Using.resource(open(store, source))(out.add)
        if (out.numRows >= rowsOfFile || out.numBytes >= task.options.maxBytesPerFile) close()
      }
      close()
      done
    } catch {
      case e: Exception =>
        if (out != null) out.abort()
        UncommittedFiles.remove(store, task.path, done)
        throw e
    }
  }
}
