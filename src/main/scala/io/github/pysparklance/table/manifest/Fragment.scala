// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, InvalidProtocolBufferException}

import io.github.pysparklance.core.{CorruptFileException, Printable, UnsupportedFeatureException}
import io.github.pysparklance.table.proto

/** A horizontal slice of the table: files that hold columns of the same rows.
  *
  * Keeps the whole message, so that what this release does not know survives a commit. Equal when the messages are.
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
  // With no more rows than addresses in any fragment, the rows of a table fit a `Long`.
  CorruptFileException.check(
    message.getPhysicalRows >= 0 && message.getPhysicalRows <= Fragment.maxRows,
    s"corrupt manifest: fragment $id has ${java.lang.Long.toUnsignedString(message.getPhysicalRows)} rows, more than " +
      s"${Fragment.maxRows}"
  )

  Fragment.externalSequences.foreach { case (field, what) =>
    if (message.getUnknownFields.hasField(field))
      throw new UnsupportedFeatureException(s"$what of fragment $id in an external file")
  }

  /** The column groups; no field id is live in two of them. */
  @transient lazy val files: IndexedSeq[DataFile] =
    message.getFilesList.asScala.iterator.map(DataFile(_)).toIndexedSeq

  /** None when no row is deleted. */
  @transient lazy val deletionFile: Option[DeletionFile] =
    if (message.hasDeletionFile) Some(DeletionFile(message.getDeletionFile)) else None

  /** Rows with the deleted ones; none when an old writer did not say. */
  def physicalRows: Option[Long] = Some(message.getPhysicalRows).filter(_ > 0)

  /** Rows that are not deleted, as far as the manifest tells. */
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

  /** Where the values of fields are.
    *
    * @param fieldIds ids of fields that own columns
    * @return file and column for each id that some file holds; the others are null in all rows
    * @throws CorruptFileException when a file lists a field and gives it no column
    */
  def columns(fieldIds: Iterable[Int]): Map[Int, (DataFile, Int)] = {
    val missing = mutable.HashSet.empty[Int] ++= fieldIds.iterator.filter(_ >= 0)
    val found = Map.newBuilder[Int, (DataFile, Int)]
    // One pass over each file: wide tables have as many entries as columns are asked for.
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
      s"corrupt manifest: fragment $id gives the field ${file.fields(index)}, which has values of its own, no column of " +
        s"the file ${Printable.line(file.path)}"
    )
    column
  }

  /** The same without the sequences of row ids and versions, which may be large. For reading only: a table with
    * stable row ids needs them.
    */
  def withoutLineage: Fragment = new Fragment(
    message.toBuilder
      .clearRowIdSequence()
      .clearCreatedAtVersionSequence()
      .clearLastUpdatedAtVersionSequence()
      .build()
  )

  /** The same fragment, whose rows were counted in its files. */
  private[table] def counted(physicalRows: Long): Fragment =
    Fragment(message.toBuilder.setPhysicalRows(physicalRows).build())

  /** The message, to send a fragment from an executor to the driver. */
  def toBytes: Array[Byte] = message.toByteArray

  override def equals(other: Any): Boolean = other match {
    case f: Fragment => message == f.message
    case _ => false
  }

  override def hashCode: Int = message.hashCode

  override def toString: String = s"Fragment($id, ${files.length} files)"
}

object Fragment {

  /** Rows of a fragment, at most: addresses have 32 bits for the row. */
  val maxRows: Long = 1L << 32

  /** No fragment has this id or a larger one. */
  val reservedId: Long = 0xffffffffL

  /** Reserved by the format for a form that no release ever wrote. */
  private val externalSequences = Seq(
    6 -> "row ids",
    8 -> "last-updated-at versions",
    10 -> "created-at versions"
  )

  private[table] def apply(message: proto.DataFragment): Fragment = new Fragment(message)

  /** A fragment that is not in a table yet: the commit gives it an id.
    *
    * @param files data files, all of `physicalRows` rows
    * @param physicalRows at least 1
    * @param rowIds a `RowIdSequence` message with the stable ids of rows that moved here, which come first; the
    *   rows behind them are new
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

  /** Reads what [[Fragment.toBytes]] wrote. */
  def parse(bytes: Array[Byte]): Fragment =
    try apply(proto.DataFragment.parseFrom(bytes))
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException("corrupt fragment message", cause = e)
    }
}
