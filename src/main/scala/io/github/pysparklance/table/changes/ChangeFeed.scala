// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{Field, Place, Schema}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.schema.FieldPath

/** Finds the rows that commits inserted, deleted, and updated. Reads the manifests and transactions
  * of the versions, and the deletion files that differ; data files only for keys.
  *
  * {{{
  *   manifests, transactions    FragmentDiff     UpdatePairs                NetChanges
  *   of the range           ->  rows of      ->  deleted + inserted     or  one change
  *                              fragments        rows -> updates            for each row
  * }}}
  *
  * @param table a version of the table or branch; later versions may be read as well
  * @param maxKeyRows maximum number of changed rows whose keys are in memory at a time
  */
final class ChangeFeed(table: LanceTable, maxKeyRows: Long = ChangeFeed.maxKeyRows) {
  private val store = table.store
  private val versions = new RangeVersions(table)

  /** Returns the range of versions between two bounds.
    *
    * @param begin first version whose changes are read
    * @param end last version whose changes are read; `None` for the version of the table
    * @throws io.github.pysparklance.core.InvalidRequestException if the bounds are in the wrong
    *   order, or behind the latest version
    */
  def range(begin: ChangeBound, end: Option[ChangeBound]): VersionRange =
    versions.range(begin, end)

  /** A version of the table or branch.
    *
    * @throws io.github.pysparklance.core.NotFoundException if it was cleaned up, or belongs to
    *   another branch
    */
  def at(version: Long): LanceTable = versions.at(version)

  /** The changes of a range of versions.
    *
    * @param net whether changes of a row are collapsed to one
    * @param identifierColumns columns that identify rows; empty for stable row ids, else the
    *   primary key. Rows of tables without any of these are identified by their address, so that an
    *   update is a deleted and an inserted row
    * @throws io.github.pysparklance.core.NotFoundException if a version was cleaned up, or belongs
    *   to another branch
    * @throws io.github.pysparklance.core.InvalidRequestException if there is no such column, or it
    *   cannot identify rows, or too many keys must be in memory
    * @throws io.github.pysparklance.core.CorruptFileException if a transaction is damaged
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if the transaction of a
    *   version cannot be read and the manifests alone do not show its changes
    */
  def read(
      range: VersionRange,
      net: Boolean = false,
      identifierColumns: Seq[String] = Nil
  ): Changes =
    Place.in(Place(path = Some(table.path))) {
      if (range.isEmpty) none(range, identifierColumns)
      else {
        val reading = new Reading(versions.load(range), followsMoves = net)
        changes(reading, range, net, identifierColumns)
      }
    }

  /** The changes of one commit.
    *
    * @param before the version before; `None` if the commit created the table
    * @param after the version that the commit made
    * @param identifierColumns see [[read]]
    */
  private[changes] def commit(
      before: Option[LanceTable],
      after: LanceTable,
      identifierColumns: Seq[String]
  ): Changes = Place.in(Place(path = Some(table.path))) {
    val range = VersionRange(after.version, after.version)
    changes(new Reading(Iterator(before, Some(after))), range, net = false, identifierColumns)
  }

  private def changes(
      reading: Reading,
      range: VersionRange,
      net: Boolean,
      identifierColumns: Seq[String]
  ): Changes = {
    val keys = keyFields(reading.end.schema, identifierColumns)
    val rows = new Identified(reading, keys, isGiven = identifierColumns.nonEmpty).rows(net)
    new Changes(reading.end, range, rows, reading.fields)
  }

  /** The changes of a range without updates except those in place.
    *
    * @param range not empty
    */
  private[changes] def unpaired(range: VersionRange): Changes =
    Place.in(Place(path = Some(table.path))) {
      val reading = new Reading(versions.load(range))
      val rows = reading.commits.flatMap(_.raw)
      new Changes(reading.end, range, rows, reading.fields, reading.restored)
    }

  /** The columns of the last version of a range in the versions of the range, and in the one
    * before. Reads manifests and transactions only.
    *
    * @param range not empty
    */
  private[changes] def fields(range: VersionRange): FieldHistory = {
    val loaded = versions.load(range)
    val steps = new Steps
    loaded.next().foreach(steps.add(_, FieldHistory.Link.Kept))
    loaded.flatMap(_.iterator).foreach(v => steps.add(v, CommitChanges.link(v)))
    steps.history
  }

  private def none(range: VersionRange, identifierColumns: Seq[String]): Changes = {
    val end = versions.at(range.end)
    keyFields(end.schema, identifierColumns): Unit
    val step = FieldHistory.Step(range.end, end.schema, FieldHistory.Link.Kept)
    new Changes(end, range, IndexedSeq.empty, FieldHistory(IndexedSeq(step)))
  }

