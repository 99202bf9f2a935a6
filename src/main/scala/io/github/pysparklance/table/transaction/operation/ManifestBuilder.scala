// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, Timestamp}

import io.github.pysparklance.Version
import io.github.pysparklance.core.{InvalidRequestException, Schema, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, MapEntries}
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
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.reuse.FragmentReuse
import io.github.pysparklance.table.rowid.{LineageReader, RowLineage}
import io.github.pysparklance.table.transaction.build.AppliedWrites

/** Builds the manifest of the next version. It starts as a copy of the latest manifest, the
  * operation changes it, and [[finish]] does the steps common to all commits. It assigns ids, so
  * every attempt of a commit starts with a new builder.
  *
  * Source: format page of the table, "Building the manifest" and "Who assigns what".
  *
  * @param latest the latest version; none when a table is created
  */
final private[table] class ManifestBuilder(
    context: CommitContext,
    val latest: Option[ManifestFile]
) {
  import ManifestBuilder._

  /** The manifest, except the fragments, the indices, and the fields that [[finish]] sets. */
  val message: proto.Manifest.Builder = proto.Manifest.newBuilder()

  /** Number of the new version. */
  var version: Long = 1L

  /** The fragments, in any order. */
  var fragments: Seq[proto.DataFragment] = Nil

  /** The highest fragment id ever used or reserved; [[finish]] raises it to the highest id of the
    * fragments.
    */
  var maxFragmentId: Option[Long] = None

  private var dictionariesOf: Option[ManifestFile] = None
  private var changedIndices: Option[IndexMaintenance] = None
  private var startedFrom: Option[ManifestFile] = None

  latest.foreach { n =>
    startFrom(n)
    version = n.manifest.version + 1
    maxFragmentId = n.manifest.maxFragmentId
  }

  private var nextFragmentId = maxFragmentId.fold(0L)(_ + 1)

  /** Starts over with the content of a version: its schema, fragments, indices, and configuration.
    */
  def startFrom(file: ManifestFile): Unit = {
    message.clear().mergeFrom(withoutFragments(file.manifest.message)).clearTag()
    setFileVersion(file.manifest.fileVersion)
    fragments = file.manifest.fragments.map(_.message)
    dictionariesOf = Some(file)
    startedFrom = Some(file)
    changedIndices = None
  }

  /** Returns the latest version.
    *
    * @throws InvalidRequestException if there is none
    */
  def previous: Manifest = latest.getOrElse(needsTable()).manifest

  /** Reads an existing version. */
  def read(version: Long): ManifestFile =
    ManifestFile.read(
      context.store,
      new Versions(context.store, context.root).at(version)
    )

  def hasStableRowIds: Boolean = (message.getReaderFeatureFlags & FeatureFlags.stableRowIds) != 0

  /** Whether the fragment-reuse index has tags. */
  def isTagged: Boolean = (message.getReaderFeatureFlags & FeatureFlags.taggedFragmentReuse) != 0

  /** Reads row ids and row versions of the latest version. */
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

  /** Returns these fields of the latest version with their ancestors and descendants. An index on
    * any of them contains values that change with them.
    */
  def relatedFields(fields: Iterable[Int]): Set[Int] =
    previous.schema.related(fields.toSet)

  /** Returns the field ids of a data file, with those ancestors in the schema that have no column
    * of their own.
    */
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

  /** Checks that data files have the file version of the table. */
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

  /** Assigns ids to new fragments: fragments without an id get the ids after the highest one ever
    * used.
    */
  def numbered(fragments: Seq[Fragment]): Seq[proto.DataFragment] =
    if (fragments.forall(_.id == 0)) renumbered(fragments)
    else {
      val taken = scala.collection.mutable.Set.empty[Long] ++= this.fragments.iterator.map(_.getId)
      fragments.map { f =>
        val m = if (f.id == 0) withFreshId(f) else f.message
        if (!taken.add(m.getId))
          throw new InvalidRequestException(
            s"a new fragment has the id ${m.getId}, which is already in use"
          )
        m
      }
    }

  /** Assigns the ids after the highest one ever used to new fragments. */
  def renumbered(fragments: Seq[Fragment]): Seq[proto.DataFragment] = fragments.map(withFreshId)

  private def withFreshId(f: Fragment): proto.DataFragment = {
    val id = nextFragmentId
    if (id >= Fragment.reservedId)
      throw new UnsupportedFeatureException(s"fragment id $id: all ids of the table are used up")
    nextFragmentId += 1
    f.message.toBuilder.setId(id).build()
  }

  /** Drops files of a fragment that contain neither a column of the schema nor row lineage. */
  def withoutDeadFiles(f: proto.DataFragment): proto.DataFragment = filterFiles(f, liveFields)

  /** Drops such files from all fragments. */
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

  /** The indices of the new version. */
  def indices: IndexMaintenance =
    changedIndices.getOrElse(startedFrom.fold(IndexMaintenance.none)(f => unchangedIndices(f)))

  private def unchangedIndices(f: ManifestFile): IndexMaintenance = {
    val i = new IndexMaintenance(f.indices)
    changedIndices = Some(i)
    i
  }

  def indices_=(now: IndexMaintenance): Unit = changedIndices = Some(now)

  /** Applies rule P after a change of fragments or the schema. */
  def retainIndices(): Unit =
    if (hasIndices)
      indices = indices.retained(schema, fragments.map(_.getId), reuse, isTagged)

  /** Returns the deferred index remaps of earlier compactions. */
  private def reuse: FragmentReuse =
    FragmentReuse.of(context.store, context.root, previous, indices.segments)

  /** Removes fragments from the coverage of indices on fields that have new values there, or on
    * their ancestors or descendants.
    *
    * @param rewritten fragment ids with the fields in their new files
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

  /** Records merged write-ahead log tables in the state of the write-ahead log. */
  def compacted(tables: Seq[CompactedSsTable]): Unit =
    throw new UnsupportedFeatureException("changing the state of the write-ahead log")

  /** Adds base paths. Those without an id get the lowest free ids, from 1. */
  def addBases(bases: Iterable[BasePath]): Unit = bases.foreach { b =>
    val present = message.getBasePathsList.asScala
    present.find(p =>
      p.getPath == b.path || b.name.exists(n => p.hasName && p.getName == n)
    ).foreach {
      p =>
        throw new InvalidRequestException(
          s"the base path ${b.path} (${b.name.getOrElse("no name")}) has the path or name of base " +
            s"${p.getId}, ${p.getPath}"
        )
    }
    val ids = present.iterator.map(_.getId).toSet
    val id = if (b.id == 0) Iterator.from(1).find(i => !ids(i)).get else b.id
    if (ids(id))
      throw new InvalidRequestException(
        s"the base path ${b.path} has the id $id, which is already in use"
      )
    message.addBasePaths(b.copy(id = id).toMessage)
  }

  /** Returns the finished manifest. */
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
    val config = MapEntries.texts(message.getConfigList)
    AppliedWrites.recorded(config, transaction.properties, now.toEpochMilli).foreach { marked =>
      message.clearConfig().addAllConfig(MapEntries.ofTexts(marked))
    }
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
    * @param indexSection the indices of the new version
    * @param dictionaries dictionaries of file version 0.1, by field id
    */
  final case class Built(
      manifest: proto.Manifest.Builder,
      indexSection: Option[ByteString],
      dictionaries: Map[Int, ManifestDictionary]
  )

  def needsTable(): Nothing =
    throw new InvalidRequestException("this operation needs an existing table")

  private def withoutFragments(m: proto.Manifest): proto.Manifest =
    m.toBuilder.clearFragments().build()

  private def ascending(fragments: Seq[proto.DataFragment]): IndexedSeq[proto.DataFragment] = {
    val all = fragments.toIndexedSeq
    val isSorted = (1 until all.length).forall(i => all(i - 1).getId <= all(i).getId)
    if (isSorted) all else all.sortBy(_.getId)
  }

  /** Drops files whose columns were all replaced. */
  private def withoutTombstones(f: proto.DataFragment): proto.DataFragment = {
    def isDead(file: proto.DataFile): Boolean = file.getFieldsCount > 0 &&
      (0 until file.getFieldsCount).forall(file.getFields(_) == DataFile.tombstone)
    val files = f.getFilesList.asScala
    if (!files.exists(isDead)) f
    else f.toBuilder.clearFiles().addAllFiles(files.filterNot(isDead).asJava).build()
  }

  /** Computes both flag words from the content, and keeps sticky flags. */
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
