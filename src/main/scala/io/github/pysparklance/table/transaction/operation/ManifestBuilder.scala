// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, Timestamp}

import io.github.pysparklance.Version
import io.github.pysparklance.core.{InvalidRequestException, Schema, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, MapEntries}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.manifest.{
  BasePath,
  DataFile,
  FeatureFlags,
  Fragment,
  Manifest,
  ManifestDictionary,
  ManifestFile,
  Versions
}
import io.github.pysparklance.table.reuse.FragmentReuse
import io.github.pysparklance.table.rowid.{LineageReader, RowLineage}

/** The manifest that an operation makes of the newest one. It begins as a copy of it, the operation changes it, and
  * [[finish]] does what every commit does. Ids are assigned here, so all of it runs again in every attempt.
  *
  * Source: format page of the table, "Building the manifest" and "Who assigns what".
  *
  * @param newest none when a table is created
  */
final private[table] class ManifestBuilder(
    context: CommitContext,
    val newest: Option[ManifestFile]
) {
  import ManifestBuilder._

  /** Everything but the fragments, the indices and what [[finish]] sets. */
  val message: proto.Manifest.Builder = proto.Manifest.newBuilder()

  /** The number of the new version. */
  var version: Long = 1L

  /** In any order. */
  var fragments: Seq[proto.DataFragment] = Nil

  /** The highest fragment id ever used or reserved; [[finish]] raises it to those of the fragments. */
  var maxFragmentId: Option[Long] = None

  private var dictionariesOf: Option[ManifestFile] = None
  private var changedIndices: Option[IndexMaintenance] = None
  private var startedFrom: Option[ManifestFile] = None

  newest.foreach { n =>
    startFrom(n)
    version = n.manifest.version + 1
    maxFragmentId = n.manifest.maxFragmentId
  }

  private var nextFragmentId = maxFragmentId.fold(0L)(_ + 1)

  /** Begins again with the content of this version: its schema, fragments, indices and settings. */
  def startFrom(file: ManifestFile): Unit = {
    message.clear().mergeFrom(withoutFragments(file.manifest.message)).clearTag()
    setFileVersion(file.manifest.fileVersion)
    fragments = file.manifest.fragments.map(_.message)
    dictionariesOf = Some(file)
    startedFrom = Some(file)
    changedIndices = None
  }

  /** The newest version.
    *
    * @throws InvalidRequestException when there is none
    */
  def previous: Manifest = newest.getOrElse(needsTable()).manifest

  /** A version that is there already. */
  def read(version: Long): ManifestFile =
    ManifestFile.read(
      context.store,
      new Versions(context.store, context.root).at(version)
    )

  def hasStableRowIds: Boolean = (message.getReaderFeatureFlags & FeatureFlags.stableRowIds) != 0

  /** Whether the fragment-reuse index has tags. */
  def isTagged: Boolean = (message.getReaderFeatureFlags & FeatureFlags.taggedFragmentReuse) != 0

  /** Reads row ids and versions of the newest version. */
  lazy val lineage: LineageReader =
    new LineageReader(context.store, previous.pathOf(context.root, _))

  def schema: Schema = FieldMessages.toSchema(
    message.getFieldsList.asScala,
    MapEntries.bytes(message.getSchemaMetadataList)
  )

  def setSchema(schema: Schema): Unit = {
    message.clearFields().addAllFields(
      FieldMessages.toMessages(schema).asJava
    ).clearSchemaMetadata().addAllSchemaMetadata(MapEntries.ofBytes(schema.metadata)): Unit
  }

  /** These fields of the newest version with all above and below them. An index on any of them holds values that change
    * with theirs.
    */
  def relatedFields(fields: Iterable[Int]): Set[Int] =
    previous.schema.related(fields.toSet)

  /** The ids of the fields of a data file, with those above them in the schema that own no column. */
  def logicalFields(fields: Iterable[Int]): Set[Int] = {
    val listed = fields.iterator.filter(_ >= 0).toSet
    def below(f: io.github.pysparklance.core.Field): Set[Int] = {
      val found = f.children.iterator.flatMap(below).toSet
      if (listed(f.id) || found.nonEmpty) found + f.id else found
    }
    listed ++ previous.schema.fields.iterator.flatMap(below)
  }

  def setFileVersion(version: FileVersion): Unit =
    message.setDataFormat(
      proto.Manifest.DataStorageFormat
        .newBuilder()
        .setFileFormat("lance")
        .setVersion(version.text)
    ): Unit

  /** Fails when data files do not have the file version of the table. */
  def checkFileVersions(fragments: Iterable[Fragment]): Unit =
    checkFiles(fragments.iterator.flatMap(_.files).toIndexedSeq)

  def checkFiles(files: Iterable[DataFile]): Unit = {
    val expected = message.getDataFormat.getVersion
    val isMixed = (message.getReaderFeatureFlags & FeatureFlags.mixedFileVersions) != 0
    files.find { f =>
      f.fileVersion.text != expected && !(isMixed && f.fileVersion != FileVersion.V0_1)
    }.foreach { f =>
      throw new InvalidRequestException(
        s"data file ${f.path} has version ${f.fileVersion.text}, the table has $expected"
      )
    }
  }

  /** New fragments with ids: those that have none get the ids after the highest that was ever used. */
  def numbered(fragments: Seq[Fragment]): Seq[proto.DataFragment] =
    if (fragments.forall(_.id == 0)) renumbered(fragments)
    else {
      val taken = scala.collection.mutable.Set.empty[Long] ++= this.fragments.iterator.map(_.getId)
      fragments.map { f =>
        val m = if (f.id == 0) withFreshId(f) else f.message
        if (!taken.add(m.getId))
          throw new InvalidRequestException(
            s"a new fragment with the id ${m.getId}, which is taken"
          )
        m
      }
    }

  /** New fragments with the ids after the highest that was ever used. */
  def renumbered(fragments: Seq[Fragment]): Seq[proto.DataFragment] = fragments.map(withFreshId)

  private def withFreshId(f: Fragment): proto.DataFragment = {
    val id = nextFragmentId
    if (id >= Fragment.reservedId)
      throw new UnsupportedFeatureException(s"fragment id $id: all ids of the table are used up")
    nextFragmentId += 1
    f.message.toBuilder.setId(id).build()
  }

  /** Without the files that hold no column of the schema any more, and carry no row lineage. */
  def withoutDeadFiles(f: proto.DataFragment): proto.DataFragment = filterFiles(f, liveFields)

  /** The same for all fragments. */
  def dropDeadFiles(): Unit = {
    val live = liveFields
    fragments = fragments.map(filterFiles(_, live))
  }

  private def liveFields: Set[Int] =
    message.getFieldsList.asScala.iterator.map(_.getId).toSet ++ RowLineage.fields

  private def filterFiles(f: proto.DataFragment, live: Set[Int]): proto.DataFragment = {
    val all = f.getFilesList.asScala
    if (all.forall(holds(_, live))) f
    else f.toBuilder.clearFiles().addAllFiles(all.filter(holds(_, live)).asJava).build()
  }

  private def holds(file: proto.DataFile, live: Set[Int]): Boolean =
    (0 until file.getFieldsCount).exists(i => live(file.getFields(i)))

  /** The indices that the new version keeps. */
  def indices: IndexMaintenance =
    changedIndices.getOrElse(startedFrom.fold(IndexMaintenance.none)(f => unchangedIndices(f)))

  private def unchangedIndices(f: ManifestFile): IndexMaintenance = {
    val i = new IndexMaintenance(f.indices)
    changedIndices = Some(i)
    i
  }

  def indices_=(now: IndexMaintenance): Unit = changedIndices = Some(now)

  /** Rule P, after fragments or the schema changed. */
  def retainIndices(): Unit =
    if (hasIndices)
      indices = indices.retained(schema, fragments.map(_.getId), reuse, isTagged)

  /** What earlier compactions recorded for indices that follow later. */
  private def reuse: FragmentReuse =
    FragmentReuse.of(context.store, context.root, previous, indices.segments)

  /** Takes fragments out of the coverage of indices on fields that have new values there, or on fields above or below
    * them.
    *
    * @param rewritten fragment ids with the fields that their new files hold
    */
  def withdrawCoverage(rewritten: Iterable[(Long, Set[Int])]): Unit =
    if (hasIndices) {
      val sets: Set[Set[Int]] = rewritten.iterator.map(_._2).toSet
      val related = sets.iterator.map(fields => fields -> relatedFields(fields)).toMap
      indices = indices.withdrawn(
        rewritten.map { case (id, fields) => id -> related(fields) },
        previous.fragments.map(_.id),
        reuse,
        isTagged
      )
    }

  private def hasIndices: Boolean =
    changedIndices.fold(startedFrom.exists(_.indexSection.isDefined))(_.segments.nonEmpty)

  /** Notes in the state of the write-ahead log what was merged. */
  def compacted(tables: Seq[CompactedSsTable]): Unit =
    throw new UnsupportedFeatureException("changing the state of the write-ahead log")

  /** Adds places for files, with ids from 1 for those that have none. */
  def addBases(bases: Iterable[BasePath]): Unit = bases.foreach { b =>
    val present = message.getBasePathsList.asScala
    present.find(p =>
      p.getPath == b.path || b.name.exists(n => p.hasName && p.getName == n)
    ).foreach {
      p =>
        throw new InvalidRequestException(
          s"the base path ${b.path} (${b.name.getOrElse("no name")}): its path or name is that of base ${p.getId}, ${p.getPath}"
        )
    }
    val ids = present.iterator.map(_.getId).toSet
    val id = if (b.id == 0) Iterator.from(1).find(i => !ids(i)).get else b.id
    if (ids(id))
      throw new InvalidRequestException(s"the base path ${b.path}: its id $id is taken")
    message.addBasePaths(b.copy(id = id).toMessage)
  }

  /** The finished manifest. */
  def finish(transaction: Transaction): Built = {
    val now = Instant.now()
    message
      .setVersion(version)
      .setTimestamp(Timestamp.newBuilder().setSeconds(now.getEpochSecond).setNanos(now.getNano))
      .setWriterVersion(writer)
      .setTransactionFile(transaction.fileName)
      .setTag(transaction.tag)
    val sorted = ascending(fragments).map(withoutTombstones)
    message.clearFragments().addAllFragments(sorted.asJava)
    (maxFragmentId ++ sorted.lastOption.map(_.getId)).reduceOption(_ max _)
      .foreach(id => message.setMaxFragmentId(id.toInt))
    val section =
      if (changedIndices.isEmpty) startedFrom.flatMap(_.indexSection) else indices.section
    setFlags(message, sorted, section)
    Built(
      message,
      section,
      dictionariesOf.fold(Map.empty[Int, ManifestDictionary])(_.dictionaries)
    )
  }
}

