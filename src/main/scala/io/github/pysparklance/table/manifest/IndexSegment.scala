// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.nio.ByteBuffer
import java.util.UUID

import scala.jdk.CollectionConverters._

import com.google.protobuf.{
  Any => AnyMessage,
  ByteString,
  InvalidProtocolBufferException,
  UnknownFieldSet
}
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, Optional}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.proto

/** A segment of an index. All segments with the same name form an index.
  *
  * Retains the whole message, so that unknown fields survive a commit. Segments are equal if their
  * messages are.
  *
  * Source: message `IndexMetadata`, table.proto.
  */
final class IndexSegment private (private[pysparklance] val message: proto.IndexMetadata)
    extends Serializable {

  /** Name of the segment's folder below `_indices`. */
  def uuid: UUID = IndexSegment.uuid(message.getUuid)

  def name: String = message.getName

  /** Ids of the key columns. */
  def fields: Seq[Int] = message.getFieldsList.asScala.iterator.map(_.toInt).toIndexedSeq

  /** Ids of all fields with values in the segment: the key columns, and the payload columns of a
    * covering index.
    */
  def valueFields: Seq[Int] =
    fields ++ message.getCoveringFieldsList.asScala.iterator.map(_.toInt)

  /** The table version that the segment was built from. */
  def datasetVersion: Long = message.getDatasetVersion

  /** Type URL of the index details, such as `/lance.table.BTreeIndexDetails`; empty in tables of
    * old releases.
    */
  def detailsType: String = message.getIndexDetails.getTypeUrl

  /** The bytes of the index details message. */
  def details: Array[Byte] = message.getIndexDetails.getValue.toByteArray

  /** Version of the format of the segment's files. Releases that do not support it must not use the
    * segment.
    */
  def indexVersion: Int = message.getIndexVersion

  /** Creation time in milliseconds since 1970 UTC; `None` if it was not recorded. */
  def createdAtMillis: Option[Long] = Optional.when(message.hasCreatedAt)(message.getCreatedAt)

  /** Base path of its files; `None` for the table's own root. */
  def baseId: Option[Int] = Optional.when(message.hasBaseId)(message.getBaseId)

  /** Sizes of its files by name; empty if they were not recorded. */
  def fileSizes: Map[String, Long] =
    message.getFilesList.asScala.iterator.map(f => f.getPath -> f.getSizeBytes).toMap

  /** Whether it is part of the table's structure instead of a user's index. */
  def isSystem: Boolean = IndexSegment.systemNames(name)

  /** Whether it is the record of fragments replaced by compactions, see
    * [[io.github.pysparklance.table.reuse.FragmentReuse]].
    */
  def isFragmentReuse: Boolean = name == IndexSegment.fragmentReuse

  /** Whether it is the state of the write-ahead log. */
  def isMemWal: Boolean = name == IndexSegment.memWal

  /** Whether it identifies rows by their addresses, so that it cannot follow stable row ids. */
  def hasRowAddresses: Boolean = {
    val kind = IndexSegment.ofValues(message.getIndexDetails).getTypeUrl
    IndexSegment.byAddress.exists(kind.toLowerCase(java.util.Locale.ROOT).endsWith) ||
    isBTree && message.getIndexVersion >= 1
  }

  /** Whether it is a BTREE. */
  def isBTree: Boolean =
    detailsType.toLowerCase(java.util.Locale.ROOT).endsWith("btreeindexdetails")

  /** Whether it is a LABEL_LIST. */
  def isLabelList: Boolean =
    detailsType.toLowerCase(java.util.Locale.ROOT).endsWith("labellistindexdetails")

  /** Whether it is a zone map. */
  def isZoneMap: Boolean =
    detailsType.toLowerCase(java.util.Locale.ROOT).endsWith("zonemapindexdetails")

  /** Ids of the covered fragments, including removed ones; `None` if they were not recorded. A
    * bitmap of a few bytes can contain billions of ids.
    */
  private[pysparklance] def bitmap: Option[RoaringBitmap] =
    if (message.getFragmentBitmap.isEmpty) None
    else {
      val b = new RoaringBitmap
      try b.deserialize(ByteBuffer.wrap(message.getFragmentBitmap.toByteArray))
      catch {
        case e @ (_: java.io.IOException | _: RuntimeException) =>
          throw new CorruptFileException("corrupt coverage bitmap of an index", cause = e)
      }
      Some(b)
    }

  /** Returns this segment with another coverage. */
  private[table] def covering(fragments: RoaringBitmap): IndexSegment = {
    val out = new Array[Byte](fragments.serializedSizeInBytes)
    fragments.serialize(ByteBuffer.wrap(out))
    new IndexSegment(message.toBuilder.setFragmentBitmap(ByteString.copyFrom(out)).build())
  }

  /** Serializes the message. */
  def toBytes: Array[Byte] = message.toByteArray

  override def equals(other: Any): Boolean = other match {
    case i: IndexSegment => message == i.message
    case _ => false
  }

  override def hashCode: Int = message.hashCode

  override def toString: String = s"IndexSegment($name, $uuid)"
}

