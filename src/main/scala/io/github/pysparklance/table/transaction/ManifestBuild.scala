// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, Timestamp}

import io.github.pysparklance.Version
import io.github.pysparklance.core.{
  InvalidRequestException,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.{FieldMessages, FileVersion}
import io.github.pysparklance.table.manifest.{
  DataFile,
  FeatureFlags,
  Fragment,
  ManifestFile,
  SchemaRules
}
import io.github.pysparklance.table.proto

/** Builds the manifest that a transaction makes of the newest one. Ids are assigned here, so it runs again in
  * every attempt.
  *
  * Source: format page of the table, "Building the manifest" and "Who assigns what".
  */
private object ManifestBuild {

  /** A manifest ready to be encoded.
    *
    * @param indexSection the indices it keeps
    */
  final case class Built(manifest: proto.Manifest.Builder, indexSection: Option[ByteString])

  /** The first version of a table. */
  def create(transaction: Transaction): Built = transaction.operation match {
    case o: Operation.Overwrite =>
      val m = proto.Manifest.newBuilder()
      overwrite(m, o, firstId = 0)
      finish(m, transaction, version = 1, indexSection = None)
    case _: Operation.Append =>
      throw new InvalidRequestException("an append needs a table to append to")
  }

  /** The version after `newest`. */
  def next(transaction: Transaction, newest: ManifestFile): Built = {
    val previous = newest.manifest
    previous.flags.checkWritable()
    val m = previous.message.toBuilder.clearTag()
    val firstId = previous.maxFragmentId.fold(0L)(_ + 1)
    transaction.operation match {
      case Operation.Append(fragments) =>
        Repairs.refuse(newest)
        checkVersion(fragments, previous.fileVersion)
        val kept = previous.fragments.map(f => withoutDeadFiles(f.message))
        val added = numbered(fragments, firstId)
        replaceFragments(m, kept ++ added, firstId + added.length - 1)
        m.setDataFormat(dataFormat(previous.fileVersion))
        finish(m, transaction, previous.version + 1, newest.indexSection)
      case o: Operation.Overwrite =>
        overwrite(m, o, firstId)
        finish(m, transaction, previous.version + 1, None)
    }
  }

  private def overwrite(m: proto.Manifest.Builder, o: Operation.Overwrite, firstId: Long): Unit = {
    if (o.fragments.exists(_.deletionFile.isDefined))
      throw new InvalidRequestException("an overwrite with fragments that have deleted rows")
    if ((m.getWriterFeatureFlags & FeatureFlags.nonReusableFieldIds) != 0)
      throw new UnsupportedFeatureException("overwriting a table with non-reusable field ids")
    checkVersion(o.fragments, o.fileVersion)
    SchemaRules.checkNew(o.schema)
    m.clearFields().addAllFields(FieldMessages.toMessages(o.schema).asJava)
    m.clearSchemaMetadata()
    o.schema.metadata.foreach { case (k, v) => m.putSchemaMetadata(k, ByteString.copyFromUtf8(v)) }
    val added = numbered(o.fragments, firstId)
    replaceFragments(m, added, firstId + added.length - 1)
    m.setDataFormat(dataFormat(o.fileVersion)).putAllConfig(o.configUpserts.asJava)
    ()
  }

  private def checkVersion(fragments: Seq[Fragment], expected: FileVersion): Unit =
    fragments.flatMap(_.files).find(_.fileVersion != expected).foreach { f =>
      throw new InvalidRequestException(
        s"data file ${f.path} has version ${f.fileVersion.text}, the table has ${expected.text}"
      )
    }

  /** Fresh fragments get the ids after the highest that was ever used. */
  private def numbered(fragments: Seq[Fragment], firstId: Long): Seq[proto.DataFragment] =
    fragments.zipWithIndex.map { case (f, i) =>
      val id = firstId + i
      if (id >= Fragment.reservedId)
        throw new UnsupportedFeatureException(s"fragment id $id: all ids of the table are used up")
      f.message.toBuilder.setId(id).build()
    }

  /** A file whose columns were all replaced is dropped. */
  private def withoutDeadFiles(f: proto.DataFragment): proto.DataFragment = {
    val (dead, live) = f.getFilesList.asScala.partition { file =>
      file.getFieldsCount > 0 && file.getFieldsList.asScala.forall(_ == DataFile.tombstone)
    }
    if (dead.isEmpty) f else f.toBuilder.clearFiles().addAllFiles(live.asJava).build()
  }

  private def replaceFragments(
      m: proto.Manifest.Builder,
      fragments: Seq[proto.DataFragment],
      maxId: Long
  ): Unit = {
    m.clearFragments().addAllFragments(fragments.sortBy(_.getId).asJava)
    if (maxId >= 0) m.setMaxFragmentId(maxId.toInt)
    ()
  }

  private def dataFormat(version: FileVersion): proto.Manifest.DataStorageFormat =
    proto.Manifest.DataStorageFormat
      .newBuilder()
      .setFileFormat("lance")
      .setVersion(version.text)
      .build()

  private def finish(
      m: proto.Manifest.Builder,
      transaction: Transaction,
      version: Long,
      indexSection: Option[ByteString]
  ): Built = {
    val now = Instant.now()
    m.setVersion(version)
      .setTimestamp(Timestamp.newBuilder().setSeconds(now.getEpochSecond).setNanos(now.getNano))
      .setWriterVersion(writer)
      .setTransactionFile(transaction.fileName)
    setFlags(m, indexSection)
    Built(m, indexSection)
  }

  /** Both words anew from the content, with the flags that stay once they are set. */
  private def setFlags(m: proto.Manifest.Builder, indexSection: Option[ByteString]): Unit = {
    import FeatureFlags._
    def flag(bit: Long, isSet: Boolean): Long = if (isSet) bit else 0L
    val covering = indexSection.exists { s =>
      proto.IndexSection.parseFrom(s).getIndicesList.asScala.exists(_.getCoveringFieldsCount > 0)
    }
    val both = flag(deletionFiles, m.getFragmentsList.asScala.exists(_.hasDeletionFile)) |
      flag(basePaths, m.getBasePathsCount > 0) |
      flag(coveringFields, covering) |
      (m.getReaderFeatureFlags & stickyPaired)
    val writersOnly = flag(config, m.getConfigCount > 0)
    m.setReaderFeatureFlags(both).setWriterFeatureFlags(both | writersOnly)
    ()
  }

  private val writer: proto.Manifest.WriterVersion = {
    val (numbers, rest) = Version.current.span(c => c.isDigit || c == '.')
    val b =
      proto.Manifest.WriterVersion.newBuilder().setLibrary("pyspark-lance").setVersion(numbers)
    if (rest.nonEmpty) b.setPrerelease(rest.drop(1))
    b.build()
  }
}
