// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import scala.collection.immutable.SortedMap

import io.github.pysparklance.core.{Log, NotFoundException, Optional}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.{
  Changes,
  FollowedCommit,
  FollowedTable,
  TableSize,
  VersionId,
  VersionRange
}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Plans the micro-batches of a stream: the end of each one, and its rows.
  *
  * {{{
  *   version   5 (snapshot)             6 (append)   7 (OPTIMIZE)   8 (append)
  *   parts     f0 f1 f2 | f3 f4 f5      f6 f7                       f20
  *                      5, position 3 of 6           7, 0 of 0
  * }}}
  *
  * @param sizeOf computes the size of the latest version, in time proportional to its fragments
  */
final private[streaming] class StreamPlanner(
    table: LanceTable,
    request: StreamRequest,
    sizeOf: LanceTable => TableSize = TableSize.of
) {
  import StreamPlanner._

  private val followed =
    new FollowedTable(table, request.identifierColumns, !request.failsOnDataLoss)
  private val path = table.path

  /** Commits that were read for the end of a micro-batch, until their rows are planned. */
  private var pending = SortedMap.empty[Long, FollowedCommit]

  /** An offset, and the size of the rows after it. */
  private var remaining = Option.empty[(StreamOffset, Behind)]

  /** Whether the checkpoint has been compared with the table. */
  private var isVerified = false

  /** The latest version. */
  private var latestSeen: LanceTable = table

  /** The size of the latest version, if it was needed. */
  private var latestSize = Option.empty[TableSize]

  /** Returns the latest version.
    *
    * @throws org.apache.spark.sql.AnalysisException if the table was dropped and created again
    *   since the last call, or since the version with the columns was loaded
    */
  def latest(): LanceTable = {
    val found = latestSeen.latest
    if (found ne latestSeen) {
      // Versions are not committed again. Later versions are compared with the offset.
      val same = if (found.version <= latestSeen.version) Some(found) else known(table)
      same.filter(VersionId.of(_) != VersionId.of(latestSeen)).foreach { other =>
        throw StreamErrors.recreated(path, other.version)
      }
      latestSeen = found
      latestSize = None
    }
    latestSeen
  }

  /** Returns the version of a table as storage has it now, unless later versions were compared. */
  private def known(version: LanceTable): Option[LanceTable] =
    if (latestSeen eq version) followed.find(version.version) else None

  /** Returns the size of the rows after an offset, at the time of the last planned micro-batch. */
  def behind(offset: StreamOffset): Behind = {
    val versions = math.max(0L, latestSeen.version - offset.nextVersion + 1)
    remaining.filter(_._1 == offset).fold(Behind(versions, None, None))(
      _._2.copy(versions = versions)
    )
  }

  /** Releases the commits of micro-batches up to an offset. */
  def committed(offset: StreamOffset): Unit =
    pending = pending.filter(_._1 >= offset.nextVersion)

  /** Returns the first version that must be kept until the rows after an offset are read.
    *
    * @param start `None` for the first micro-batch of a query
    * @param end end of the micro-batch after `start`
    */
  def firstNeeded(start: Option[StreamOffset], end: StreamOffset): Long = {
    // The rows of a commit are the difference from the previous version, if that exists.
    def before(version: Long): Long =
      if (version > 1 && followed.find(version - 1).isDefined) version - 1 else version
    start match {
      case Some(s) if s.isComplete || s.isSnapshot => s.version
      case Some(s) => before(s.version)
      case None => end.firstVersion.fold(end.version)(before)
    }
  }

  /** Returns the end of the micro-batch after an offset.
    *
    * @param start `None` for the first micro-batch of a query
    * @param last the last version to read
    * @return `start` if there is nothing to read
    */
  def end(start: Option[StreamOffset], last: Long, limits: StreamLimits): StreamOffset =
    start match {
      case Some(s) if s.isComplete && s.version >= last =>
        if (!isVerified) verified(s): Unit
        isVerified = true
        s
      case Some(s) => after(s, last, new ReadBudget(limits))
      case None => first(last, new ReadBudget(limits))
    }

  private def after(start: StreamOffset, last: Long, budget: ReadBudget): StreamOffset = {
    val version = verified(start)
    if (start.isComplete || !start.isSnapshot)
      commitsEnd(start, start.nextVersion, last, version, budget)
    else
      version.map(snapshotEnd(_, start.position, budget)) match {
        case Some(end) if !end.isComplete => end
        case end =>
          val from = end.getOrElse(start)
          commitsEnd(from, start.version + 1, last, version, budget, hasRows = end.isDefined)
      }
  }

  private def first(last: Long, budget: ReadBudget): StreamOffset = {
    val at = existing(last)
    def from(version: Long): StreamOffset = {
      // The version before the first one may be missing.
      val begin = complete(at, 0).copy(firstVersion = Some(version))
      if (version == last + 1) begin
      else commitsEnd(begin, version, last, None, budget)
    }
    request.start match {
      case StreamStart.Snapshot => snapshotEnd(at, 0, budget)
      case StreamStart.Latest => from(last + 1)
      case StreamStart.Earliest => from(math.min(followed.firstReadable, last + 1))
      case StreamStart.At(bound) => from(checkedStart(followed.firstOf(bound), last))
    }
  }

  private def checkedStart(version: Long, last: Long): Long =
    if (version > last + 1) throw StreamErrors.startsLater(path, version, last) else version

  /** Returns a version that must exist. */
  private def existing(version: Long): LanceTable =
    if (version == latestSeen.version) latestSeen
    else followed.find(version).getOrElse(followed.reject(version))

  private def complete(version: LanceTable, parts: Int): StreamOffset =
    offset(version, parts, parts, isSnapshot = false)

  private def offset(
      version: LanceTable,
      position: Int,
      parts: Int,
      isSnapshot: Boolean
  ): StreamOffset = StreamOffset(
    VersionId.of(version),
    version.version,
    position,
    parts,
    isSnapshot,
    maxFragmentId = version.manifest.maxFragmentId
  )

  /** Admits fragments of a snapshot. */
  private def snapshotEnd(
      version: LanceTable,
      position: Int,
      budget: ReadBudget
  ): StreamOffset = {
    followed.schemaChange(version).foreach { d =>
      throw StreamErrors.changedSchema(path, version.version, d)
    }
    val fragments = version.fragments
    var end = position
    while (
      end < fragments.length && budget.admits(liveRows(fragments(end)), fileBytes(fragments(end)))
    )
      end += 1
    val read = offset(version, end, fragments.length, isSnapshot = true)
    note(
      read,
      TableSize.of(version),
      fragments.drop(end).map(liveRows).sum,
      fragments.drop(end).map(fileBytes).sum
    )
    read
  }

  /** Admits commits from a version on.
    *
    * @param start position of the micro-batch before the commits
    * @param before the version of `start`, if it exists
    * @param hasRows whether the micro-batch has rows before `start`, which are read before it fails
    */
  private def commitsEnd(
      start: StreamOffset,
      next: Long,
      last: Long,
      before: Option[LanceTable],
      budget: ReadBudget,
      hasRows: Boolean = false
  ): StreamOffset = {
    var end = start
    var goes = true
    val all = commits(VersionRange(next, last), start, before)
    while (goes && all.hasNext) {
      val commit = all.next()
      pending += commit.version -> commit
      // The earlier commits are read first.
      val stop = problem(commit)
      if ((end eq start) && !hasRows) stop.foreach(throw _)
      val parts = if (stop.isEmpty) readParts(commit) else IndexedSeq.empty
      val isRest = commit.version == start.version && !start.isComplete && !commit.isLost
      if (isRest && stop.isEmpty) checkParts(start, parts.length)
      val from = if (isRest) start.position else 0
      val to = from + admitted(parts.drop(from), budget)
      goes = stop.isEmpty && to == parts.length
      if (to > from || goes) {
        end = StreamOffset(
          commit.id,
          commit.version,
          to,
          parts.length,
          isSnapshot = false,
          start.firstVersion,
          commit.maxFragmentId
        )
        note(end, commit.size, partRows(parts.drop(to)), partBytes(parts.drop(to)))
      }
    }
    end
  }

  /** Returns the number of parts that fit into a micro-batch. Commits of a change feed are not
    * split, so both halves of an update are in the same micro-batch.
    */
  private def admitted(parts: IndexedSeq[Changes.Part], budget: ReadBudget): Int =
    if (parts.isEmpty) 0
    else if (request.identifierColumns.isDefined) {
      val fits = budget.admits(partRows(parts), partBytes(parts), parts.length.toLong)
      if (fits) parts.length else 0
    } else parts.takeWhile(p => budget.admits(p.selection.numRows, bytes(p))).length

  /** Returns the reason why the stream cannot continue with a commit. */
  private def problem(commit: FollowedCommit): Option[Throwable] = {
    val isRejected = changesRows(commit) && (request.changeCommits match {
      case ChangeCommits.Fail => true
      case ChangeCommits.IgnoreDeletes => commit.changesRows
      case _ => false
    })
    commit.schemaChange.map(StreamErrors.changedSchema(path, commit.version, _)).orElse(
      Optional.when(isRejected)(
        StreamErrors.changedRows(path, commit.version, isDelete = !commit.changesRows)
      )
    )
  }

  /** Whether a commit does more than append rows, in a stream of appended rows. */
  private def changesRows(commit: FollowedCommit): Boolean =
    request.identifierColumns.isEmpty && (commit.removesRows || commit.changesRows)

  /** Returns the rows of a commit that the stream reads. */
  private def readParts(commit: FollowedCommit): IndexedSeq[Changes.Part] =
    if (!changesRows(commit) || request.changeCommits == ChangeCommits.IgnoreChanges) commit.parts
    else IndexedSeq.empty

  private def note(
      offset: StreamOffset,
      size: TableSize,
      restRows: Long,
      restBytes: Long
  ): Unit = {
    val latest = latestSize.getOrElse(sizeOf(latestSeen))
    latestSize = Some(latest)
    val rows = math.max(0L, latest.numRows - size.numRows) + restRows
    val bytes = math.max(0L, latest.numBytes - size.numBytes) + restBytes
    remaining = Some(offset -> Behind(0L, Some(rows), Some(bytes)))
  }

  /** Returns the commits of a range.
    *
    * @param start offset before the commits
    * @param before the version of `start`, if it exists
    */
  private def commits(
      range: VersionRange,
      start: StreamOffset,
      before: Option[LanceTable]
  ): Iterator[FollowedCommit] = {
    val known = Iterator
      .iterate(range.begin)(_ + 1)
      .takeWhile(v => v <= range.end && pending.contains(v))
      .map(pending)
      .toIndexedSeq
    val rest = VersionRange(range.begin + known.length, range.end)
    val lastRead = known.lastOption.map(_.fragments)
      .orElse(Optional.when(start.version + 1 == range.begin)(start.fragments))
    val loaded =
      losing(rest.begin)(followed.commits(rest, before.filter(_ => known.isEmpty), lastRead))
    known.iterator ++ new Iterator[FollowedCommit] {
      private var expected = rest.begin

      def hasNext: Boolean = losing(expected)(loaded.hasNext)

      def next(): FollowedCommit = {
        val commit = losing(expected)(loaded.next())
        // The version of the start was cleaned up. This one has its fragments.
        if (commit.version == start.version + 1 && start.isComplete)
          commit.fragmentsBefore.filter(_ != start.id.fragments).foreach { _ =>
            throw StreamErrors.otherTable(
              path,
              commit.version,
              s"version ${commit.version} does not have the fragments of version ${start.version} that were read"
            )
          }
        expected = commit.version + 1
        commit
      }
    }
  }

  private def losing[A](version: Long)(body: => A): A =
    try body
    catch {
      case e: NotFoundException if request.failsOnDataLoss =>
        throw StreamErrors.dataLoss(path, version, e.getMessage, e)
    }

  /** Returns the version of an offset, or `None` if it was cleaned up.
    *
    * @throws org.apache.spark.sql.AnalysisException if the offset belongs to another table, or if
    *   the version was cleaned up before all of its rows were read
    */
  private def verified(offset: StreamOffset): Option[LanceTable] =
    followed.find(offset.version) match {
      case Some(version) =>
        val id = VersionId.of(version)
        if (id != offset.id)
          throw StreamErrors.otherTable(
            path,
            offset.version,
            s"version ${offset.version} is commit ${id.commit}, and commit ${offset.id.commit} was read"
          )
        Some(version)
      case None if offset.version > latestSeen.version => throw behindCheckpoint(offset)
      case None =>
        if (!offset.isComplete) {
          if (request.failsOnDataLoss)
            throw StreamErrors.dataLoss(path, offset.version, "the version was cleaned up", null)
          log.warn(s"$path: version ${offset.version} was cleaned up before a stream had read it")
        }
        None
    }

  private def behindCheckpoint(offset: StreamOffset): Throwable = StreamErrors.otherTable(
    path,
    offset.version,
    s"version ${offset.version} was read, and the latest version is ${latestSeen.version}"
  )

  /** Returns the rows of a micro-batch.
    *
    * @param start `None` for the first micro-batch of a query
    */
  def parts(start: Option[StreamOffset], end: StreamOffset): IndexedSeq[Changes.Part] = {
    val snapshotOf = start.getOrElse(end)
    val readsSnapshot = start.fold(end.isSnapshot)(s => s.isSnapshot && !s.isComplete)
    val snapshot =
      if (!readsSnapshot) IndexedSeq.empty
      else {
        val until = if (end.version == snapshotOf.version) end.position else snapshotOf.parts
        verified(snapshotOf).fold(IndexedSeq.empty[Changes.Part]) { version =>
          checkParts(snapshotOf, version.fragments.length)
          followed.snapshot(version, start.fold(0)(_.position) until until)
        }
      }
    val isInSnapshot = readsSnapshot && end.version == snapshotOf.version
    if (isInSnapshot) snapshot else snapshot ++ committedParts(start, end, readsSnapshot)
  }

  private def committedParts(
      start: Option[StreamOffset],
      end: StreamOffset,
      afterSnapshot: Boolean
  ): IndexedSeq[Changes.Part] = {
    val next = start match {
      case Some(s) if afterSnapshot => s.version + 1
      case Some(s) => s.nextVersion
      case None => end.firstVersion.getOrElse(throw StreamErrors.badOffset(end.json(), null))
    }
    if (next > end.version || isGone(start, end)) IndexedSeq.empty
    else {
      val before = start.flatMap(s => if (isPending(next, end.version)) None else verified(s))
      val all = commits(VersionRange(next, end.version), start.getOrElse(end), before)
      var read = IndexedSeq.empty[Changes.Part]
      all.foreach { commit =>
        problem(commit).foreach(throw _)
        val parts = readParts(commit)
        val from = start.filter(s => s.version == commit.version && !s.isComplete)
          .fold(0)(_.position)
        val isLast = commit.version == end.version
        if (isLast) {
          if (commit.id != end.id)
            throw StreamErrors.otherTable(
              path,
              end.version,
              s"version ${end.version} is commit ${commit.id.commit}, and commit ${end.id.commit} was planned"
            )
          if (!commit.isLost) checkParts(end, parts.length)
        }
        read = read ++ parts.slice(from, if (isLast) end.position else parts.length)
      }
      read
    }
  }

  /** Whether a planned micro-batch ends with a version that was cleaned up, and that has the
    * fragments of the start.
    */
  private def isGone(start: Option[StreamOffset], end: StreamOffset): Boolean =
    start.exists(s =>
      s.isComplete && end.isComplete && s.maxFragmentId.isDefined && s.fragments == end.fragments
    ) && !pending.contains(end.version) && followed.find(end.version).isEmpty

  private def isPending(first: Long, last: Long): Boolean =
    Iterator.iterate(first)(_ + 1).takeWhile(_ <= last).forall(pending.contains)

  /** Options that select rows must not change within a version. */
  private def checkParts(offset: StreamOffset, found: Int): Unit =
    if (offset.parts != found) throw StreamErrors.otherParts(path, offset, found)

  private def partRows(parts: IndexedSeq[Changes.Part]): Long =
    parts.iterator.map(_.selection.numRows).sum

  private def partBytes(parts: IndexedSeq[Changes.Part]): Long = parts.iterator.map(bytes).sum

  private def bytes(part: Changes.Part): Long = {
    val all = fileBytes(part.fragment)
    part.fragment.physicalRows.fold(all)(n =>
      (all.toDouble * part.selection.numRows / n).toLong
    )
  }

  private def liveRows(fragment: Fragment): Long =
    fragment.liveRows.orElse(fragment.physicalRows).getOrElse(0L)

  private def fileBytes(fragment: Fragment): Long =
    DataFile.totalBytes(fragment.files).getOrElse(0L)
}

private[streaming] object StreamPlanner {
  private val log = Log(classOf[StreamPlanner])

  /** The size of the unread rows. Rows and bytes are estimated from the sizes of versions. */
  final case class Behind(versions: Long, rows: Option[Long], bytes: Option[Long])
}
