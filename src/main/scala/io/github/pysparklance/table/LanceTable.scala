// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{
  NotFoundException,
  Optional,
  ParallelReads,
  Place,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.FilePages
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion}
import io.github.pysparklance.file.spi.FilePage
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.blob.{BlobBases, BlobBytes}
import io.github.pysparklance.table.cleanup.{
  AutoCleanup,
  CleanupPlan,
  CleanupPlanner,
  CleanupPolicy,
  CleanupStats,
  TableFiles
}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{
  BasePath,
  DataFile,
  FeatureFlags,
  Fragment,
  FragmentsById,
  IndexSegment,
  Manifest,
  ManifestDictionary,
  ManifestFile,
  ManifestLimits,
  ManifestLocation,
  SchemaRules,
  TableFolders,
  Versions
}
import io.github.pysparklance.table.refs.{Branches, Revision, Revisions, Tags}
import io.github.pysparklance.table.reuse.FragmentReuse
import io.github.pysparklance.table.rowid.{LineageReader, RowIdIndex, RowIdSequence, RowUpdates}
import io.github.pysparklance.table.transaction.build.MovedRows
import io.github.pysparklance.table.transaction.operation.{
  Append,
  DeleteRows,
  Operation,
  Overwrite,
  UpdateRows
}
import io.github.pysparklance.table.transaction.{Commit, CommitOptions, TableChanges}

/** One version of a table. Immutable: commits return the new version as another object.
  *
  * @param root the folder of the table
  */
