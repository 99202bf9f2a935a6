// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.ByteArrayOutputStream
import java.time.Instant

import com.google.protobuf.{ByteString, UnsafeByteOperations}

import io.github.pysparklance.core.{Buffer, CorruptFileException, Optional}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.proto

/** A manifest with unparsed fragments, for readers of thousands of versions, see [[FragmentMemo]].
  * Its columns are not parsed either and may have unsupported types.
  *
  * Source: message `Manifest`, table.proto.
  *
  * @param fragments messages `DataFragment` in scan order; each shares, and keeps alive, the memory
  *   of the whole manifest
  * @param file the bytes of the file, if a single request read all of them
  */
final private[table] class ManifestOutline private (
    val location: ManifestLocation,
    message: proto.Manifest,
    sections: ManifestSections,
    val fragments: IndexedSeq[ByteString],
    val file: Option[Buffer]
) {

  /** Features that readers and writers must support. */
  val flags: FeatureFlags =
    FeatureFlags(message.getReaderFeatureFlags, message.getWriterFeatureFlags)
  flags.checkReadable()
  ManifestLimits.check(message)

  /** The version number, see [[Manifest.version]]. */
  def version: Long = message.getVersion

  /** Time of the commit. */
  def timestamp: Instant = Manifest.timestamp(message)

  /** The library that wrote this version; `None` in tables of the earliest releases. */
  def writerVersion: Option[WriterVersion] = Manifest.writerVersion(message)

  /** Name of the transaction file below `_transactions`, if it has one. */
  def transactionFile: Option[String] = Some(message.getTransactionFile).filter(_.nonEmpty)

  /** Returns the version for new files.
    *
    * @param found versions of all data files
    * @throws CorruptFileException if they cannot occur together
    */
  def fileVersion(found: Set[FileVersion]): FileVersion =
    DataFormat.effective(message, flags, found)

  /** See [[ManifestFile.indices]]. */
  def indices: proto.IndexSection = sections.indices

  /** See [[ManifestFile.transaction]]. */
  def transaction(root: TablePath): Option[proto.Transaction] = sections.transaction(root)
}

private[table] object ManifestOutline {
  private val fragmentsTag = proto.Manifest.FRAGMENTS_FIELD_NUMBER << 3 | 2

  /** Manifests up to this size are read with one request, including the sections before the
    * message.
    */
  private val tailBytes = 4 << 20

  /** Reads a manifest.
    *
    * @throws CorruptFileException if the file is truncated or not a manifest
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if the table uses a feature
    *   that this release cannot read
    * @throws io.github.pysparklance.core.NotFoundException if the file does not exist
    */
  def read(store: FileStore, location: ManifestLocation): ManifestOutline =
    ManifestFile.opened(store, location) { in =>
      val (tail, bytes) = ManifestSections.messageOf(in, tailBytes)
      val (message, fragments) = ManifestSections.parsed("manifest")(split(bytes))
      ManifestSections.checkVersion(location, message.getVersion)
      val sections = new ManifestSections(store, location, message, in.size, tail)
      val file = Optional.when(tail.length == in.size)(tail)
      new ManifestOutline(location, message, sections, fragments, file)
    }

  /** Splits a message into the manifest without fragments, and the fragments. */
  private def split(bytes: Buffer): (proto.Manifest, IndexedSeq[ByteString]) = {
    val in =
      UnsafeByteOperations.unsafeWrap(bytes.array, bytes.offset, bytes.length).newCodedInput()
    in.enableAliasing(true)
    val rest = new ByteArrayOutputStream
    val fragments = IndexedSeq.newBuilder[ByteString]
    var start = 0
    var tag = in.readTag()
    while (tag != 0) {
      if (tag == fragmentsTag) fragments += in.readBytes()
      else {
        CorruptFileException.check(
          in.skipField(tag),
          "corrupt manifest: a group end without a start"
        )
        rest.write(bytes.array, bytes.offset + start, in.getTotalBytesRead - start)
      }
      start = in.getTotalBytesRead
      tag = in.readTag()
    }
    (proto.Manifest.parseFrom(rest.toByteArray), fragments.result())
  }
}