  /** The commits of a range.
    *
    * @param loaded the version before the range, and the versions of the range
    * @param followsMoves whether rows are followed through compactions
    */
  final private class Reading(
      loaded: Iterator[Option[LanceTable]],
      followsMoves: Boolean = false
  ) {
    private var last: Option[LanceTable] = None
    private val steps = new Steps
    private val restores = Set.newBuilder[Long]

    val commits: IndexedSeq[CommitChanges] = {
      last = loaded.next()
      last.foreach(steps.add(_, FieldHistory.Link.Kept))
      loaded.flatMap(_.iterator).map { version =>
        val commit = CommitChanges(last, version, followsMoves)
        steps.add(version, commit.link)
        if (commit.isRestore) restores += version.version
        last = Some(version)
        commit
      }.toIndexedSeq
    }

    /** The last version. */
    val end: LanceTable = last.get

    val fields: FieldHistory = steps.history

    /** The versions that a RESTORE made. */
    val restored: Set[Long] = restores.result()
  }

  /** Collects the columns of consecutive versions. */
  final private class Steps {
    private val steps = IndexedSeq.newBuilder[FieldHistory.Step]
    private var schema = Schema(IndexedSeq.empty)

    def add(version: LanceTable, link: FieldHistory.Link): Unit = {
      val previous = schema
      if (version.schema != schema) schema = version.schema
      val stored =
        if (previous.fields.isEmpty || (previous eq schema)) Set.empty[Int] else storedIds(version)
      steps += FieldHistory.Step(version.version, schema, link, stored)
    }

    private def storedIds(version: LanceTable): Set[Int] =
      version.fragments.iterator.flatMap(_.files).flatMap(_.fields).toSet

    def history: FieldHistory = FieldHistory(steps.result())
  }

  /** The changes of commits by the identity of rows. */
  final private class Identified(reading: Reading, keys: IndexedSeq[Field], isGiven: Boolean) {
    import reading.commits

    private lazy val byKey = new KeyIdentity(store, reading.fields, keys, maxKeyRows)

    def rows(net: Boolean): IndexedSeq[ChangedRows] =
      if (net) netRows
      else commits.flatMap(c => rows(c, identity(c)))

    private def rows(
        commit: CommitChanges,
        identity: Option[RowIdentity]
    ): IndexedSeq[ChangedRows] = {
      val found = commit.rows(identity)
      identity.foreach(_.release())
      found
    }

    private def identity(commit: CommitChanges): Option[RowIdentity] =
      if (isGiven) Some(byKey)
      else if (commit.keepsRowIds) Some(new RowIdentity.RowIds(store))
      else if (!commit.hasStableRowIds && hasKey(commit.raw)) Some(byKey)
      else None

    /** Whether the primary key can be read from all of these rows. An overwrite may have changed
      * its type.
      */
    private def hasKey(rows: IndexedSeq[ChangedRows]): Boolean =
      keys.nonEmpty &&
        rows.iterator.map(_.readVersion).toSet[Long]
          .forall(reading.fields.unreadable(keys, _).isEmpty)

    private def netRows: IndexedSeq[ChangedRows] = {
      val raw = commits.map(_.raw)
      val identity =
        if (isGiven) byKey
        else if (raw.forall(_.forall(_.hasStableRowIds))) new RowIdentity.RowIds(store)
        else if (hasKey(raw.flatten)) byKey
        else RowIdentity.Addresses
      new NetChanges(raw, identity, commits.exists(_.restores), commits.map(_.moves)).rows
    }
  }

  /** The columns that identify rows.
    *
    * @param names empty: the primary key
    */
  private def keyFields(schema: Schema, names: Seq[String]): IndexedSeq[Field] =
    if (names.isEmpty) ChangeFeed.primaryKey(schema)
    else names.toIndexedSeq.map(n => ChangeFeed.only(FieldPath.parse(n).find(schema)))
}

object ChangeFeed {

  /** Keys of this many rows take a few gigabytes. */
  private val maxKeyRows: Long = 20000000L

  /** The fields of the primary key, each below its column alone. */
  private def primaryKey(schema: Schema): IndexedSeq[Field] =
    schema.ways
      .filter(_.last.unenforcedPrimaryKey.isDefined)
      .sortBy { w =>
        val position = w.last.unenforcedPrimaryKey.get
        (if (position == 0) Int.MaxValue else position, w.last.id)
      }
      .map(only)

  /** A column cut down to one field. */
  private def only(way: IndexedSeq[Field]): Field =
    way.reduceRight((parent, child) => parent.copy(children = IndexedSeq(child)))
}
