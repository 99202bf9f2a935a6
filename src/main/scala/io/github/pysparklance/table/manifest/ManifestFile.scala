// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.google.protobuf.{ByteString, CodedOutputStream, MessageLite}

import io.github.pysparklance.core.{
  Buffer,
  CorruptFileException,
  Optional,
  Place,
  UnsupportedFeatureException,
  Values
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, RangeReader, TablePath}
import io.github.pysparklance.table.proto

/** A manifest with the file that contains it.
  *
  * {{{
  *   [dictionaries]  [u32 length | IndexSection]  [u32 length | Transaction]  u32 length | Manifest
  *   i64 position of the manifest's length | i16 major | i16 minor | "LANC"
  * }}}
  * Little endian. Sections in brackets are optional; the manifest is the last section. For
  * dictionaries of version 0.1, see [[ManifestDictionary]].
  *
  * Source: format page of the table, "Manifest file".
  */
final class ManifestFile private (
    val location: ManifestLocation,
    val manifest: Manifest,
    store: FileStore,
    sizeBytes: Long,
    tail: Buffer
) {
  private val place = Place(path = Some(location.path), version = Some(manifest.version))
  private val sections =
    new ManifestSections(store, location, manifest.message, sizeBytes, tail)

  /** Returns this file with another manifest, for a version that is not written yet. */
  private[table] def withManifest(other: Manifest): ManifestFile =
    new ManifestFile(location, other, store, sizeBytes, tail)

  /** Whether storage still has this file. Compares its length and its last bytes, which contain the
    * unique name of the transaction. False if they do not.
    */
  private[table] def isUnchanged: Boolean =
    isUnique && store.status(location.path).exists(f => hasBytes(f.sizeBytes))

  /** Whether a manifest that was found in storage is this file, see [[isUnchanged]]. A table that
    * was dropped and created again has other manifests with the same numbers.
    */
  private[table] def isAt(found: ManifestLocation): Boolean =
    found.path == location.path &&
      found.sizeBytes.fold(isUnchanged)(size => isUnique && hasBytes(size))

  private lazy val isUnique: Boolean =
    manifest.transactionFile.exists(new String(tail.toBytes, ISO_8859_1).contains(_))

  private def hasBytes(size: Long): Boolean =
    size == sizeBytes && Using.resource(store.open(location.path, size))(
      _.readTail(tail.length).sameElements(tail.toBytes)
    )

  /** The serialized index section; `None` if the table has no index.
    *
    * @throws CorruptFileException if the section exceeds the file
    */
  private[table] def indexSection: Option[ByteString] = sections.indexSection

  /** The parsed index section. */
  private[table] def indices: proto.IndexSection = sections.indices

  /** Returns the transaction of this version, from this file or from its own file.
    *
    * @param root root of the table or branch
    * @return `None` if the manifest names none
    * @throws CorruptFileException if it cannot be decoded
    * @throws io.github.pysparklance.core.NotFoundException if its file does not exist
    */
  private[table] def transaction(root: TablePath): Option[proto.Transaction] =
    sections.transaction(root)

  /** Returns the dictionaries in this file by field id. Versions after 0.1 do not use them.
    *
    * @throws CorruptFileException if they exceed the file
    */
  private[table] def dictionaries: Map[Int, ManifestDictionary] = Place.in(place) {
    val fields = manifest.message.getFieldsList.asScala.filter(ManifestDictionary.isIn)
    if (fields.isEmpty || manifest.fileVersion != FileVersion.V0_1) Map.empty
    else
      Using.resource(store.open(location.path, sizeBytes)) { in =>
        fields.map(f => f.getId -> ManifestDictionary.read(f, sizeBytes, in.read(_, _))).toMap
      }
  }
}

object ManifestFile {
  private val tailBytes = 64 << 10
  private val footerBytes = 16
  private val lengthBytes = 4
  private val magic = 0x434e414c // "LANC"
  private val major = 0
  private val minor = 2

  /** Larger transactions are stored only in their own file. */
  private val maxInlineTransactionBytes = 20 << 20

  /** Reads and checks a manifest, usually with a single read of the file's tail.
    *
    * @throws CorruptFileException if the file is truncated, inconsistent, or not a manifest
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if the table uses a feature
    *   that this release cannot read
    * @throws io.github.pysparklance.core.NotFoundException if the file does not exist
    */
  def read(store: FileStore, location: ManifestLocation): ManifestFile =
    opened(store, location)(decode(store, location, _))

  /** Opens the file of a manifest. Its length in the listing can be outdated. */
  private[manifest] def opened[A](store: FileStore, location: ManifestLocation)(
      read: RangeReader => A
  ): A = {
    def open(size: Option[Long]): A =
      Using.resource(size.fold(store.open(location.path))(store.open(location.path, _)))(read)
    Place.in(Place(path = Some(location.path))) {
      location.sizeBytes match {
        case None => open(None)
        case known =>
          try open(known)
          catch {
            // The listing may be older than the file. Retries with the present length.
            case e: CorruptFileException =>
              val now = store.status(location.path).map(_.sizeBytes)
              if (now.isEmpty || now == known) throw e
              open(now)
          }
      }
    }
  }

