// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import scala.jdk.CollectionConverters._

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, Place, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.manifest.{Fragment, FragmentsById, Manifest, ManifestFile}
import io.github.pysparklance.table.proto

/** Detects tables of old releases that must be repaired before other writers may commit. A commit
  * stamps the manifest with its writer version, which disables these repairs for all writers. This
  * library does not implement the repairs, so it rejects the commit.
  *
  * Source: format page of the table, "writer_version and what it drives".
  */
private[transaction] object Repairs {

  /** Checks that a version needs no repair.
    *
    * @throws UnsupportedFeatureException if the table must be repaired first
    */
  def reject(file: ManifestFile): Unit = {
    checkFieldIds(file)
    needed(file).foreach { what =>
      throw new UnsupportedFeatureException(
        s"writing to this table of an old release, which needs a repair first ($what); " +
          "any commit by a current release of pylance repairs it",
        Place(path = Some(file.location.path), version = Some(file.manifest.version))
      )
    }
  }

  /** Rejects duplicate field ids. Readers find values by field id, so a file written for two fields
    * with the same id would be wrong for both, and the table could not be written anymore.
    */
  private def checkFieldIds(file: ManifestFile): Unit = {
    val ids = file.manifest.schema.flatten.map(_.id).filter(_ >= 0)
    if (ids.distinct.length != ids.length)
      throw new CorruptFileException(
        s"corrupt manifest: several fields have the id ${ids.diff(ids.distinct).head}; the table can be read but not " +
          "written; copy its rows to a new table",
        Place(path = Some(file.location.path), version = Some(file.manifest.version))
      )
  }

  private def needed(file: ManifestFile): Option[String] =
    fragments(file.manifest).orElse(indices(file))

  private def fragments(m: Manifest): Option[String] = {
    if (m.writerVersion.isEmpty) Some("the row counts of its fragments are not reliable")
    else if (hasSameId(m.fragments)) Some("two fragments have the same id")
    else {
      val columns = new FragmentColumns
      m.fragments.iterator.flatMap { f =>
        if (f.physicalRows.isEmpty) Some(s"the row count of fragment ${f.id} is missing")
        else if (f.message.hasDeletionFile && f.message.getDeletionFile.getNumDeletedRows == 0)
          Some(s"the number of deleted rows of fragment ${f.id} is missing")
        else if (exists(f)(_.getFileSizeBytes == 0))
          Some(s"the sizes of the files of fragment ${f.id} are missing")
        else if (columns.areTwiceIn(f)) Some(s"a column of fragment ${f.id} is in two files")
        else if (
          m.fileVersion == FileVersion.V0_1 && f.files.exists(_.fileVersion != FileVersion.V0_1)
        )
          Some(s"fragment ${f.id} mixes legacy and newer files")
        else None
      }.find(_ => true)
    }
  }

  private def hasSameId(fragments: IndexedSeq[Fragment]): Boolean =
    !FragmentsById.isAscending(fragments) &&
      fragments.iterator.map(_.id).toSet.size < fragments.length

  /** Whether a data file fulfills a condition. Every commit checks all files of the table, so this
    * reads the messages and creates no objects.
    */
  private def exists(f: Fragment)(condition: proto.DataFile => Boolean): Boolean =
    (0 until f.message.getFilesCount).exists(i => condition(f.message.getFiles(i)))

  /** Finds columns that are stored twice. */
  final private class FragmentColumns {
    // Most fragments have a single file with the same columns as the fragment before.
    private var checked = java.util.Collections.emptyList[Integer]()

    def areTwiceIn(f: Fragment): Boolean = {
      val files = f.message.getFilesList
      val isKnown = files.size == 1 && files.get(0).getFieldsList == checked
      !isKnown && {
        val ids =
          files.asScala.iterator.flatMap(_.getFieldsList.asScala).filter(_ >= 0).toIndexedSeq
        val areTwice = ids.distinct.length != ids.length
        if (!areTwice && files.size == 1) checked = files.get(0).getFieldsList
        areTwice
      }
    }
  }

  private def indices(file: ManifestFile): Option[String] = {
    val segments = file.indices.getIndicesList.asScala
    val oldWriter = file.manifest.writerVersion.exists { w =>
      w.library == "lance" && !Version.atLeast(w.version, Seq(0, 8, 15))
    }
    if (segments.isEmpty) None
    else if (oldWriter) Some("the coverage of its indices is not reliable")
    else
      segments.groupBy(_.getName).collectFirst {
        case (name, same) if overlapping(same.map(_.getFragmentBitmap.toByteArray)) =>
          s"segments of the index $name overlap"
      }
  }

  private def overlapping(bitmaps: collection.Seq[Array[Byte]]): Boolean = {
    val seen = new RoaringBitmap
    bitmaps.filter(_.nonEmpty).exists { bytes =>
      val bitmap = new RoaringBitmap
      try bitmap.deserialize(java.nio.ByteBuffer.wrap(bytes))
      catch {
        case e @ (_: java.io.IOException | _: RuntimeException) =>
          throw new CorruptFileException("corrupt coverage bitmap of an index", cause = e)
      }
      val overlaps = RoaringBitmap.intersects(seen, bitmap)
      seen.or(bitmap)
      overlaps
    }
  }

  private object Version {
    private val numbers = """(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[.+-].*)?""".r

    def atLeast(version: String, least: Seq[Int]): Boolean = version match {
      case numbers(a, b, c) =>
        java.util.Arrays.compare(Array(a.toInt, b.toInt, c.toInt), least.toArray) >= 0
      case _ => false
    }
  }
}