private[table] object ManifestBuilder {

  /** A manifest ready to be encoded.
    *
    * @param indexSection the indices it keeps
    * @param dictionaries of version 0.1, by field id
    */
  final case class Built(
      manifest: proto.Manifest.Builder,
      indexSection: Option[ByteString],
      dictionaries: Map[Int, ManifestDictionary]
  )

  def needsTable(): Nothing =
    throw new InvalidRequestException("this operation needs a table that is there")

  private def withoutFragments(m: proto.Manifest): proto.Manifest =
    m.toBuilder.clearFragments().build()

  private def ascending(fragments: Seq[proto.DataFragment]): IndexedSeq[proto.DataFragment] = {
    val all = fragments.toIndexedSeq
    val isSorted = (1 until all.length).forall(i => all(i - 1).getId <= all(i).getId)
    if (isSorted) all else all.sortBy(_.getId)
  }

  /** A file whose columns were all replaced is dropped. */
  private def withoutTombstones(f: proto.DataFragment): proto.DataFragment = {
    def isDead(file: proto.DataFile): Boolean = file.getFieldsCount > 0 &&
      (0 until file.getFieldsCount).forall(file.getFields(_) == DataFile.tombstone)
    val files = f.getFilesList.asScala
    if (!files.exists(isDead)) f
    else f.toBuilder.clearFiles().addAllFiles(files.filterNot(isDead).asJava).build()
  }

  /** Both words anew from the content, with the flags that stay once they are set. */
  private def setFlags(
      m: proto.Manifest.Builder,
      fragments: Seq[proto.DataFragment],
      indexSection: Option[ByteString]
  ): Unit = {
    import FeatureFlags._
    def flag(bit: Long, isSet: Boolean): Long = if (isSet) bit else 0L
    val covering = indexSection.exists { s =>
      proto.IndexSection.parseFrom(s).getIndicesList.asScala.exists(_.getCoveringFieldsCount > 0)
    }
    val both = flag(deletionFiles, fragments.exists(_.hasDeletionFile)) |
      flag(spilledLineage, fragments.exists(isSpilled)) |
      flag(basePaths, m.getBasePathsCount > 0) |
      flag(coveringFields, covering) |
      (m.getReaderFeatureFlags & sticky)
    val writersOnly = flag(config, m.getConfigCount > 0)
    m.setReaderFeatureFlags(both).setWriterFeatureFlags(both | writersOnly): Unit
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
