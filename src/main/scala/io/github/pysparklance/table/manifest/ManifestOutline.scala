// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.ByteArrayOutputStream
import java.time.Instant

import com.google.protobuf.{ByteString, UnsafeByteOperations}

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.proto

/** A manifest whose fragments are left as bytes, for those who read thousands of versions and look at little of each:
  * see [[FragmentMemo]]. Its columns are not looked at either, and may be of types that this release does not have.
  *
  * Source: message `Manifest`, table.proto.
  *
  * @param fragments messages `DataFragment` in scan order. They share the memory of the whole manifest: whoever keeps
  *   one keeps all
  */
final private[table] class ManifestOutline private (
    val location: ManifestLocation,
    message: proto.Manifest,
    sections: ManifestSections,
    val fragments: IndexedSeq[ByteString]
) {

  /** What a reader and a writer must know. */
  val flags: FeatureFlags =
    FeatureFlags(message.getReaderFeatureFlags, message.getWriterFeatureFlags)
  flags.checkReadable()
  ManifestLimits.check(message)

  /** This version, see [[Manifest.version]]. */
  def version: Long = message.getVersion

  /** Time of the commit. */
  def timestamp: Instant = Manifest.timestamp(message)

  /** None in tables of the earliest releases. */
  def writerVersion: Option[WriterVersion] = Manifest.writerVersion(message)

  /** Name of the transaction's file below `_transactions`, if it has one. */
  def transactionFile: Option[String] = Some(message.getTransactionFile).filter(_.nonEmpty)

  /** The version of new files.
    *
    * @param found those of all data files
    * @throws CorruptFileException when they do not go together
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

  /** Manifests up to this size are read at once, with the sections before the message. */
  private val tailBytes = 4 << 20

  /** Reads a manifest.
    *
    * @throws CorruptFileException when the file is cut or foreign
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when reading the table takes a feature this
    *   release does not have
    * @throws io.github.pysparklance.core.NotFoundException when the file is gone
    */
  def read(store: FileStore, location: ManifestLocation): ManifestOutline =
    ManifestFile.opened(store, location) { in =>
      val (tail, bytes) = ManifestSections.messageOf(in, tailBytes)
      val (message, fragments) = ManifestSections.parsed("manifest")(split(bytes))
      ManifestSections.checkVersion(location, message.getVersion)
      val sections = new ManifestSections(store, location, message, in.size, tail)
      new ManifestOutline(location, message, sections, fragments)
    }

  /** The message without its fragments, and these. */
  private def split(bytes: Array[Byte]): (proto.Manifest, IndexedSeq[ByteString]) = {
    val in = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput()
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
          "corrupt manifest: a group that was not begun"
        )
        rest.write(bytes, start, in.getTotalBytesRead - start)
      }
      start = in.getTotalBytesRead
      tag = in.readTag()
    }
    (proto.Manifest.parseFrom(rest.toByteArray), fragments.result())
  }
}
