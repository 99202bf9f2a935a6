// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.time.{Duration, Instant}

import io.github.pysparklance.core.{
  InvalidRequestException,
  LanceException,
  NotFoundException,
  Optional,
  ParallelReads,
  Place,
  Workers
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{
  ManifestFile,
  ManifestLimits,
  ManifestLocation,
  ManifestOutline,
  Versions
}
import io.github.pysparklance.table.proto.Transaction.OperationCase

/** Finds the versions of a range, and loads them and the one before.
  *
  * @param table a version of the table or branch
  */
final private[changes] class RangeVersions(table: LanceTable) {
  private val store = table.store
  private val versions = new Versions(store, table.root)
  private def place(version: Long) = Place(path = Some(table.path), version = Some(version))

  /** Returns the range of versions between two bounds.
    *
    * @param end `None` for the version of the table
    * @throws InvalidRequestException if the bounds are in the wrong order, or behind the latest
    *   version
    */
  def range(begin: ChangeBound, end: Option[ChangeBound]): VersionRange = {
    if (table.version < 0)
      throw new InvalidRequestException(
        "a detached version has no versions before it, so its changes cannot be read",
        place(table.version)
      )
    val last = end.fold(table.version)(endOf)
    val first = firstOf(begin)
    check(first, last)
    VersionRange(first, last)
  }

  /** The first version of a range. May be the version after the latest one. For a time, it is the
    * first version at or after that time. Later versions may have an earlier time if the clocks of
    * writers differ. If that is the oldest version, and did not create the table, it is the removed
    * version before it, because that one may also be in time.
    */
  def firstOf(bound: ChangeBound): Long = bound match {
    case ChangeBound.Version(v) => v
    case t: ChangeBound.Time =>
      val latestFirst = versions.list().reverse
      val times = timesOf(latestFirst)
      val end = t.first.minus(clockDifference)
      val inTime = latestFirst.indices.iterator.map(i => i -> times(i))
        .takeWhile { case (_, time) => !time.isBefore(end) }
        .collect { case (i, time) if !time.isBefore(t.first) => latestFirst(i).version }
      inTime.reduceOption((_, earlier) => earlier).fold(latestFirst.head.version + 1) { first =>
        val isCut = first == latestFirst.last.version && first > 1 && !isCreation(at(first))
        if (isCut) first - 1 else first
      }
  }

  private def endOf(bound: ChangeBound): Long = bound match {
    case ChangeBound.Version(v) => v
    case t: ChangeBound.Time =>
      before(!_.isAfter(t.last)).getOrElse(
        throw new NotFoundException(
          s"a version of the table at or before ${t.first}, which is to be the last one whose changes are read",
          Place(path = Some(table.path))
        )
      )
  }

  private def check(first: Long, last: Long): Unit = {
    if (first < 1 || last < 1)
      throw new InvalidRequestException(
        s"changes are to be read from version $first to version $last; the first version of a table is 1",
        Place(path = Some(table.path))
      )
    lazy val latest = math.max(table.version, versions.latest().fold(0L)(_.version))
    if (last > table.version && last > latest)
      throw new InvalidRequestException(
        s"changes are to be read up to version $last; the latest version is $latest",
        Place(path = Some(table.path))
      )
    // Nothing new since the last read.
    if (first > last + 1)
      throw new InvalidRequestException(
        s"changes are to be read from version $first to version $last, which is before it",
        Place(path = Some(table.path))
      )
  }

  /** The latest version whose time fulfills a condition. */
  private def before(isInTime: Instant => Boolean): Option[Long] = {
    val latestFirst = versions.list().reverse
    val times = timesOf(latestFirst)
    latestFirst.indices.find(i => isInTime(times(i))).map(latestFirst(_).version)
  }

  /** Reads the times of versions when they are needed. */
  private def timesOf(locations: IndexedSeq[ManifestLocation]): Int => Instant = {
    val threads = ManifestLimits.readersOf(store, table.root, locations)
    val times = new ParallelReads(locations, threads)(ManifestOutline.read(store, _).timestamp)
    times(_)
  }

  /** The versions of a range in order, after the one before it. That one is `None` if the first
    * version created the table.
    *
    * @param range not empty
    * @throws NotFoundException if a version was cleaned up, or belongs to another branch; it names
    *   the first version whose changes can be read
    */
  def load(range: VersionRange): Iterator[Option[LanceTable]] = {
    val numbers = math.max(1L, range.begin - 1) to range.end
    val found = locations(numbers)
    val missing = numbers.zip(found).collectFirst { case (v, None) if v >= range.begin => v }
    missing.foreach(unreadable(_))
    val known = if (range.begin > 1 && found.head.isEmpty) found.drop(1) else found
    val hasBefore = known.length > range.end - range.begin + 1
    val loaded = readAll(known.flatten).buffered
    if (hasBefore) loaded.map(Some(_))
    else {
      checkFirst(loaded.head)
      Iterator.single(None) ++ loaded.map(Some(_))
    }
  }

  /** A version of the table.
    *
    * @throws NotFoundException if the version was cleaned up, or belongs to another branch; it
    *   names the first version whose changes can be read
    */
  def at(version: Long): LanceTable =
    if (version == table.version) table
    else versions.find(version).fold[LanceTable](unreadable(version))(read)

  /** Reads versions slightly ahead of the caller: only a few at a time, and fewer if they are
    * large.
    */
  private def readAll(locations: IndexedSeq[ManifestLocation]): Iterator[LanceTable] = {
    val ahead =
      math.min(manifestsAhead, ManifestLimits.readersOf(store, table.root, locations))
    locations.grouped(ahead).flatMap(Workers.map(_, ahead)(read))
  }

  private def read(at: ManifestLocation): LanceTable =
    if (at.version == table.version) table
    else LanceTable.of(store, table.root, ManifestFile.read(store, at))

  /** The versions of a range that exist, in order, each with the version before it if that one
    * exists.
    *
    * @param before the version before the range, if it is loaded
    */
  def pairs(
      range: VersionRange,
      before: Option[LanceTable]
  ): Iterator[(Option[LanceTable], LanceTable)] =
    if (range.isEmpty) Iterator.empty
    else {
      val isLoaded = before.exists(_.version == range.begin - 1)
      val first = if (isLoaded || range.begin == 1) range.begin else range.begin - 1
      val numbers = first to range.end
      val found = locations(numbers)
      var last = before
      readAll(found.flatten).flatMap { version =>
        val previous = last.filter(_.version == version.version - 1)
        last = Some(version)
        Optional.when(version.version >= range.begin)(previous -> version).iterator
      }
    }

  /** Whether a commit created the table, so that no version before it is needed. */
  def isCreation(version: LanceTable): Boolean =
    if (operation(version).contains(OperationCase.CLONE)) version.manifest.branch.isEmpty
    else version.version == 1

  /** The first version whose changes can be read. It may be the one after the latest. */
  def firstReadable: Long = {
    val oldest = read(firstOfRun(versions.list()))
    if (isCreation(oldest)) oldest.version else oldest.version + 1
  }

  /** The first of the versions without a gap before the latest one. */
  private def firstOfRun(present: IndexedSeq[ManifestLocation]): ManifestLocation =
    present.indices.reverse
      .takeWhile(i => i == present.length - 1 || present(i).version + 1 == present(i + 1).version)
      .map(present(_))
      .last

  /** A version that storage has now, if it exists. The table may have been dropped and created
    * again.
    */
  def find(version: Long): Option[LanceTable] = versions.find(version).map(table.at)

  /** Fails because a version cannot be read.
    *
    * @throws NotFoundException that names the first version whose changes can be read
    */
  def reject(version: Long): Nothing = unreadable(version)

  /** Manifests that are read in parallel. */
  private val manifestsAhead = 8

  /** Maximum difference between the clocks of writers, for bounds that are times. */
  private val clockDifference = Duration.ofHours(1)

  /** Up to this many versions are looked up one by one rather than by a listing. */
  private val maxLookUps = 32

  /** Looks up a version, except the one that is loaded. */
  private def lookUp(version: Long): Option[ManifestLocation] =
    if (version == table.version) Some(table.file.location)
    else versions.find(version)

  private def locations(numbers: Seq[Long]): IndexedSeq[Option[ManifestLocation]] =
    if (numbers.length <= maxLookUps) Workers.map(numbers.toIndexedSeq, 8)(lookUp)
    else {
      val listed =
        versions.since(numbers.head - 1).iterator.map(l => l.version -> l).toMap
      numbers.iterator.map(listed.get).toIndexedSeq
    }

  /** Fails unless the first version of a range, whose predecessor is not there, created the table.
    */
  private def checkFirst(first: LanceTable): Unit =
    if (!isCreation(first)) unreadable(first.version)

  private def operation(version: LanceTable): Option[OperationCase] =
    try version.file.transaction(version.root).map(_.getOperationCase)
    catch { case _: LanceException => None }

  private def unreadable(version: Long): Nothing = {
    val present = versions.list()
    val oldest = read(firstOfRun(present))
    val isClone = operation(oldest).contains(OperationCase.CLONE)
    val branch = oldest.manifest.branch.filter(_ => isClone)
    val readable = if (isCreation(oldest)) oldest.version else oldest.version + 1
    val why = branch match {
      case Some(b) if version <= oldest.version =>
        s"version $version is not on branch $b, which begins with version ${oldest.version}"
      case _ if isClone && version < oldest.version =>
        s"version $version is not in this clone, which begins with version ${oldest.version}"
      case _ if present.exists(_.version == version) =>
        s"the version before version $version was cleaned up"
      case _ => s"version $version was cleaned up"
    }
    val hint =
      if (readable > present.last.version) "The changes of no version can be read"
      else s"The first version whose changes can be read is $readable"
    throw new NotFoundException(s"the changes of version $version: $why. $hint", place(version))
  }
}
