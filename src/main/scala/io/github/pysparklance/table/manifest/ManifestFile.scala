// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.google.protobuf.{ByteString, MessageLite}

import io.github.pysparklance.core.{Buffer, CorruptFileException, Place}
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
  private val magic = 0x434e414c // "LANC"
  private val major: Short = 0
  private val minor: Short = 2

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

  /** Parses the bytes of a manifest that were just written to `location`. */
  private[table] def decode(
      store: FileStore,
      location: ManifestLocation,
      bytes: Array[Byte]
  ): ManifestFile = decode(
    store,
    location,
    new RangeReader(location.path, bytes.length.toLong) {
      def maxGapBytes: Int = 0
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
        System.arraycopy(bytes, offset.toInt, out, outAt, length)
      def close(): Unit = ()
    }
  )

  private def decode(
      store: FileStore,
      location: ManifestLocation,
      in: RangeReader
  ): ManifestFile = {
    val (tail, bytes) = ManifestSections.messageOf(in, tailBytes)
    val manifest = Manifest(ManifestSections.parsed("manifest")(proto.Manifest.parseFrom(bytes)))
    ManifestSections.checkVersion(location, manifest.version)
    new ManifestFile(location, manifest, store, in.size, tail)
  }

  /** Serializes a manifest file.
    *
    * @param manifest complete except for the positions of sections
    * @param indexSection `None` if the table has no index
    * @param dictionaries dictionaries by field id, for fields that have one
    */
  private[table] def encode(
      manifest: proto.Manifest.Builder,
      indexSection: Option[ByteString],
      transaction: proto.Transaction,
      dictionaries: Map[Int, ManifestDictionary] = Map.empty
  ): Array[Byte] = {
    val out = new ByteArrayOutputStream
    writeDictionaries(out, manifest, dictionaries)
    manifest.clearIndexSection().clearTransactionSectionDeprecated().clearTransactionSection()
    indexSection.foreach { s =>
      manifest.setIndexSection(out.size.toLong)
      writeLength(out, s.size)
      s.writeTo(out)
    }
    if (transaction.getSerializedSize <= maxInlineTransactionBytes) {
      manifest.setTransactionSection(out.size.toLong)
      write(out, transaction)
    }
    val position = out.size.toLong
    write(out, manifest.build())
    val footer = new Array[Byte](footerBytes)
    Buffer.putLong(footer, 0, position)
    Buffer.putShort(footer, 8, major)
    Buffer.putShort(footer, 10, minor)
    Buffer.putInt(footer, 12, magic)
    out.write(footer, 0, footerBytes)
    out.toByteArray
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

  private def write(out: ByteArrayOutputStream, message: MessageLite): Unit = {
    writeLength(out, message.getSerializedSize)
    message.writeTo(out)
  }

  private def writeLength(out: ByteArrayOutputStream, length: Int): Unit = {
    val bytes = new Array[Byte](4)
    Buffer.putInt(bytes, 0, length)
    out.write(bytes, 0, 4)
  }
}
