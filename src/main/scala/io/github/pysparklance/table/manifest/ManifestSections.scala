// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.util.Using

import com.google.protobuf.Descriptors.Descriptor
import com.google.protobuf.{ByteString, InvalidProtocolBufferException, UnsafeByteOperations}

import io.github.pysparklance.core.{Buffer, CorruptFileException, Place}
import io.github.pysparklance.storage.spi.{FileStore, RangeReader, TablePath}
import io.github.pysparklance.table.proto

/** The index and transaction sections in the file of a manifest.
  *
  * Source: format page of the table, "Manifest file".
  *
  * @param message contains the positions of the sections; its fragments are not needed
  * @param tail the last bytes of the file, which were read already
  */
final private[manifest] class ManifestSections(
    store: FileStore,
    location: ManifestLocation,
    message: proto.Manifest,
    sizeBytes: Long,
    tail: Buffer
) {
  import ManifestSections._

  private val place = Place(path = Some(location.path), version = Some(message.getVersion))

  /** The serialized index section; `None` if the table has no index.
    *
    * @throws CorruptFileException if the section exceeds the file
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if it has too many entries for
    *   the heap
    */
  def indexSection: Option[ByteString] = Place.in(place) {
    if (message.hasIndexSection)
      Some(ByteString.copyFrom(section(message.getIndexSection, "index")))
        .filterNot(_.isEmpty)
        .map(checked(_, proto.IndexSection.getDescriptor, "index section"))
    else None
  }

  /** The parsed index section. */
  def indices: proto.IndexSection = Place.in(place) {
    parsed("index section")(
      indexSection.fold(proto.IndexSection.getDefaultInstance)(proto.IndexSection.parseFrom)
    )
  }

  /** Returns the transaction of this version, from this file or from its own file.
    *
    * @param root root of the table or branch
    * @return `None` if the manifest names none
    * @throws CorruptFileException if it cannot be decoded
    * @throws io.github.pysparklance.core.NotFoundException if its file does not exist
    */
  def transaction(root: TablePath): Option[proto.Transaction] = {
    val position =
      if (message.hasTransactionSection) Some(message.getTransactionSection)
      else if (message.hasTransactionSectionDeprecated)
        Some(message.getTransactionSectionDeprecated)
      else None
    position match {
      case Some(p) =>
        Place.in(place) {
          Some(parsedTransaction(section(p, "transaction")))
        }
      case None =>
        Some(message.getTransactionFile).filter(_.nonEmpty).map { name =>
          val path = root.folder("_transactions").resolve(name)
          Place.in(Place(path = Some(path))) {
            val bytes =
              Using.resource(store.open(path))(in => in.read(0, arraySize(in.size, "transaction")))
            parsedTransaction(bytes)
          }
        }
    }
  }

  private def parsedTransaction(bytes: Array[Byte]): proto.Transaction = {
    val message = UnsafeByteOperations.unsafeWrap(bytes)
    checked(message, proto.Transaction.getDescriptor, "transaction"): Unit
    parsed("transaction")(proto.Transaction.parseFrom(bytes))
  }

  private def checked(message: ByteString, kind: Descriptor, what: String): ByteString = {
    parsed(what)(ManifestLimits.checkEntries(message, kind, what))
    message
  }

  private def section(position: Long, what: String): Array[Byte] = {
    CorruptFileException.check(
      position >= 0 && position <= sizeBytes - footerBytes - 4,
      s"the $what section at $position exceeds a manifest of $sizeBytes bytes"
    )
    val tailStart = sizeBytes - tail.length
    if (position >= tailStart) sectionOf(tail, position - tailStart).toBytes
    else
      Using.resource(store.open(location.path, sizeBytes)) { in =>
        val length = Buffer(in.read(position, 4)).u32(0)
        CorruptFileException.check(
          length <= sizeBytes - position - 4,
          s"the $what section at $position has $length bytes in a manifest of $sizeBytes bytes"
        )
        in.read(position + 4, arraySize(length, s"$what section"))
      }
  }
}

private[manifest] object ManifestSections {
  private val footerBytes = 16
  private val magic = 0x434e414c // "LANC"

  /** Returns the last bytes of a manifest file, and its serialized message.
    *
    * @throws CorruptFileException if the file is truncated or not a manifest
    */
  def messageOf(in: RangeReader, tailBytes: Int): (Buffer, Buffer) = {
    val size = in.size
    CorruptFileException.check(
      size >= footerBytes,
      s"corrupt manifest: $size bytes are less than the footer of $footerBytes bytes"
    )
    val tail = Buffer(in.readTail(tailBytes))
    val footer = tail.length - footerBytes
    CorruptFileException.check(
      tail.i32(footer + 12) == magic,
      "corrupt manifest: it does not end with the magic bytes LANC"
    )
    val position = tail.i64(footer)
    CorruptFileException.check(
      position >= 0 && position <= size - footerBytes - 4,
      s"corrupt manifest: its message at $position exceeds $size bytes"
    )
    val tailStart = size - tail.length
    val last =
      if (position >= tailStart) tail.slice(position - tailStart, size - position)
      else Buffer(in.read(position, arraySize(size - position, "manifest")))
    val message = sectionOf(last, 0)
    CorruptFileException.check(
      message.length == last.length - 4 - footerBytes,
      s"corrupt manifest: its message of ${message.length} bytes at $position does not end at the footer"
    )
    parsed("manifest")(ManifestLimits.checkEntries(message))
    (tail, message)
  }

  /** Checks that a manifest has the version in its file name. */
  def checkVersion(location: ManifestLocation, version: Long): Unit =
    CorruptFileException.check(
      version == location.version,
      s"corrupt manifest: it contains version ${java.lang.Long.toUnsignedString(version)}, but its name " +
        s"is of version ${java.lang.Long.toUnsignedString(location.version)}"
    )

  /** Returns a part of the buffer. Copies nothing, because manifests can have hundreds of
    * megabytes.
    */
  private def sectionOf(buffer: Buffer, at: Long): Buffer = {
    val rest = buffer.slice(at, buffer.length - at)
    rest.slice(4, rest.u32(0))
  }

  /** Returns the length of an array for a message. Checks the limit before anything is read. */
  private def arraySize(bytes: Long, what: String): Int = {
    ManifestLimits.checkMessage(bytes, what)
    bytes.toInt
  }

  def parsed[A](what: String)(message: => A): A =
    try message
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"corrupt $what: ${e.getMessage}", cause = e)
    }
}