  /** Returns the manifest of a version that is about to be published, with the same checks as
    * [[read]]. Shares the fragments of the previous version instead of parsing them again.
    *
    * @param target location of the version
    * @param previous the version before it, if there is one
    */
  private[table] def encoded(
      store: FileStore,
      target: ManifestLocation,
      file: Encoded,
      previous: Option[ManifestFile]
  ): ManifestFile = {
    val bytes = file.bytes
    ManifestLimits.checkEntries(
      Buffer(bytes).slice(file.messageAt.toLong, file.message.getSerializedSize.toLong)
    )
    val manifest = Manifest.after(previous.map(_.manifest), file.message)
    ManifestSections.checkVersion(target, manifest.version)
    new ManifestFile(
      target.copy(sizeBytes = Some(bytes.length.toLong)),
      manifest,
      store,
      bytes.length.toLong,
      // A copy, so that the bytes of the whole file can be freed.
      Buffer(Arrays.copyOfRange(bytes, math.max(0, bytes.length - tailBytes), bytes.length))
    )
  }

  private def decode(
      store: FileStore,
      location: ManifestLocation,
      in: RangeReader
  ): ManifestFile = {
    val (tail, bytes) = ManifestSections.messageOf(in, tailBytes)
    val message = ManifestSections.parsed("manifest")(
      proto.Manifest.parser().parseFrom(bytes.array, bytes.offset, bytes.length)
    )
    val manifest = Manifest(SharedColumns(message))
    ManifestSections.checkVersion(location, manifest.version)
    new ManifestFile(location, manifest, store, in.size, tail)
  }

  /** The bytes of a manifest file.
    *
    * @param messageAt where the message begins in the bytes
    */
  final private[table] class Encoded(
      val bytes: Array[Byte],
      private[manifest] val message: proto.Manifest,
      private[manifest] val messageAt: Int
  )

  /** Serializes a manifest file.
    *
    * @param manifest complete except for the positions of sections
    * @param indexSection `None` if the table has no index
    * @param dictionaries dictionaries by field id, for fields that have one
    * @throws UnsupportedFeatureException if it has more than 2 GiB
    */
  private[table] def encode(
      manifest: proto.Manifest.Builder,
      indexSection: Option[ByteString],
      transaction: proto.Transaction,
      dictionaries: Map[Int, ManifestDictionary] = Map.empty
  ): Encoded = {
    val first = new ByteArrayOutputStream
    writeDictionaries(first, manifest, dictionaries)
    manifest.clearIndexSection().clearTransactionSectionDeprecated().clearTransactionSection()
    var position = first.size.toLong
    indexSection.foreach { s =>
      manifest.setIndexSection(position)
      position += lengthBytes + s.size
    }
    val inlined =
      Optional.when(transaction.getSerializedSize <= maxInlineTransactionBytes)(transaction)
    inlined.foreach { t =>
      manifest.setTransactionSection(position)
      position += lengthBytes + t.getSerializedSize
    }
    val message = manifest.build()
    val messageBytes = message.getSerializedSize // negative if it overflows
    val numBytes = position + lengthBytes + messageBytes + footerBytes
    if (messageBytes < 0 || numBytes > Values.maxArrayLength)
      throw new UnsupportedFeatureException(
        "a manifest of more than 2 GiB; compact the table, so that it has fewer fragments"
      )
    // Allocated once, because manifests can have hundreds of megabytes.
    val bytes = new Array[Byte](numBytes.toInt)
    val out = CodedOutputStream.newInstance(bytes)
    out.writeRawBytes(first.toByteArray)
    indexSection.foreach { s =>
      out.writeFixed32NoTag(s.size)
      out.writeRawBytes(s)
    }
    val messages: Seq[MessageLite] = inlined.toSeq :+ message
    messages.foreach { m =>
      out.writeFixed32NoTag(m.getSerializedSize)
      m.writeTo(out)
    }
    out.writeFixed64NoTag(position)
    out.writeRawBytes(Array(major, 0, minor, 0).map(_.toByte))
    out.writeFixed32NoTag(magic)
    out.checkNoSpaceLeft()
    new Encoded(bytes, message, position.toInt + lengthBytes)
  }

  private def writeDictionaries(
      out: ByteArrayOutputStream,
      manifest: proto.Manifest.Builder,
      dictionaries: Map[Int, ManifestDictionary]
  ): Unit =
    (0 until manifest.getFieldsCount).foreach { i =>
      if (ManifestDictionary.isIn(manifest.getFields(i)))
        dictionaries.get(manifest.getFields(i).getId).foreach { values =>
          val (bytes, offset) = values.at(out.size.toLong)
          out.write(bytes, 0, bytes.length)
          manifest.getFieldsBuilder(
            i
          ).getDictionaryBuilder.setOffset(offset).setLength(values.length)
        }
    }
}
