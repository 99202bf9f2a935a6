// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{
  InvalidRequestException,
  Log,
  NotFoundException,
  Place,
  Workers
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.{ChangeType, RowChange}

/** A table or branch whose commits a reader follows: it reads the rows of one version, and then the
  * rows of one commit after the other. All rows have the columns of one version. Versions before it
  * may have other columns, versions after it must not.
  *
  * @param read the version with the columns
  * @param identifierColumns `None` to read the rows that commits add; otherwise reads all changes,
  *   see [[ChangeFeed.read]]
  * @param skipsMissing whether to skip versions that were cleaned up
  */
final class FollowedTable(
    val read: LanceTable,
    identifierColumns: Option[Seq[String]],
    skipsMissing: Boolean
) {
  private val versions = new RangeVersions(read)
  private val feed = new ChangeFeed(read)
  private val ownFields =
    FieldHistory(IndexedSeq(FieldHistory.Step(0L, read.schema, FieldHistory.Link.Kept)))

  /** A version, if it exists. */
  def find(version: Long): Option[LanceTable] = versions.find(version)

  /** The first version whose changes can be read. It may be the one after the latest. */
  def firstReadable: Long = versions.firstReadable

  /** The first version of a range that begins at a bound. It may be the one after the latest. */
  def firstOf(bound: ChangeBound): Long = versions.firstOf(bound)

  /** Fails because a version was cleaned up.
    *
    * @throws io.github.pysparklance.core.NotFoundException that names the first version whose
    *   changes can be read
    */
  def reject(version: Long): Nothing = versions.reject(version)

  /** The difference between the columns of the reader and of a later version; `None` if its rows
    * can be read.
    */
  def schemaChange(later: LanceTable): Option[String] =
    if (later.version < read.version) None else difference(later)

  private def difference(version: LanceTable): Option[String] =
    SchemaDifference(read.schema, version.schema, readsNulls = identifierColumns.isDefined)

  /** The rows of some fragments of a version, as inserted rows. Reads their deletion files. There
    * are none if versions that are needed to read them were cleaned up, and such versions are
    * skipped.
    *
    * @param fragments positions in the version's list
    * @throws InvalidRequestException if the columns of the version cannot be read
    */
  def snapshot(table: LanceTable, fragments: Range): IndexedSeq[Changes.Part] =
    Place.in(Place(path = Some(table.path), version = Some(table.version))) {
      history(table).fold(IndexedSeq.empty[Changes.Part])(snapshot(table, fragments, _))
    }

  private def history(table: LanceTable): Option[FieldHistory] =
    try Some(fieldsOf(table))
    catch {
      case _: NotFoundException if skipsMissing =>
        FollowedTable.log.warn(
          s"${table.path}: the rows of version ${table.version} are skipped, because versions after it were cleaned up"
        )
        None
    }

  private def snapshot(
      table: LanceTable,
      fragments: Range,
      fields: FieldHistory
  ): IndexedSeq[Changes.Part] = {
    val change =
      RowChange(ChangeType.Insert, table.version, CommitChanges.micros(table.manifest.timestamp))
    def rows(f: Fragment): Option[ChangedRows] =
      ChangedRows.of(table, f, FragmentDiff.live(table, f), change)
    val wanted = fragments.map(table.fragments(_)).toIndexedSeq
    val found =
      if (wanted.forall(_.deletionFile.isEmpty)) wanted.map(rows)
      else Workers.map(wanted, FollowedTable.readers)(rows)
    found.flatten.map(new Changes.Part(_, fields))
  }

  private def fieldsOf(table: LanceTable): FieldHistory =
    if (hasOwnColumns(table)) ownFields
    else {
      val fields = fieldsSince(table.version)
      checkNulls(table, fields)
      fields
    }

  /** Whether a version and the reader have the same columns. Equal schemas are not enough: after a
    * compaction, a new column can get the id of a dropped one.
    */
  private def hasOwnColumns(table: LanceTable): Boolean =
    difference(table).isEmpty &&
      (table.version >= read.version || sharesIds(table) || hasSameColumns(table))

  /** Whether a file with the highest field id is in both versions. Columns that were added since
    * then have higher ids.
    */
  private def sharesIds(table: LanceTable): Boolean =
    table.fragments.exists(_.files.exists(f => filesWithLastId((f.path, f.baseId))))

  private lazy val filesWithLastId: Set[(String, Option[Int])] = {
    val last = read.schema.maxFieldId
    read.fragments.iterator.flatMap(_.files)
      .filter(_.fields.contains(last)).map(f => (f.path, f.baseId)).toSet
  }

  /** Whether no column of the reader was added after a version with the same schema. If versions in
    * between were cleaned up, only the schemas are compared.
    */
  private def hasSameColumns(table: LanceTable): Boolean =
    try fieldsSince(table.version).of(table.version).ids.isEmpty
    catch { case _: NotFoundException => true }

  private var earlierFields = Option.empty[(Long, FieldHistory)]

  /** Returns where the columns of the reader are in the versions since an earlier one. */
  private def fieldsSince(version: Long): FieldHistory = {
    if (!earlierFields.exists(_._1 <= version))
      earlierFields = Some(version -> feed.fields(VersionRange(version + 1, read.version)))
    earlierFields.get._2
  }

  /** Rows of earlier versions may be null where the columns of the reader may not. */
  private def checkNulls(earlier: LanceTable, fields: FieldHistory): Unit =
    if (identifierColumns.isEmpty)
      SchemaDifference.nulls(read.schema, earlier.schema, fields.of(earlier.version)).foreach { c =>
        throw new InvalidRequestException(
          s"column $c is never null in version ${read.version}, and may be null in the rows of version " +
            s"${earlier.version}, which are to be read: start the stream with a later version, or let the column " +
            "be null",
          Place(version = Some(earlier.version))
        )
      }

  /** Returns the commits of a range in order, without versions that were cleaned up. Reads
    * manifests slightly ahead of the caller.
    *
    * Versions that were cleaned up are ignored if the next version shows that they changed no rows,
    * see [[ReadFragments]].
    *
    * @param before the version before the range, if it is loaded
    * @param lastRead fragments of the version before the range, if the reader has read that version
    * @throws io.github.pysparklance.core.NotFoundException if other versions were cleaned up,
    *   unless missing versions are skipped
    */
  def commits(
      range: VersionRange,
      before: Option[LanceTable],
      lastRead: Option[ReadFragments]
  ): Iterator[FollowedCommit] = {
    var expected = range.begin
    var known = lastRead
    val found = versions.pairs(range, before).map { case (previous, version) =>
      Place.in(Place(path = Some(version.path))) {
        if (version.version > expected && !known.exists(_.areKeptBefore(version)))
          missing(expected, version.version - 1)
        expected = version.version + 1
        val followed = commit(previous, version)
        known = Some(followed.fragments)
        followed
      }
    }
    def rest = {
      if (expected <= range.end) missing(expected, range.end)
      Iterator.empty
    }
    found ++ rest
  }

  private def missing(first: Long, last: Long): Unit =
    if (skipsMissing)
      FollowedTable.log.warn(
        s"${read.path}: versions $first to $last were cleaned up before a stream read them"
      )
    else versions.reject(first)

  private def commit(before: Option[LanceTable], after: LanceTable): FollowedCommit = {
    def followed(
        change: CommitChanges,
        fields: FieldHistory,
        fragmentsBefore: Option[String]
    ): FollowedCommit = made(after, parts(change, fields), change, fragmentsBefore)
    if (before.isEmpty && !versions.isCreation(after))
      CommitChanges.appended(after) match {
        case Some((change, others)) =>
          laterColumns(after).getOrElse(readable(after) {
            followed(change, fieldsOf(after), Some(VersionId.checksum(others)))
          })
        case None if CommitChanges.keepsRows(after) =>
          laterColumns(after).getOrElse {
            val kept = CommitChanges.keptFragments(after).map(VersionId.checksum)
            withoutRows(after, None).copy(fragmentsBefore = kept)
          }
        case None if skipsMissing => skipped(after)
        case None => versions.reject(after.version)
      }
    else
      laterColumns(after).getOrElse {
        // Without rows, the columns do not matter, and other versions need not be read for them.
        if (after.fragments.isEmpty && before.forall(_.fragments.isEmpty)) withoutRows(after, None)
        else if (!hasOwnColumns(after)) readable(after)(earlier(after))
        else if (identifierColumns.isDefined) changed(before, after)
        else followed(CommitChanges(before, after), ownFields, None)
      }
  }

  /** Skips a commit whose columns cannot be followed to the columns of the reader, because versions
    * in between were cleaned up, if such versions are skipped.
    */
  private def readable(after: LanceTable)(commit: => FollowedCommit): FollowedCommit =
    try commit
    catch { case _: NotFoundException if skipsMissing => skipped(after) }

  private def skipped(after: LanceTable): FollowedCommit = {
    FollowedTable.log.warn(
      s"${after.path}: the changes of version ${after.version} are not known any more, and are skipped"
    )
    withoutRows(after, None).copy(isLost = true)
  }

  private def laterColumns(after: LanceTable): Option[FollowedCommit] =
    schemaChange(after).map(difference => withoutRows(after, Some(difference)))

  private def withoutRows(after: LanceTable, schemaChange: Option[String]): FollowedCommit =
    FollowedCommit(
      after.version,
      VersionId.of(after),
      None,
      schemaChange,
      removesRows = false,
      changesRows = false,
      IndexedSeq.empty,
      TableSize.of(after),
      after.manifest.maxFragmentId
    )

  private def made(
      after: LanceTable,
      parts: IndexedSeq[Changes.Part],
      change: CommitChanges,
      fragmentsBefore: Option[String]
  ): FollowedCommit = FollowedCommit(
    after.version,
    VersionId.of(after),
    fragmentsBefore,
    None,
    removesRows = change.deleted.nonEmpty,
    changesRows = change.rewritten.nonEmpty ||
      (change.inserted.nonEmpty && (change.deleted.nonEmpty || change.isRestore)),
    parts,
    TableSize.of(after),
    after.manifest.maxFragmentId
  )

  /** The rows of the version after a commit that the commit added or changed. */
  private def parts(change: CommitChanges, fields: FieldHistory): IndexedSeq[Changes.Part] =
    (change.inserted ++ change.rewritten.filterNot(_.change.changeType.isBefore))
      .map(new Changes.Part(_, fields))

  /** A commit of a change feed. */
  private def changed(before: Option[LanceTable], after: LanceTable): FollowedCommit =
    ofChanges(
      after,
      feed.commit(before, after, identifierColumns.get).parts,
      isRestore = false // a change feed reads all changes
    )

  private def ofChanges(
      after: LanceTable,
      parts: IndexedSeq[Changes.Part],
      isRestore: Boolean
  ): FollowedCommit =
    FollowedCommit(
      after.version,
      VersionId.of(after),
      None,
      None,
      removesRows = parts.exists(_.change.changeType == ChangeType.Delete),
      changesRows = {
        val types = parts.iterator.map(_.change.changeType).toSet
        types.exists(t => t == ChangeType.UpdatePreimage || t == ChangeType.UpdatePostimage) ||
        (types(ChangeType.Insert) && (types(ChangeType.Delete) || isRestore))
      },
      parts,
      TableSize.of(after),
      after.manifest.maxFragmentId
    )

  /** Changes of versions with other columns, up to the version that is read. */
  private var earlierChanges = Option.empty[Changes]

  /** A commit of a version before the one with the reader's columns. Its rows are read with all
    * versions in between, which show where the columns were.
    */
  private def earlier(after: LanceTable): FollowedCommit = {
    if (!earlierChanges.exists(_.range.begin <= after.version)) {
      val range = VersionRange(after.version, read.version)
      earlierChanges =
        Some(identifierColumns.fold(feed.unpaired(range))(feed.read(range, net = false, _)))
    }
    val changes = earlierChanges.get
    val parts = changes.parts.filter(_.change.version == after.version)
    if (parts.nonEmpty) checkNulls(after, changes.history)
    val commit = ofChanges(after, parts, changes.restored(after.version))
    if (identifierColumns.isDefined) commit
    else commit.copy(parts = parts.filterNot(_.change.changeType.isBefore))
  }
}

private object FollowedTable {
  val log: Log = Log(classOf[FollowedTable])

  /** Deletion files that are read in parallel. */
  val readers: Int = 8
}
