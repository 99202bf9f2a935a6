// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{CorruptFileException, Wrapped}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.proto

/** A file with some columns of a fragment.
  *
  * Source: message `DataFile`, table.proto.
  *
  * @param path relative to the data folder of its base
  * @param fields one field id per column entry; negative ids are not fields of the schema
  * @param columnIndices column of the file for each entry of `fields`, -1 for fields without a
  *   column; empty in files of version 0.1
  * @param fileSizeBytes 0 if unknown
  * @param baseId base path of the file; `None` for the table's own root
  */
final case class DataFile(
    path: String,
    fields: IndexedSeq[Int],
    columnIndices: IndexedSeq[Int],
    fileVersion: FileVersion,
    fileSizeBytes: Long,
    baseId: Option[Int] = None
) {

  /** The size of the file, if the manifest is reliable. Releases 0.30 to 9 recorded wrong sizes for
    * version 0.1.
    */
  def reliableSizeBytes: Option[Long] =
    Some(fileSizeBytes).filter(_ > 0 && fileVersion != FileVersion.V0_1)

  /** Returns the column with a field's values, if the file has one. */
  def columnOf(fieldId: Int): Option[Int] =
    fields.indexOf(fieldId) match {
      case -1 => None
      case at if columnIndices.isEmpty => Some(at)
      case at => Some(columnIndices(at)).filter(_ >= 0)
    }

  private[table] def toMessage: proto.DataFile = {
    val b = proto.DataFile
      .newBuilder()
      .setPath(path)
      .addAllFields(fields.map(Int.box).asJava)
      .addAllColumnIndices(columnIndices.map(Int.box).asJava)
      .setFileMajorVersion(fileVersion.major)
      .setFileMinorVersion(fileVersion.minor)
      .setFileSizeBytes(fileSizeBytes)
    baseId.foreach(b.setBaseId)
    b.build()
  }
}

object DataFile {

  /** Returns the total bytes of some files, or `None` if a size is unknown. */
  def totalBytes(files: Iterable[DataFile]): Option[Long] =
    files.foldLeft(Option(0L)) { (sum, f) =>
      for (s <- sum; size <- f.reliableSizeBytes) yield s + size
    }

  /** Entry of `columnIndices` for a field without a column, such as a struct. */
  private val noColumn: Int = -1

  /** Entry of `fields` for a column that another file replaced. */
  val tombstone: Int = -2

  private[table] def apply(m: proto.DataFile): DataFile = {
    val version = checked(m)
    DataFile(
      m.getPath,
      lastFields(m.getFieldsList),
      lastColumns(m.getColumnIndicesList),
      version,
      m.getFileSizeBytes,
      if (m.hasBaseId) Some(m.getBaseId) else None
    )
  }

  /** Checks a message and returns the version of its file. Allocates nothing, because a manifest
    * can have millions of files.
    *
    * @throws CorruptFileException if the message is inconsistent
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for an unknown file version
    */
  private[manifest] def checked(m: proto.DataFile): FileVersion = {
    val numColumns = m.getColumnIndicesCount
    if (numColumns > 0 && numColumns != m.getFieldsCount)
      throw new CorruptFileException(
        s"corrupt manifest: data file ${m.getPath} has ${m.getFieldsCount} fields and $numColumns column indices"
      )
    var i = 0
    while (i < numColumns) {
      if (m.getColumnIndices(i) < noColumn)
        throw new CorruptFileException(
          s"corrupt manifest: data file ${m.getPath} has a field in the column ${m.getColumnIndices(i)}"
        )
      i += 1
    }
    if (m.getFileSizeBytes < 0)
      throw new CorruptFileException(
        s"corrupt manifest: data file ${m.getPath} has ${m.getFileSizeBytes} bytes"
      )
    FileVersion.of(m.getFileMajorVersion, m.getFileMinorVersion)
  }

  private val lastFields = new LastNumbers
  private val lastColumns = new LastNumbers

  /** Converts lists of numbers. Most files have the same list as the file before, see
    * [[SharedColumns]], so the last result is kept. Thread-safe.
    */
  final private class LastNumbers {
    @volatile private var last: (java.util.List[Integer], IndexedSeq[Int]) =
      (java.util.Collections.emptyList[Integer](), IndexedSeq.empty)

    /** @param list immutable */
    def apply(list: java.util.List[Integer]): IndexedSeq[Int] = {
      val known = last
      if (known._1 eq list) known._2
      else {
        val out = new Array[Int](list.size)
        out.indices.foreach(i => out(i) = list.get(i))
        val numbers = Wrapped(out)
        last = (list, numbers)
        numbers
      }
    }
  }
}
