// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import scala.jdk.CollectionConverters._

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, Place, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.manifest.{Manifest, ManifestFile}

/** Recognises tables of old releases that must be repaired before anybody else may write them: a commit stamps the
  * manifest with its writer, and that stamp turns the repairs off for all writers. They are not built here, so the
  * commit is refused and the table left as it is.
  *
  * Source: format page of the table, "writer_version and what it drives".
  */
private[transaction] object Repairs {

  /** @throws UnsupportedFeatureException when the table must be repaired first */
  def refuse(file: ManifestFile): Unit = {
    checkFieldIds(file)
    needed(file).foreach { what =>
      throw new UnsupportedFeatureException(
        s"writing to this table of an old release, which first needs a repair ($what); " +
          "any commit by a current release of pylance does it",
        Place(path = Some(file.location.path), version = Some(file.manifest.version))
      )
    }
  }

  /** Values are found by the ids of fields. A file that is written for two fields with one id would be right for neither,
    * and nobody could write the table after that.
    */
  private def checkFieldIds(file: ManifestFile): Unit = {
    val ids = file.manifest.schema.flatten.map(_.id).filter(_ >= 0)
    if (ids.distinct.length != ids.length)
      throw new CorruptFileException(
        s"corrupt manifest: several fields have the id ${ids.diff(ids.distinct).head}; the table can be read but not " +
          "written: write its rows to a new table",
        Place(path = Some(file.location.path), version = Some(file.manifest.version))
      )
  }

  private def needed(file: ManifestFile): Option[String] =
    fragments(file.manifest).orElse(indices(file))

  private def fragments(m: Manifest): Option[String] = {
    val ids = m.fragments.map(_.id)
    if (m.writerVersion.isEmpty) Some("the rows of its fragments are not counted reliably")
    else if (ids.distinct.length != ids.length) Some("two fragments have one id")
    else
      m.fragments.iterator.flatMap { f =>
        val fieldIds = f.files.flatMap(_.fields).filter(_ >= 0)
        if (f.physicalRows.isEmpty) Some(s"the rows of fragment ${f.id} are not counted")
        else if (f.deletionFile.exists(_.numDeletedRows == 0))
          Some(s"the deleted rows of fragment ${f.id} are not counted")
        else if (f.files.exists(_.fileSizeBytes == 0))
          Some(s"the sizes of the files of fragment ${f.id} are missing")
        else if (fieldIds.distinct.length != fieldIds.length)
          Some(s"a column of fragment ${f.id} is in two files")
        else if (
          m.fileVersion == FileVersion.V0_1 && f.files.exists(_.fileVersion != FileVersion.V0_1)
        )
          Some(s"fragment ${f.id} mixes legacy and newer files")
        else None
      }.find(_ => true)
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
