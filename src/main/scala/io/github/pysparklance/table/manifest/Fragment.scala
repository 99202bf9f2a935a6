// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, InvalidProtocolBufferException}

import io.github.pysparklance.core.{CorruptFileException, Printable, UnsupportedFeatureException}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.DataFragment.{
  CreatedAtVersionSequenceCase,
  LastUpdatedAtVersionSequenceCase,
  RowIdSequenceCase
}

/** A horizontal slice of the table: files with columns of the same rows.
  *
  * Retains the whole message, so that unknown fields survive a commit. Fragments are equal if their
  * messages are.
  *
  * Source: message `DataFragment`, table.proto.
  */
final class Fragment private (private[pysparklance] val message: proto.DataFragment)
    extends Serializable {

  /** Unique in the table's history, below 2^32 - 1. */
  val id: Long = message.getId

  CorruptFileException.check(
    id >= 0 && id < Fragment.reservedId,
    s"corrupt manifest: fragment id ${java.lang.Long.toUnsignedString(id)}"
  )
  // Limits the rows of a fragment to its addresses, so that the rows of a table fit a `Long`.
  CorruptFileException.check(
    message.getPhysicalRows >= 0 && message.getPhysicalRows <= Fragment.maxRows,
    s"corrupt manifest: fragment $id has ${java.lang.Long.toUnsignedString(message.getPhysicalRows)} rows, more than " +
      s"${Fragment.maxRows}"
  )

  Fragment.externalSequences.foreach { case (field, what) =>
    if (message.getUnknownFields.hasField(field))
      throw new UnsupportedFeatureException(s"$what of fragment $id in an external file")
  }

  /** The data files. Every field id is live in at most one of them. Created on first use, because
    * most operations need the files of few fragments.
    */
  @transient lazy val files: IndexedSeq[DataFile] =
    message.getFilesList.asScala.iterator.map(DataFile(_)).toIndexedSeq

  /** Sums a number over the data files, without creating objects for them.
    *
    * @param of the number for the field ids of a file and its length in bytes, 0 if unknown
    */
  def sumOfFiles(of: (java.util.List[Integer], Long) => Long): Long = {
    var sum = 0L
    var i = 0
    while (i < message.getFilesCount) {
      val file = message.getFiles(i)
      sum += of(file.getFieldsList, file.getFileSizeBytes)
      i += 1
    }
    sum
  }

  /** `None` if no row is deleted. */
  @transient lazy val deletionFile: Option[DeletionFile] =
    if (message.hasDeletionFile) Some(DeletionFile(message.getDeletionFile)) else None

  /** Number of rows including deleted ones; `None` if an old writer did not record it. */
  def physicalRows: Option[Long] = Some(message.getPhysicalRows).filter(_ > 0)

  /** Number of rows that are not deleted, if the manifest contains it. */
  def liveRows: Option[Long] = physicalRows.flatMap { rows =>
    deletionFile match {
      case None => Some(rows)
      case Some(d) if d.numDeletedRows == 0 => None
      case Some(d) =>
        CorruptFileException.check(
          d.numDeletedRows <= rows,
          s"corrupt manifest: fragment $id has ${d.numDeletedRows} deleted of $rows rows"
        )
        Some(rows - d.numDeletedRows)
    }
  }

  /** Locates the columns of fields.
    *
    * @param fieldIds ids of fields that own columns
    * @return file and column for each id that a file contains; other fields are null in all rows
    * @throws CorruptFileException if a file lists a field without a column
    */
  def columns(fieldIds: Iterable[Int]): Map[Int, (DataFile, Int)] = {
    val missing = mutable.HashSet.empty[Int] ++= fieldIds.iterator.filter(_ >= 0)
    val found = Map.newBuilder[Int, (DataFile, Int)]
    // Takes one pass over each file, because wide tables have many entries and many requested
    // columns.
    files.iterator.takeWhile(_ => missing.nonEmpty).foreach { file =>
      file.fields.indices.foreach { i =>
        val id = file.fields(i)
        if (missing.remove(id)) found += id -> (file, columnAt(file, i))
      }
    }
    found.result()
  }

  private def columnAt(file: DataFile, index: Int): Int = {
    val column = if (file.columnIndices.isEmpty) index else file.columnIndices(index)
    CorruptFileException.check(
      column >= 0,
      s"corrupt manifest: fragment $id has no column for the leaf field ${file.fields(index)} in " +
        s"the file ${Printable.line(file.path)}"
    )
    column
  }

  /** Returns this fragment without its sequences of row ids and row versions, which can be large.
    * Only for reading: tables with stable row ids need them.
    */
  def withoutLineage: Fragment =
    if (!hasLineage) this
    else
      new Fragment(
        message.toBuilder
          .clearRowIdSequence()
          .clearCreatedAtVersionSequence()
          .clearLastUpdatedAtVersionSequence()
          .build()
      )

  private def hasLineage: Boolean =
    message.getRowIdSequenceCase != RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET ||
      message.getCreatedAtVersionSequenceCase !=
      CreatedAtVersionSequenceCase.CREATEDATVERSIONSEQUENCE_NOT_SET ||
      message.getLastUpdatedAtVersionSequenceCase !=
      LastUpdatedAtVersionSequenceCase.LASTUPDATEDATVERSIONSEQUENCE_NOT_SET

  /** Returns this fragment without its deletion file, for reads that select live rows. */
  private[table] def withoutDeletions: Fragment =
    if (message.hasDeletionFile) new Fragment(message.toBuilder.clearDeletionFile().build())
    else this

  /** Returns this fragment with other field ids, for a reader of another schema.
    *
    * @param ids new ids by id in the manifest; fields without an entry are dropped
    */
  private[table] def withFieldIds(ids: Map[Int, Int]): Fragment = {
    val b = message.toBuilder
    (0 until b.getFilesCount).foreach { i =>
      val file = b.getFilesBuilder(i)
      (0 until file.getFieldsCount).foreach { j =>
        val id = file.getFields(j)
        if (id >= 0) file.setFields(j, ids.getOrElse(id, DataFile.tombstone))
      }
    }
    new Fragment(b.build())
  }

  /** Returns this fragment with the number of rows from its files. */
  private[table] def counted(physicalRows: Long): Fragment =
    Fragment(message.toBuilder.setPhysicalRows(physicalRows).build())

  /** Serializes the message, to send a fragment from an executor to the driver. */
  def toBytes: Array[Byte] = message.toByteArray

  override def equals(other: Any): Boolean = other match {
    case f: Fragment => message == f.message
    case _ => false
  }

  override def hashCode: Int = message.hashCode

  override def toString: String = s"Fragment($id, ${files.length} files)"
}

