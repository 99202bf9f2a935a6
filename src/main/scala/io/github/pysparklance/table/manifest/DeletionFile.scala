// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.table.proto

/** A file with the deleted rows of a fragment.
  *
  * Source: message `DeletionFile`, table.proto; format page of the table, "Deletion files".
  *
  * @param readVersion unsigned; part of the file's name
  * @param id unsigned and random; part of the file's name
  * @param numDeletedRows 0 if unknown
  * @param baseId base path of the file; `None` for the table's own root
  */
final case class DeletionFile(
    fileType: DeletionFile.FileType,
    readVersion: Long,
    id: Long,
    numDeletedRows: Long,
    baseId: Option[Int]
) {

  /** Returns the path of the file relative to the root of its base. */
  def path(fragmentId: Long): String = {
    val version = java.lang.Long.toUnsignedString(readVersion)
    s"_deletions/$fragmentId-$version-${java.lang.Long.toUnsignedString(id)}.${fileType.suffix}"
  }

  private[table] def toMessage: proto.DeletionFile = {
    val b = proto.DeletionFile
      .newBuilder()
      .setFileType(fileType match {
        case DeletionFile.ArrowArray => proto.DeletionFile.DeletionFileType.ARROW_ARRAY
        case DeletionFile.Bitmap => proto.DeletionFile.DeletionFileType.BITMAP
      })
      .setReadVersion(readVersion)
      .setId(id)
      .setNumDeletedRows(numDeletedRows)
    baseId.foreach(b.setBaseId)
    b.build()
  }
}

object DeletionFile {

  /** The encoding of the offsets. */
  sealed abstract class FileType(val suffix: String) extends Serializable

  /** An Arrow IPC file. */
  case object ArrowArray extends FileType("arrow")

  /** A Roaring bitmap. */
  case object Bitmap extends FileType("bin")

  private[table] def apply(m: proto.DeletionFile): DeletionFile = {
    val fileType = m.getFileType match {
      case proto.DeletionFile.DeletionFileType.ARROW_ARRAY => ArrowArray
      case proto.DeletionFile.DeletionFileType.BITMAP => Bitmap
      case _ => throw new UnsupportedFeatureException(s"deletion file type ${m.getFileTypeValue}")
    }
    CorruptFileException.check(
      m.getNumDeletedRows >= 0,
      s"corrupt manifest: a deletion file with ${m.getNumDeletedRows} deleted rows"
    )
    DeletionFile(
      fileType,
      m.getReadVersion,
      m.getId,
      m.getNumDeletedRows,
      if (m.hasBaseId) Some(m.getBaseId) else None
    )
  }
}