final class LanceTable private (
    private[pysparklance] val store: FileStore,
    val root: TablePath,
    private[table] val file: ManifestFile
) {

  /** The manifest of this version. */
  def manifest: Manifest = file.manifest

  /** The path of the table as the user wrote it, without trailing slashes. */
  def path: String = root.root

  /** Number of this version. */
  def version: Long = manifest.version

  /** The columns. */
  def schema: Schema = manifest.schema

  /** The fragments in scan order. If an early release did not count the rows of fragments, or
    * miscounted them, counts them in the data files, with a request per fragment, and omits empty
    * fragments.
    */
  lazy val fragments: IndexedSeq[Fragment] =
    if (manifest.countsRows) manifest.fragments
    else inTable(RowCounts.complete(store, manifest, pathOf))

  private lazy val byId = new FragmentsById(fragments)

  /** Returns a fragment by id, or `None` if this version does not have it. */
  def fragment(id: Long): Option[Fragment] = byId.get(id)

  /** The version for new data files. */
  def fileVersion: FileVersion = manifest.fileVersion

  /** Number of rows that are not deleted, if the manifest contains it. Reads no data. */
  def rowCount: Option[Long] = manifest.rowCount

  /** Resolves blobs outside the folders of this table. Shared by the scans of all fragments. */
  private[table] lazy val blobBases: BlobBases = BlobBases(root, manifest.basePaths)

  /** This version, for errors. Shared by the scans of all fragments. */
  private[table] lazy val place: Place = Place(path = Some(path), version = Some(version))

  /** Returns the path of a data file of this version. */
  def pathOf(dataFile: DataFile): String = inTable(manifest.pathOf(root, dataFile))

  /** Returns the pages of a data file of this version, by column. Usually takes one request.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the file violates the format
    */
  def pagesOf(dataFile: DataFile): IndexedSeq[FilePage] = {
    val path = pathOf(dataFile)
    val reader = dataFile.reliableSizeBytes.fold(store.open(path))(store.open(path, _))
    FilePages.all(reader, schema.flatten, dataFile.fields)
  }

  /** Returns the path of a fragment's deletion file, or `None` if no row is deleted. */
  def deletionPath(fragment: Fragment): Option[String] =
    fragment.deletionFile.map(d => inTable(manifest.pathOf(root, fragment.id, d)))

  /** Returns the deleted rows of a fragment.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the deletion file is damaged
    * @throws NotFoundException if the deletion file does not exist
    */
  def deletionVector(fragment: Fragment): DeletionVector =
    fragment.deletionFile.fold(DeletionVector.empty) { d =>
      DeletionVector.read(store, deletionPath(fragment).get, d, fragment.physicalRows)
    }

  /** Whether rows keep their ids when an update or a compaction moves them. */
  def hasStableRowIds: Boolean = manifest.flags.reads(FeatureFlags.stableRowIds)

  /** Number of rows that are not deleted in the fragments before each fragment, in scan order.
    * Reads deletion files only if an old manifest lacks the number of deleted rows.
    *
    * @throws UnsupportedFeatureException if an old writer did not count the rows of a fragment
    */
  lazy val liveRowsBefore: IndexedSeq[Long] = inTable {
    fragments.scanLeft(0L)((sum, f) => Math.addExact(sum, liveRows(f))).init
  }

  /** The values of dictionary fields by field id, which all files of version 0.1 share. Empty in
    * later versions.
    */
  private[table] def dictionaries: Map[Int, ManifestDictionary] = inTable(file.dictionaries)

  /** Returns the number of rows in a fragment, including deleted ones.
    *
    * @throws UnsupportedFeatureException if an early release wrote the fragment without its row
    *   count
    */
  def physicalRows(fragment: Fragment): Long = fragment.physicalRows.getOrElse(
    throw new UnsupportedFeatureException(
      s"fragment ${fragment.id} without a row count (written by an early release)",
      Place(path = Some(path), version = Some(version))
    )
  )

  private[table] def liveRows(fragment: Fragment): Long = fragment.liveRows.getOrElse {
    physicalRows(fragment) - deletionVector(fragment).numDeletedRows
  }

  /** Returns the stable row ids of a fragment, or `None` if the table has none. Reads a data file
    * if they are stored in one.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if they are damaged
    */
  def rowIds(fragment: Fragment): Option[RowIdSequence] = inTable {
    if (hasStableRowIds) lineage.rowIds(fragment) else None
  }

  /** Returns the updates of the rows of a fragment; none if the table has no stable row ids. */
  def updates(fragment: Fragment): RowUpdates =
    if (hasStableRowIds) inTable(lineage.updates(fragment)) else RowUpdates.none

  /** Reads the row ids and row versions of fragments. */
  private[table] def lineage: LineageReader = new LineageReader(store, pathOf)

  /** Finds rows by stable row id. Empty for tables without stable row ids. */
  lazy val rowIdIndex: RowIdIndex = new RowIdIndex(fragments.map { f =>
    new RowIdIndex.Entry(
      f.id,
      () => rowIds(f).getOrElse(RowIdSequence.empty),
      () => deletionVector(f)
    )
  })

  /** Plans a clean-up of old versions without deleting anything. On a branch, covers the versions
    * of the branch.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if a tag protects a version that
    *   the policy would remove, unless the policy allows that
    */
  def planCleanup(policy: CleanupPolicy): CleanupPlan = inTable {
    new CleanupPlanner(store, root, file).plan(policy)
  }

  /** Checks that this release can write to the table.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException with the unsupported feature
    */
  def checkWritable(): Unit = inTable(manifest.flags.checkWritable())

  /** Checks that rows of this schema can be appended.
    *
    * @throws InvalidRequestException with the first difference
    */
  def checkAppend(incoming: Schema): Unit = inTable(SchemaRules.checkAppend(schema, incoming))

  /** Appends fragments. Does not conflict with concurrent appends.
    *
    * @param added without ids; their files have [[fileVersion]] and are in
    *   [[LanceTable.dataFolder]]
    * @param properties commit properties
    * @throws io.github.pysparklance.core.CommitConflictException if a concurrent commit overwrote
    *   or changed the table in a conflicting way; nothing was committed
    */
  def append(
      added: IndexedSeq[Fragment],
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = commit(Append(added), properties, options)

  /** Replaces the whole content with these fragments. Earlier versions remain readable.
    *
    * @param schema schema with the field ids that the files use
    * @param fileVersion version of the files
    * @param config table configuration to add to the present one
    * @throws io.github.pysparklance.core.CommitConflictException if a concurrent commit overwrote
    *   the table; nothing was committed
    */
  def overwrite(
      fragments: IndexedSeq[Fragment],
      schema: Schema,
      fileVersion: FileVersion = fileVersion,
      config: Map[String, String] = Map.empty,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable =
    commit(Overwrite(fragments, schema, Some(fileVersion), config), properties, options)

  /** Deletes rows. Concurrent deletions of other rows in the same fragments are merged.
    *
    * @param rows offsets by fragment id, of rows of this version
    * @param predicate the condition in SQL, recorded with the version for information
    * @return this version if there is nothing to delete
    * @throws io.github.pysparklance.core.CommitConflictException if a concurrent commit deleted or
    *   changed one of the rows, or changed the table in a conflicting way; nothing was committed
    */
  def delete(
      rows: Map[Long, DeletionVector],
      predicate: String,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable =
    if (rows.forall(_._2.isEmpty)) this
    else commit(DeleteRows(rows, predicate), properties, options)

  /** Replaces rows, usually by the same rows with new values.
    *
    * @param rows offsets by fragment id, of rows of this version
    * @param added fragments without ids, as for [[append]]; with stable row ids they contain the
    *   ids of moved rows, see [[Fragment.unassigned]]
    * @param changedFields ids of the fields, at any depth, with new values in moved rows
    * @param movedRows with stable row ids, the moved rows of each of `added` if they are at any
    *   offset; empty if `added` contain the ids
    * @return this version if there is nothing to do
    * @throws io.github.pysparklance.core.CommitConflictException see [[delete]]
    */
  def update(
      rows: Map[Long, DeletionVector],
      added: IndexedSeq[Fragment],
      changedFields: Set[Int],
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions(),
      movedRows: IndexedSeq[MovedRows] = IndexedSeq.empty
  ): LanceTable =
    if (rows.forall(_._2.isEmpty) && added.isEmpty) this
    else {
      val operation = UpdateRows(rows, added, changedFields, movedRows = movedRows)
      commit(operation, properties, options)
    }

  /** Returns the bytes of each fragment's side files of blobs. Lists them only if the table has
    * blobs of version 2.
    *
    * @param isExact if false, lists at most 64 fragments and estimates the others; folders that
    *   cannot be listed count as empty
    */
  def blobBytes(isExact: Boolean): IndexedSeq[Long] = {
    val blobs = schema.flatten.filter(_.isBlobV2).flatMap(_.flatten).map(_.id).toSet
    if (blobs.isEmpty) fragments.map(_ => 0L)
    else {
      val bytes = new BlobBytes(store, blobs, pathOf(_))
      if (isExact) bytes.exact(fragments)
      else bytes.estimated(fragments, fragments.map(_.physicalRows.getOrElse(0L)))
    }
  }

  /** Commits an operation on top of the latest version, which may be later than this one.
    *
    * @param operation based on this version
    * @param properties commit properties
    * @return the new version
    * @throws io.github.pysparklance.core.CommitConflictException if it conflicts with a commit
    *   since this version; nothing was committed. If it is retryable, the operation can be repeated
    *   on [[latest]], see [[io.github.pysparklance.table.transaction.Retry]]
    * @throws io.github.pysparklance.core.CommitStateUnknownException if storage failed and the
    *   outcome is unknown; no file of the operation may be deleted
    */
  def commit(
      operation: Operation,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = inTable {
    val committed = new Commit(store, root, options)(operation, Some(file), properties)
    new LanceTable(store, root, committed)
  }

  /** Removes old versions after a commit if the table's `lance.auto_cleanup.*` properties request
    * it. Best effort: failures are logged, not thrown.
    *
    * @param first the first version of the commit, if it made several
    * @return `None` if the properties do not request it, or if it failed
    */
  private[pysparklance] def cleanUpAfterCommit(
      first: Option[Long] = None
  ): Option[CleanupStats] = {
    val cleaned = AutoCleanup.after(store, root, file, first)
    if (cleaned.isDefined) TableChanges.changed(path)
    cleaned
  }

  /** The index segments of this version. */
  lazy val indices: IndexedSeq[IndexSegment] = inTable(
    file.indices.getIndicesList.asScala.iterator.map(IndexSegment(_)).toIndexedSeq
  )

  /** Returns the folder of an index segment's files. */
  def indexFolder(segment: IndexSegment): TablePath = inTable(manifest.indexFolder(root, segment))

  /** The rows moved by compactions that deferred the update of indices. */
  def fragmentReuse: FragmentReuse = inTable(FragmentReuse.of(store, root, manifest, indices))

  /** Returns this version with other columns, without committing it. It can only be read.
    *
    * @param fragments the fragments of this version, with files of new columns if they have any
    */
  private[table] def withColumns(schema: Schema, fragments: IndexedSeq[Fragment]): LanceTable = {
    val message = manifest.message.toBuilder
      .clearFields()
      .addAllFields(FieldMessages.toMessages(schema).asJava)
      .clearFragments()
    fragments.foreach(f => message.addFragments(f.message))
    new LanceTable(store, root, file.withManifest(Manifest(message.build())))
  }

  /** Returns this version for tasks.
    *
    * @param store the store that tasks read from
    */
  def handle(store: FileStore): TableHandle =
    new TableHandle(store, root, file.location, manifest.transactionFile, this)

  /** Returns uncommitted fragments with the columns of this version as a table without indices. It
    * can only be read. The id of a fragment is its position.
    *
    * @param added fragments without ids
    */
  private[pysparklance] def staged(added: IndexedSeq[Fragment]): LanceTable = {
    // New fragments have no stable row ids.
    val withIds = FeatureFlags.stableRowIds
    val message = manifest.message.toBuilder
      .clearFragments()
      .clearIndexSection()
      .setReaderFeatureFlags(manifest.message.getReaderFeatureFlags & ~withIds)
      .setWriterFeatureFlags(manifest.message.getWriterFeatureFlags & ~withIds)
    added.zipWithIndex.foreach { case (f, i) =>
      message.addFragments(f.message.toBuilder.setId(i.toLong))
    }
    new LanceTable(store, root, file.withManifest(Manifest(message.build())))
  }

  /** Opens the latest version of this table or branch. Returns this object if storage still has its
    * manifest as the latest one.
    */
  def latest: LanceTable = new Versions(store, root).latest() match {
    case Some(l) => at(l)
    case None => throw new NotFoundException("table", Place(path = Some(path)))
  }

  /** Opens a version of this table or branch. Returns this object if storage still has its manifest
    * there.
    */
  private[table] def at(location: ManifestLocation): LanceTable =
    if (location.version == version && file.isAt(location)) this
    else new LanceTable(store, root, ManifestFile.read(store, location))

  private def inTable[A](body: => A): A =
    Place.in(place)(body)
}

object LanceTable {

  /** Folder of the data files below the root. */
  val dataFolder: String = TableFolders.data

  /** Opens a table.
    *
    * @param version number of the version; `None` for the latest
    * @throws NotFoundException if the table or version does not exist
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if the table uses a feature
    *   that this release cannot read
    * @throws io.github.pysparklance.core.CorruptFileException if the manifest is damaged
    */
  def open(store: FileStore, path: String, version: Option[Long] = None): LanceTable =
    open(store, path, version.fold[Revision](Revision.Latest)(Revision.Version))

  /** Opens a table at a version, tag, branch, or time.
    *
    * @param path path of the table, not of a branch; the [[LanceTable.path]] of a branch is the
    *   branch's own path
    * @throws NotFoundException if the table, tag, branch, or version does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException if the name is not a valid tag or
    *   branch name
    */
  def open(store: FileStore, path: String, revision: Revision): LanceTable =
    new Revisions(store, TablePath(path)).find(revision) match {
      case Some(found) => new LanceTable(store, found.root, found.file)
      case None => throw new NotFoundException("table", Place(path = Some(path)))
    }

  /** Returns a version that was just committed. Reads nothing, because a failure now must not look
    * like a failed commit.
    */
  private[table] def of(store: FileStore, root: TablePath, file: ManifestFile): LanceTable =
    new LanceTable(store, root, file)

  /** Opens the latest version of a table, or returns `None` if the table does not exist. */
  def openIfExists(store: FileStore, path: String): Option[LanceTable] = {
    val root = TablePath(path)
    new Versions(store, root).latest().map { location =>
      new LanceTable(store, root, ManifestFile.read(store, location))
    }
  }

  /** Whether a table exists at this path, readable or not. */
  def exists(store: FileStore, path: String): Boolean =
    new Versions(store, TablePath(path)).latest().isDefined

  /** Returns the numbers of all versions that were not removed, ascending. */
  def versions(store: FileStore, path: String): IndexedSeq[Long] =
    new Versions(store, TablePath(path)).list().map(_.version)

  /** Returns the history of a table: all versions that were not removed, ascending. Reads versions
    * in parallel, slightly ahead of the caller.
    *
    * @param branch `None` for the main branch
    * @throws NotFoundException if the branch does not exist
    */
  def history(
      store: FileStore,
      path: String,
      branch: Option[String] = None
  ): Iterator[VersionInfo] = {
    val main = TablePath(path)
    val root = branch.fold(main)(new Branches(store, main).rootOf)
    val locations = new Versions(store, root).list()
    val reader = new VersionRecord.Reader(store, root)
    val threads = ManifestLimits.readersOf(store, root, locations)
    val records = new ParallelReads(locations, threads)(reader(_))
    locations.indices.iterator.map { i =>
      val record = records(i)
      VersionInfo(record, Optional.when(i > 0)(records(i - 1)))
    }
  }

  /** The tags of a table. */
  def tags(store: FileStore, path: String): Tags = new Tags(store, TablePath(path))

  /** The branches of a table, except the main branch. */
  def branches(store: FileStore, path: String): Branches = new Branches(store, TablePath(path))

  /** Creates a table.
    *
    * @param schema schema with the field ids that the files use, see [[Schema.withFreshIds]]
    * @param fragments without ids; their files have `fileVersion` and are in [[dataFolder]]
    * @param enableStableRowIds whether rows keep their ids when an update or a compaction moves
    *   them; cannot be changed later
    * @param initialBases base paths of the table, see [[TargetBases.numbered]]
    * @throws io.github.pysparklance.core.CommitConflictException if the table exists, even if it
    *   was created concurrently
    */
  def create(
      store: FileStore,
      path: String,
      schema: Schema,
      fragments: IndexedSeq[Fragment] = IndexedSeq.empty,
      fileVersion: FileVersion = FileVersion.default,
      config: Map[String, String] = Map.empty,
      properties: Map[String, String] = Map.empty,
      enableStableRowIds: Boolean = false,
      initialBases: Seq[BasePath] = Nil
  ): LanceTable = {
    val root = TablePath(path)
    Place.in(Place(path = Some(root.root))) {
      val operation =
        Overwrite(fragments, schema, Some(fileVersion), config, enableStableRowIds, initialBases)
      new LanceTable(store, root, new Commit(store, root)(operation, None, properties))
    }
  }

  /** Renames manifests from the naming scheme V1 of old releases to V2, on all branches. No writer
    * may be active meanwhile. After a failure, run it again: a table with both schemes is rejected.
    *
    * @return number of renamed manifests
    */
  def migrateManifestPathsV2(store: FileStore, path: String): Int = {
    val root = TablePath(path)
    val branchRoots = branches(store, path).list().map(b => root.folder("tree").folder(b.name))
    (root +: branchRoots).map(r => new Versions(store, r).migrateToV2()).sum
  }

  /** Drops a table with all its versions. Removes its folder unless it contains other files, which
    * stay.
    *
    * @return false if the table did not exist
    */
  def drop(store: FileStore, path: String): Boolean = {
    val root = TablePath(path)
    val found = exists(store, path)
    if (found) {
      val names = branches(store, path).list().map(_.name)
      val branchRoots = names.map(root.folder("tree").folder(_))
      (root +: branchRoots).foreach(r => new Versions(store, r).forget())
      TableFiles.delete(store, root, names)
      if (store.list(root.root).isEmpty) store.deleteFolder(root.root)
      TableChanges.changed(root.root)
    }
    found
  }
}
