// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, Timestamp}

import io.github.pysparklance.Version
import io.github.pysparklance.core.{
  InvalidRequestException,
  LogicalType,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.{FieldMessages, FileVersion}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  DataFile,
  FeatureFlags,
  Fragment,
  ManifestFile,
  SchemaRules
}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.rowid.{LineageReader, RowLineage}

/** Builds the manifest that a transaction makes of the newest one. Ids are assigned here, so it runs again in
  * every attempt.
  *
  * Source: format page of the table, "Building the manifest" and "Who assigns what".
  */
final private class ManifestBuild(store: FileStore, root: TablePath, newest: ManifestFile) {
  import ManifestBuild._

  private val previous = newest.manifest
  private val version = previous.version + 1
  private val firstId = previous.maxFragmentId.fold(0L)(_ + 1)
  private val lineage = new LineageReader(store, previous.pathOf(root, _))

  /** The version after `newest`. */
  def next(transaction: Transaction, deleted: DeletedRows): Built = {
    previous.flags.checkWritable()
    val m = previous.message.toBuilder.clearTag()
    transaction.operation match {
      case Operation.Append(fragments) =>
        Repairs.refuse(newest)
        val added = assigned(m, fragments)
        keep(
          m,
          previous.fragments.map(_.message) ++ RowIdAssignment.allNew(added, version, m),
          added
        )
        finish(m, transaction, version, newest.indexSection)
      case o: Operation.Overwrite =>
        overwrite(m, o, firstId, version)
        finish(m, transaction, version, None)
      case _: Operation.Delete =>
        Repairs.refuse(newest)
        keep(m, without(deleted), Nil)
        finish(m, transaction, version, indices(m).retained.section)
      case o: Operation.Update =>
        Repairs.refuse(newest)
        val added = assigned(m, o.added.map(withoutDeadColumns))
        val withIds = RowIdAssignment.moved(added, version, m, previous.fragments, lineage)
        keep(m, without(deleted) ++ withIds, added)
        val moved = RowIdAssignment.onlyMoved(added)
        val touched = deleted.removedIds ++ deleted.updated.map(_.getId)
        finish(
          m,
          transaction,
          version,
          indices(m).joined(moved, touched, o.changedFields).retained.section
        )
    }
  }

  private def assigned(
      m: proto.Manifest.Builder,
      fragments: Seq[Fragment]
  ): Seq[proto.DataFragment] = {
    checkVersion(fragments, previous.fileVersion)
    m.setDataFormat(dataFormat(previous.fileVersion))
    numbered(fragments, firstId)
  }

  private def keep(
      m: proto.Manifest.Builder,
      fragments: Seq[proto.DataFragment],
      added: Seq[proto.DataFragment]
  ): Unit =
    replaceFragments(m, fragments.map(withoutDeadFiles), firstId + added.length - 1)

  /** The fragments of the newest version after a deletion. */
  private def without(deleted: DeletedRows): Seq[proto.DataFragment] = {
    val updated = deleted.updated.map(f => f.getId -> f.getDeletionFile).toMap
    val removed = deleted.removedIds.toSet
    previous.fragments.map(_.message).filterNot(f => removed(f.getId)).map { f =>
      updated.get(f.getId).fold(f)(file => f.toBuilder.setDeletionFile(file).build())
    }
  }

  /** Without the files that hold no column of the schema any more, dropped since they were written. */
  private def withoutDeadColumns(f: Fragment): Fragment = {
    val live = previous.schema.flatten.map(_.id).toSet ++ RowLineage.fields
    val files = f.message.getFilesList.asScala.filter(_.getFieldsList.asScala.exists(live(_)))
    if (files.length == f.files.length) f
    else Fragment(f.message.toBuilder.clearFiles().addAllFiles(files.asJava).build())
  }

  private def indices(m: proto.Manifest.Builder): IndexMaintenance =
    new IndexMaintenance(
      newest.indices,
      previous.schema,
      m.getFragmentsList.asScala.map(_.getId),
      previous.flags.reads(FeatureFlags.taggedFragmentReuse)
    )
}

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
      if (o.stableRowIds) m.setReaderFeatureFlags(FeatureFlags.stableRowIds)
      overwrite(m, o, firstId = 0, version = 1)
      finish(m, transaction, version = 1, indexSection = None)
    case _ => throw new InvalidRequestException("this operation needs a table that is there")
  }

  private def overwrite(
      m: proto.Manifest.Builder,
      o: Operation.Overwrite,
      firstId: Long,
      version: Long
  ): Unit = {
    if (o.fragments.exists(_.deletionFile.isDefined))
      throw new InvalidRequestException("an overwrite with fragments that have deleted rows")
    if ((m.getWriterFeatureFlags & FeatureFlags.nonReusableFieldIds) != 0)
      throw new UnsupportedFeatureException("overwriting a table with non-reusable field ids")
    checkVersion(o.fragments, o.fileVersion)
    SchemaRules.checkNew(o.schema)
    checkDictionaries(o)
    m.clearFields().addAllFields(FieldMessages.toMessages(o.schema).asJava)
    m.clearSchemaMetadata()
    o.schema.metadata.foreach { case (k, v) => m.putSchemaMetadata(k, ByteString.copyFromUtf8(v)) }
    val added = RowIdAssignment.allNew(numbered(o.fragments, firstId), version, m)
    replaceFragments(m, added, firstId + added.length - 1)
    m.setDataFormat(dataFormat(o.fileVersion)).putAllConfig(o.configUpserts.asJava)
    ()
  }

  /** The dictionaries of a manifest of version 0.1 come from the one before it. */
  private def checkDictionaries(o: Operation.Overwrite): Unit =
    if (o.fileVersion == FileVersion.V0_1)
      o.schema.flatten.find(_.logicalType.isInstanceOf[LogicalType.Dictionary]).foreach { f =>
        throw new UnsupportedFeatureException(
          s"the dictionary column '${f.name}' in a new table of file version 0.1, whose files have to share its " +
            "values; write a later file version"
        )
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
    val fragments = m.getFragmentsList.asScala
    val both = flag(deletionFiles, fragments.exists(_.hasDeletionFile)) |
      flag(spilledLineage, fragments.exists(isSpilled)) |
      flag(basePaths, m.getBasePathsCount > 0) |
      flag(coveringFields, covering) |
      (m.getReaderFeatureFlags & sticky)
    val writersOnly = flag(config, m.getConfigCount > 0)
    m.setReaderFeatureFlags(both).setWriterFeatureFlags(both | writersOnly)
    ()
  }

  private def isSpilled(f: proto.DataFragment): Boolean =
    f.hasColumnRowIds || f.hasColumnCreatedAtVersions || f.hasColumnLastUpdatedAtVersions

  private val writer: proto.Manifest.WriterVersion = {
    val (numbers, rest) = Version.current.span(c => c.isDigit || c == '.')
    val b =
      proto.Manifest.WriterVersion.newBuilder().setLibrary("pyspark-lance").setVersion(numbers)
    if (rest.nonEmpty) b.setPrerelease(rest.drop(1))
    b.build()
  }
}