object IndexSegment {

  /** Name of the record of fragments replaced by compactions. */
  val fragmentReuse: String = "__lance_frag_reuse"

  /** Name of the state of the write-ahead log. */
  val memWal: String = "__lance_mem_wal"

  private val systemNames = Set(fragmentReuse, memWal)
  private val byAddress = Seq("zonemapindexdetails", "bloomfilterindexdetails", "fmindexdetails")

  /** Returns the details of the index of the values, if they are nested in the details of a JSON
    * path.
    *
    * Source: field `target_details` of message `JsonIndexDetails`, index.proto.
    */
  private def ofValues(details: AnyMessage): AnyMessage =
    if (details.getTypeUrl.toLowerCase(java.util.Locale.ROOT).endsWith("jsonindexdetails"))
      try {
        val found = UnknownFieldSet.parseFrom(details.getValue).getField(2).getLengthDelimitedList
        if (found.isEmpty) details else AnyMessage.parseFrom(found.get(0))
      } catch { case _: InvalidProtocolBufferException => details }
    else details

  private[table] def apply(message: proto.IndexMetadata): IndexSegment = new IndexSegment(message)

  /** Creates a segment.
    *
    * @param uuid name of the folder with its files
    * @param fields ids of the key columns
    * @param datasetVersion table version that it was built from
    * @param fragmentIds the covered fragments
    * @param detailsType name of the details message, such as `lance.table.BTreeIndexDetails`
    * @param details the serialized details message
    * @param indexVersion version of the format of its files
    * @param fileSizes sizes of its files by name
    */
  def of(
      uuid: UUID,
      name: String,
      fields: Seq[Int],
      datasetVersion: Long,
      fragmentIds: RoaringBitmap,
      detailsType: String,
      details: Array[Byte],
      indexVersion: Int,
      fileSizes: Seq[(String, Long)]
  ): IndexSegment = {
    val message = proto.IndexMetadata
      .newBuilder()
      .setUuid(toMessage(uuid))
      .addAllFields(fields.map(Int.box).asJava)
      .setName(name)
      .setDatasetVersion(datasetVersion)
      .setIndexDetails(
        AnyMessage.newBuilder().setTypeUrl("/" + detailsType).setValue(ByteString.copyFrom(details))
      )
      .setIndexVersion(indexVersion)
      .setCreatedAt(System.currentTimeMillis())
    fileSizes.foreach { case (file, bytes) =>
      message.addFilesBuilder().setPath(file).setSizeBytes(bytes)
    }
    new IndexSegment(message.build()).covering(fragmentIds)
  }

  /** Returns the folder of a new segment of a table or branch. */
  def newFolder(root: TablePath, uuid: UUID): TablePath =
    root.folder("_indices").folder(uuid.toString)

  /** Parses the bytes of [[IndexSegment.toBytes]]. */
  def parse(bytes: Array[Byte]): IndexSegment =
    try apply(proto.IndexMetadata.parseFrom(bytes))
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException("corrupt index message", cause = e)
    }

  private[table] def uuid(m: proto.UUID): UUID = {
    CorruptFileException.check(
      m.getUuid.size == 16,
      s"corrupt manifest: the UUID of an index has ${m.getUuid.size} bytes"
    )
    val b = m.getUuid.asReadOnlyByteBuffer
    new UUID(b.getLong, b.getLong)
  }

  private[table] def toMessage(uuid: UUID): proto.UUID = {
    val b = ByteBuffer.allocate(16)
    b.putLong(uuid.getMostSignificantBits).putLong(uuid.getLeastSignificantBits)
    proto.UUID.newBuilder().setUuid(ByteString.copyFrom(b.array)).build()
  }
}
