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
import io.github.pysparklance.table.blob.BlobBytes
import io.github.pysparklance.table.cleanup.{
  AutoCleanup,
  CleanupPlan,
  CleanupPlanner,
  CleanupPolicy,
  CleanupStats
}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{
  BasePath,
  DataFile,
  FeatureFlags,
  Fragment,
  IndexSegment,
  Manifest,
  ManifestDictionary,
  ManifestFile,
  SchemaRules,
  TableFolders,
  Versions
}
import io.github.pysparklance.table.refs.{Branches, Revision, Revisions, Tags}
import io.github.pysparklance.table.reuse.FragmentReuse
import io.github.pysparklance.table.rowid.{LineageReader, RowIdIndex, RowIdSequence}
import io.github.pysparklance.table.transaction.{Commit, CommitOptions, TableChanges}
import io.github.pysparklance.table.transaction.operation.{
  Append,
  DeleteRows,
  Operation,
  Overwrite,
  UpdateRows
}

/** One version of a table. Immutable: a commit answers with the new version.
  *
  * @param root the folder of the table
  */
final class LanceTable private (
    private[pysparklance] val store: FileStore,
    val root: TablePath,
    private[table] val file: ManifestFile
) {

  /** The content of this version. */
  def manifest: Manifest = file.manifest

  /** The table as the user named it, without slashes at its end. */
  def path: String = root.root

  /** This version. */
  def version: Long = manifest.version

  /** The columns. */
  def schema: Schema = manifest.schema

  /** In scan order. Where an early release did not count the rows, or miscounted them, they are counted in the files
    * and fragments without any left out; that takes a request a fragment.
    */
  lazy val fragments: IndexedSeq[Fragment] =
    if (manifest.countsRows) manifest.fragments
    else inTable(RowCounts.complete(store, manifest, pathOf))

  /** The version that new data files must have. */
  def fileVersion: FileVersion = manifest.fileVersion

  /** Rows that are not deleted, without reading data; none when an old writer did not count them. */
  def rowCount: Option[Long] = manifest.rowCount

  /** Where a data file of this version is. */
  def pathOf(dataFile: DataFile): String = inTable(manifest.pathOf(root, dataFile))

  /** The pages of a data file of this version, by column; one request as a rule.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when the file contradicts the format
    */
  def pagesOf(dataFile: DataFile): IndexedSeq[FilePage] = {
    val path = pathOf(dataFile)
    val reader = dataFile.reliableSizeBytes.fold(store.open(path))(store.open(path, _))
    FilePages.all(reader, schema.flatten, dataFile.fields)
  }

  /** Where the deletion file of a fragment is; none when no row of it is deleted. */
  def deletionPath(fragment: Fragment): Option[String] =
    fragment.deletionFile.map(d => inTable(manifest.pathOf(root, fragment.id, d)))

  /** The deleted rows of a fragment.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when the deletion file is damaged
    * @throws NotFoundException when it is gone
    */
  def deletionVector(fragment: Fragment): DeletionVector =
    fragment.deletionFile.fold(DeletionVector.empty) { d =>
      DeletionVector.read(store, deletionPath(fragment).get, d, fragment.physicalRows)
    }

  /** Whether rows keep their id when an update or a compaction moves them. */
  def hasStableRowIds: Boolean = manifest.flags.reads(FeatureFlags.stableRowIds)

  /** Rows that are not deleted in the fragments before each fragment, in scan order. Reads deletion files only of
    * old tables, whose manifests do not say how many rows they delete.
    *
    * @throws UnsupportedFeatureException when an old writer did not count the rows of a fragment
    */
  lazy val liveRowsBefore: IndexedSeq[Long] = inTable {
    fragments.scanLeft(0L)((sum, f) => Math.addExact(sum, liveRows(f))).init
  }

  /** The values of dictionary fields by id, which all files of version 0.1 share; none in later versions. */
  private[table] def dictionaries: Map[Int, ManifestDictionary] = inTable(file.dictionaries)

  /** Rows of a fragment, deleted ones included.
    *
    * @throws UnsupportedFeatureException if an early release wrote the fragment without its row count
    */
  def physicalRows(fragment: Fragment): Long = fragment.physicalRows.getOrElse(
    throw new UnsupportedFeatureException(
      s"fragment ${fragment.id} without a row count, as early releases wrote it",
      Place(path = Some(path), version = Some(version))
    )
  )

  private[table] def liveRows(fragment: Fragment): Long = fragment.liveRows.getOrElse {
    physicalRows(fragment) - deletionVector(fragment).numDeletedRows
  }

  /** The stable row ids of a fragment; none in tables without. Reads a data file when they lie in one.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when they are damaged
    */
  def rowIds(fragment: Fragment): Option[RowIdSequence] = inTable {
    if (hasStableRowIds) new LineageReader(store, pathOf).rowIds(fragment) else None
  }

  /** Finds rows by their stable ids; in tables without, nothing. Made once. */
  lazy val rowIdIndex: RowIdIndex = new RowIdIndex(fragments.map { f =>
    new RowIdIndex.Entry(
      f.id,
      () => rowIds(f).getOrElse(RowIdSequence.empty),
      () => deletionVector(f)
    )
  })

  /** What a clean-up of old versions would remove; nothing is removed before the plan runs. On a branch, versions of the
    * branch.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException when a tag keeps a version that the policy lets go,
    *   unless it allows that
    */
  def planCleanup(policy: CleanupPolicy): CleanupPlan = inTable {
    new CleanupPlanner(store, root, file).plan(policy)
  }

  /** Fails early when this table cannot be written by this release.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException naming the feature
    */
  def checkWritable(): Unit = inTable(manifest.flags.checkWritable())

  /** Fails when rows of this schema cannot be appended.
    *
    * @throws InvalidRequestException that names the first difference
    */
  def checkAppend(incoming: Schema): Unit = inTable(SchemaRules.checkAppend(schema, incoming))

  /** Adds fragments, whatever other writers append meanwhile.
    *
    * @param added without ids; their files have [[fileVersion]] and lie in [[LanceTable.dataFolder]]
    * @param properties notes on the commit
    * @throws io.github.pysparklance.core.CommitConflictException when the table was overwritten or changed
    *   meanwhile in a way that does not go together with an append; nothing was committed
    */
  def append(
      added: IndexedSeq[Fragment],
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = commit(Append(added), properties, options)

  /** Replaces the whole content by these fragments; earlier versions stay readable.
    *
    * @param schema with the field ids that the files use
    * @param fileVersion the version of the files
    * @param config settings of the table that are added to those it has
    * @throws io.github.pysparklance.core.CommitConflictException when somebody else overwrote the table meanwhile;
    *   nothing was committed
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

  /** Deletes rows. Rows that others delete meanwhile in the same fragments stay deleted.
    *
    * @param rows offsets by fragment id, of rows of this version
    * @param predicate the condition in SQL, kept with the version for people
    * @return this version when there is nothing to delete
    * @throws io.github.pysparklance.core.CommitConflictException when somebody else deleted or changed one of the
    *   rows, or the table, in a way that does not go together with it; nothing was committed
    */
  def delete(
      rows: Map[Long, DeletionVector],
      predicate: String,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable =
    if (rows.forall(_._2.isEmpty)) this
    else commit(DeleteRows(rows, predicate), properties, options)

  /** Replaces rows by others, most of all by the same rows with new values.
    *
    * @param rows offsets by fragment id, of rows of this version
    * @param added fragments without ids, as for [[append]]; with stable row ids they say which rows moved there, see
    *   [[Fragment.unassigned]]
    * @param changedFields ids of the fields, at any depth, that have new values in the rows that moved
    * @return this version when there is nothing to do
    * @throws io.github.pysparklance.core.CommitConflictException as for [[delete]]
    */
  def update(
      rows: Map[Long, DeletionVector],
      added: IndexedSeq[Fragment],
      changedFields: Set[Int],
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable =
    if (rows.forall(_._2.isEmpty) && added.isEmpty) this
    else commit(UpdateRows(rows, added, changedFields), properties, options)

  /** Bytes of the files beside each fragment's data files that hold its blobs. They are listed, without blobs of version
    * 2 nothing is.
    *
    * @param isExact false: at most 64 fragments are listed, and the others estimated; folders that cannot be listed
    *   count as empty
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

  /** Commits an operation on top of the newest version, whatever this version is.
    *
    * @param operation based on this version
    * @param properties notes on the commit
    * @return the new version
    * @throws io.github.pysparklance.core.CommitConflictException when it does not go together with what others
    *   committed since this version; nothing was committed. When it is retryable the operation can be made again on
    *   [[newest]], see [[io.github.pysparklance.table.transaction.Retry]]
    * @throws io.github.pysparklance.core.CommitStateUnknownException when storage failed and does not say whether it
    *   was committed; no file of the operation may be deleted
    */
  def commit(
      operation: Operation,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = inTable {
    val committed = new Commit(store, root, options)(operation, Some(file), properties)
    new LanceTable(store, root, committed)
  }

  /** Removes old versions if the properties of the table ask for it after this version, see `lance.auto_cleanup.*`. Best
    * effort: failures are logged, not thrown.
    *
    * @param first the first version of the commit, if it made several
    * @return `None` if the properties do not ask for it, or if it failed
    */
  private[pysparklance] def cleanUpAfterCommit(
      first: Option[Long] = None
  ): Option[CleanupStats] = {
    val cleaned = AutoCleanup.after(store, root, file, first)
    if (cleaned.isDefined) TableChanges.changed(path)
    cleaned
  }

  /** The segments of the indices of this version. */
  lazy val indices: IndexedSeq[IndexSegment] = inTable(
    file.indices.getIndicesList.asScala.iterator.map(IndexSegment(_)).toIndexedSeq
  )

  /** Where the files of an index segment are. */
  def indexFolder(segment: IndexSegment): TablePath = inTable(manifest.indexFolder(root, segment))

  /** What compactions moved, for indices that follow later. */
  def fragmentReuse: FragmentReuse = inTable(FragmentReuse.of(store, root, manifest, indices))

  /** This version with other columns, which is not committed: it can be read, and nothing else.
    *
    * @param fragments those of this version, with files of the new columns where they have any
    */
  private[table] def withColumns(schema: Schema, fragments: IndexedSeq[Fragment]): LanceTable = {
    val message = manifest.message.toBuilder
      .clearFields()
      .addAllFields(FieldMessages.toMessages(schema).asJava)
      .clearFragments()
    fragments.foreach(f => message.addFragments(f.message))
    new LanceTable(store, root, file.withManifest(Manifest(message.build())))
  }

  /** The newest version of this table or branch. */
  def newest: LanceTable = new Versions(store, root).latest() match {
    case Some(l) if l.version == version => this
    case Some(l) => new LanceTable(store, root, ManifestFile.read(store, l))
    case None => throw new NotFoundException("table", Place(path = Some(path)))
  }

  private def inTable[A](body: => A): A =
    Place.in(Place(path = Some(path), version = Some(version)))(body)
}

object LanceTable {

  /** The folder of the data files below the root. */
  val dataFolder: String = TableFolders.data

  /** Opens a table.
    *
    * @param version the newest one if none is given
    * @throws NotFoundException when there is no table or no such version
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when reading takes a feature this release does
    *   not have
    * @throws io.github.pysparklance.core.CorruptFileException when the manifest is damaged
    */
  def open(store: FileStore, path: String, version: Option[Long] = None): LanceTable =
    open(store, path, version.fold[Revision](Revision.Latest)(Revision.Version))

  /** Opens a table at a version, tag, branch or time.
    *
    * @param path of the table, not of a branch; the [[LanceTable.path]] of a branch is the branch's own
    * @throws NotFoundException when there is no table, tag or branch, or no such version
    * @throws io.github.pysparklance.core.InvalidRequestException when no tag or branch can have the name
    */
  def open(store: FileStore, path: String, revision: Revision): LanceTable =
    new Revisions(store, TablePath(path)).find(revision) match {
      case Some(found) => new LanceTable(store, found.root, found.file)
      case None => throw new NotFoundException("table", Place(path = Some(path)))
    }

  /** A version that was just committed. Nothing is read: a failure now must not look like a failed commit. */
  private[table] def of(store: FileStore, root: TablePath, file: ManifestFile): LanceTable =
    new LanceTable(store, root, file)

  /** Opens the newest version of a table if there is one. */
  def openIfExists(store: FileStore, path: String): Option[LanceTable] = {
    val root = TablePath(path)
    new Versions(store, root).latest().map { location =>
      new LanceTable(store, root, ManifestFile.read(store, location))
    }
  }

  /** Whether there is a table at this path, readable or not. */
  def exists(store: FileStore, path: String): Boolean =
    new Versions(store, TablePath(path)).latest().isDefined

  /** The numbers of all versions that are still there, ascending. */
  def versions(store: FileStore, path: String): IndexedSeq[Long] =
    new Versions(store, TablePath(path)).list().map(_.version)

  /** What happened in each version that is still there, ascending. Versions are read in parallel, not far ahead of the
    * caller.
    *
    * @param branch none: the main branch
    * @throws NotFoundException when there is no such branch
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
    val records = new ParallelReads(locations)(reader(_))
    locations.indices.iterator.map { i =>
      val record = records(i)
      VersionInfo(record, Optional.when(i > 0)(records(i - 1)))
    }
  }

  /** The tags of a table. */
  def tags(store: FileStore, path: String): Tags = new Tags(store, TablePath(path))

  /** The branches of a table but for the main one. */
  def branches(store: FileStore, path: String): Branches = new Branches(store, TablePath(path))

  /** Makes a new table.
    *
    * @param schema with the field ids that the files use, see [[Schema.withFreshIds]]
    * @param fragments without ids; their files have `fileVersion` and lie in [[dataFolder]]
    * @param enableStableRowIds whether rows keep their id when an update or a compaction moves them; for ever
    * @param initialBases base paths it has from the beginning, see [[TargetBases.numbered]]
    * @throws io.github.pysparklance.core.CommitConflictException when a table is there already, even one that
    *   appeared this moment
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

  /** Gives manifests that old releases named after the version (V1) the names that new tables have (V2), on all
    * branches. No writer may be active meanwhile; after a failure, it is to be run again: until then the table may have
    * both kinds of names, which is refused.
    *
    * @return how many manifests got a new name
    */
  def migrateManifestPathsV2(store: FileStore, path: String): Int = {
    val root = TablePath(path)
    val branchRoots = branches(store, path).list().map(b => root.folder("tree").folder(b.name))
    (root +: branchRoots).map(r => new Versions(store, r).migrateToV2()).sum
  }

  /** Removes a table with all its versions, and its folder unless foreign files lie in it.
    *
    * @return false when there was no table
    */
  def drop(store: FileStore, path: String): Boolean = {
    val root = TablePath(path)
    val found = exists(store, path)
    if (found) {
      val branchRoots = branches(store, path).list().map(b => root.folder("tree").folder(b.name))
      (root +: branchRoots).foreach(r => new Versions(store, r).forget())
      // The manifests go first: without them nobody takes the rest for a table.
      TableFolders.all.foreach(f => store.deleteFolder(root.resolve(f)))
      store.delete(root.resolve("_latest.manifest"))
      if (store.list(root.root).isEmpty) store.deleteFolder(root.root)
      TableChanges.changed(root.root)
    }
    found
  }
}
