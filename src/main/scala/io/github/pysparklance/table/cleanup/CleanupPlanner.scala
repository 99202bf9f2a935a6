// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.time.{Duration, Instant}

import io.github.pysparklance.core.{
  InvalidRequestException,
  Log,
  NotFoundException,
  Optional,
  Place,
  Workers
}
import io.github.pysparklance.storage.spi.{DynamoDbUri, FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  FragmentMemo,
  ManifestFile,
  ManifestLocation,
  ManifestOutline,
  Versions
}
import io.github.pysparklance.table.refs.{Branch, Branches, StreamMarks, Tags}

/** Finds the old versions of a table or of one of its branches, and their unreferenced files.
  *
  * A version is kept if it is the latest or later, has a tag, is not older than the mark of a
  * stream, is the origin of a branch, is detached, or if the policy keeps it. A file is removed if
  * no kept version on any branch references it, and either a removed version references it or it is
  * older than seven days. Younger files may belong to a pending commit. Unknown files are kept.
  *
  * Source: format page of the table, "Cleanup".
  *
  * @param root root of the table or branch
  * @param current the version to treat as the latest
  * @param now returns the time that ages are computed from
  */
final private[table] class CleanupPlanner(
    store: FileStore,
    root: TablePath,
    current: ManifestFile,
    now: () => Instant = () => Instant.now()
) {
  import CleanupPlanner._

  private val branch = current.manifest.branch
  private val main = mainRoot(root, branch)
  private val tree = new Tree(store, root)
  private val mainTree = if (main == root) tree else new Tree(store, main)
  private val versions = new Versions(store, root)
  private val place = Place(path = Some(root.root))

  /** Plans a clean-up.
    *
    * @throws InvalidRequestException if a tag protects a version that the policy would remove,
    *   unless the policy allows that; or if a symbolic link leads to the versions
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if a version has features that
    *   this release cannot write, because it may reference files in unknown ways
    * @throws io.github.pysparklance.core.CorruptFileException if a version or reference cannot be
    *   read
    */
  def plan(policy: CleanupPolicy): CleanupPlan = Place.in(place)(plan(policy, Set.empty))

  /** @param ignored manifests of other branches that are removed first */
  private def plan(policy: CleanupPolicy, ignored: Set[String]): CleanupPlan = {
    Tree.checkUnlinked(store, main, root)
    val branches = new Branches(store, main).list()
    val children = descendants(branches)
    val cascade =
      if (policy.cleanReferencedBranches) cascaded(policy, children) else IndexedSeq.empty
    val gone = ignored ++ cascade.flatMap(_._2.manifests.map(_.path))

    val (detached, listed) = versions.listAll().partition(_.version < 0)
    val tagged = new Tags(store, main).list().filter(_.branch == branch)
    val (marks, tags) = tagged.partition(StreamMarks.isMark)
    val protectedVersions = tags.map(_.version).toSet ++ children.map(_.version)
    // Streams read all versions after their mark.
    val firstMarked = marks.map(_.version).reduceOption(_ min _).getOrElse(Long.MaxValue)
    // Checked first, before thousands of versions are read in vain.
    if (policy.errorIfTaggedOldVersions)
      rejectTagged(tags.map(t => t.name -> t.version), listed, policy)

    val budget = new FragmentMemo.Budget
    val needed = new References(budget)
    val verified = new References(budget)
    def isOld(m: ManifestOutline): Boolean =
      m.version < math.min(current.manifest.version, firstMarked) && policy.cleans(m) &&
        !protectedVersions(m.version)
    current.manifest.flags.checkWritable()
    needed.add(current)
    // The latest version can be large, and is in memory already.
    val others =
      if (current.isUnchanged) listed.filterNot(_.path == current.location.path) else listed
    val saved = new SavedManifests
    val old = readAll(others) { m =>
      val goes = isOld(m)
      if (goes) {
        verified.add(m)
        saved.add(m)
      } else needed.add(m)
      Optional.when(goes)(m.location)
    }.flatten
    readAll(detached)(needed.add)
    foreignRoots(branches).foreach { other =>
      val theirs = new Versions(store, other).listAll().filterNot(l => gone(l.path))
      readAll(theirs, isForeign = true)(needed.addForeign)
    }
    val candidates = files(needed, verified, policy)
    // Versions that appeared while files were listed, such as a restored one, need their files.
    val known = listed.iterator.map(_.path).toSet
    val afterwards = Outlines.extended(versions, versions.list(), current.manifest.version)
    val late = readAll(afterwards.filterNot(l => known(l.path)))(needed.add)
    val files0 = if (late.isEmpty) candidates else files(needed, verified, policy)
    val last = afterwards.map(_.version).foldLeft(current.manifest.version)(_ max _)

    val manifests = old.map { location =>
      CleanupFile(
        location.path,
        CleanupFileKind.Manifest,
        isUnverified = false,
        sizeOf(location),
        Some((root, location))
      )
    }
    cascade.foldLeft(
      CleanupPlan(
        current.manifest.version,
        files0,
        manifests,
        folders(files0),
        children.map(c => c.copy(isCleaned = cascade.exists(_._1 == c.name))),
        policy.deletesPerSecond,
        new LateReferences(
          main,
          IndexedSeq(CleanedRoot(root, branch, last, detached.map(_.version).toSet)),
          branches.map(_.id).toSet,
          saved
        )
      )
    ) { case (all, (_, plan)) =>
      all.copy(
        files = plan.files ++ all.files,
        manifests = plan.manifests ++ all.manifests,
        folders = plan.folders ++ all.folders,
        late = all.late ++ plan.late
      )
    }
  }

  /** Plans the clean-up of branches that protect versions which would otherwise be removed. Each
    * uses its own configuration.
    */
  private def cascaded(
      policy: CleanupPolicy,
      children: IndexedSeq[ReferencingBranch]
  ): IndexedSeq[(String, CleanupPlan)] =
    children.foldLeft(IndexedSeq.empty[(String, CleanupPlan)]) { (done, child) =>
      val ownRoot = new Branches(store, main).rootOf(child.name)
      val plan = for {
        location <- new Versions(store, ownRoot).latest()
        if parentGoes(policy, child.version)
        latest = ManifestFile.read(store, location)
        own <-
          AutoCleanup.policy(latest.manifest, new Versions(store, ownRoot).list().map(_.version))
      } yield new CleanupPlanner(store, ownRoot, latest, now).plan(
        own.copy(
          cleanReferencedBranches = false,
          errorIfTaggedOldVersions = false,
          deletesPerSecond = None
        ),
        done.flatMap(_._2.manifests.map(_.path)).toSet
      )
      plan.fold(done)(p => done :+ (child.name -> p))
    }

  private def parentGoes(policy: CleanupPolicy, version: Long): Boolean =
    try policy.cleans(ManifestOutline.read(store, versions.at(version)))
    catch {
      case e: NotFoundException =>
        CleanupPlanner.log.debug(s"${root.root}: version $version is gone already", e)
        true
    }

  /** Returns the branches created from this one, directly or indirectly, with the version of this
    * branch where their line starts. Descendants come before their ancestors.
    */
  private def descendants(branches: IndexedSeq[Branch]): IndexedSeq[ReferencingBranch] = {
    val byName = branches.map(b => b.name -> b).toMap
    def origin(b: Branch, steps: Int): Option[(Long, Int)] =
      if (b.parentBranch == branch) Some((b.parentVersion, steps))
      else if (steps > branches.length) None
      else b.parentBranch.flatMap(byName.get).flatMap(origin(_, steps + 1))
    branches
      .flatMap(b =>
        origin(b, 0).map { case (v, steps) =>
          (steps, ReferencingBranch(b.name, v, isCleaned = false))
        }
      )
      .sortBy { case (steps, b) => (-steps, b.name) }
      .map(_._2)
  }

  /** Returns all other roots of the table whose versions may reference files of this one. */
  private def foreignRoots(branches: IndexedSeq[Branch]): IndexedSeq[TablePath] = {
    val described = branches.map(b => main.folder("tree").folder(b.name))
    (main +: (described ++ mainTree.otherRoots())).distinct.filterNot(_ == root)
  }

  private def rejectTagged(
      tags: IndexedSeq[(String, Long)],
      listed: IndexedSeq[ManifestLocation],
      policy: CleanupPolicy
  ): Unit = {
    val named = tags.map(_._2).filter(_ < current.manifest.version).toSet
    val old = readAll(listed.filter(l => named(l.version)))(m =>
      Optional.when(policy.cleans(m))(m.version)
    ).flatten.toSet
    val kept = tags.filter(t => old(t._2))
    if (kept.nonEmpty)
      throw new InvalidRequestException(
        "tags protect versions that the clean-up would remove: " +
          kept.map { case (name, v) => s"$name (version $v)" }.mkString(", ") +
          "; drop the tags (ALTER TABLE … DROP TAG name), or set errorIfTaggedOldVersions to false, " +
          "which keeps these versions",
        place
      )
  }

  /** Skips old versions that a concurrent clean-up removed.
    *
    * @param isForeign whether they belong to another root, with its own version numbers
    */
  private def readAll[A](
      locations: IndexedSeq[ManifestLocation],
      isForeign: Boolean = false
  )(reduce: ManifestOutline => A): IndexedSeq[A] =
    Outlines.read(
      store,
      root,
      locations,
      l => isForeign || l.version < current.manifest.version
    )(reduce)

  private def sizeOf(l: ManifestLocation): Long =
    l.sizeBytes.getOrElse(store.status(l.path).fold(0L)(_.sizeBytes))

  private def files(
      needed: References,
      verified: References,
      policy: CleanupPolicy
  ): IndexedSeq[CleanupFile] = {
    val rules = new CleanupRules(needed, verified)
    val threshold = now().minus(unverifiedAge).toEpochMilli
    val present = scanned.filter(tree.hasFolder)
    Workers.map(present, present.length) { folder =>
      tree.files(folder).flatMap { found =>
        val modified = found.modifiedMillis
        val isYoung = !policy.deleteUnverified && (modified <= 0 || modified >= threshold)
        rules(found, isYoung).map { case (kind, isUnverified) =>
          CleanupFile(root.resolve(found.path), kind, isUnverified, found.sizeBytes)
        }
      }.toIndexedSeq
    }.flatten
  }

  /** Returns the folders of indices and of blobs, which lose all their files together. */
  private def folders(files: IndexedSeq[CleanupFile]): IndexedSeq[String] = {
    val tops = Seq("_indices", "data").map(root.resolve)
    def parents(path: String): Iterator[String] =
      Iterator.iterate(parent(path))(parent).takeWhile(p => tops.exists(t => p.startsWith(t + "/")))
    files.iterator
      .filter(f => f.kind == CleanupFileKind.Index || f.path.endsWith(".blob"))
      .flatMap(f => parents(f.path))
      .toSet
      .toIndexedSeq
  }

  private def parent(path: String): String = path.take(math.max(0, path.lastIndexOf('/')))
}

private object CleanupPlanner {
  private val log = Log(classOf[CleanupPlanner])

  /** Unreferenced files below this age may belong to a pending commit. */
  val unverifiedAge: Duration = Duration.ofDays(7)

  /** The folders whose files may be removed. All other files below a root are kept. */
  val scanned: IndexedSeq[String] =
    IndexedSeq(Versions.folderName, "_transactions", "data", "_indices", "_deletions", "_refs")

  /** Returns the root of the table that a branch belongs to. */
  def mainRoot(root: TablePath, branch: Option[String]): TablePath =
    branch.fold(root) { name =>
      val suffix = s"/tree/$name"
      val (folder, rest) = DynamoDbUri.split(root.root)
      if (!folder.endsWith(suffix))
        throw new InvalidRequestException(
          s"the branch $name is not below its table, which contains its tags",
          Place(path = Some(root.root))
        )
      TablePath(folder.dropRight(suffix.length) + rest)
    }
}