object Fragment {

  /** Maximum rows of a fragment: row offsets in addresses have 32 bits. */
  val maxRows: Long = 1L << 32

  /** Fragment ids are below this one. */
  val reservedId: Long = 0xffffffffL

  /** Reserved by the format, but never written by a release. */
  private val externalSequences = Seq(
    6 -> "row ids",
    8 -> "last-updated-at versions",
    10 -> "created-at versions"
  )

  private[table] def apply(message: proto.DataFragment): Fragment = new Fragment(message)

  /** Creates a fragment that is not in a table yet. The commit assigns its id.
    *
    * @param files data files, all with `physicalRows` rows
    * @param physicalRows at least 1
    * @param rowIds a `RowIdSequence` message with the stable ids of moved rows, which come first;
    *   all other rows are new
    */
  def unassigned(
      files: Seq[DataFile],
      physicalRows: Long,
      rowIds: Option[Array[Byte]] = None
  ): Fragment = {
    require(files.nonEmpty && physicalRows > 0, s"${files.length} files of $physicalRows rows")
    val b = proto.DataFragment
      .newBuilder()
      .addAllFiles(files.map(_.toMessage).asJava)
      .setPhysicalRows(physicalRows)
    rowIds.foreach(bytes => b.setInlineRowIds(ByteString.copyFrom(bytes)))
    apply(b.build())
  }

  /** Parses the bytes of [[Fragment.toBytes]]. */
  def parse(bytes: Array[Byte]): Fragment =
    try apply(proto.DataFragment.parseFrom(bytes))
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException("corrupt fragment message", cause = e)
    }
}
