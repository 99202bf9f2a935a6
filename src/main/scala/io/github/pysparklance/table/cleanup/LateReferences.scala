// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import io.github.pysparklance.core.{Log, NotFoundException, Place}
import io.github.pysparklance.storage.spi.{DynamoDbUri, FileStore, TablePath}
import io.github.pysparklance.table.manifest.{FragmentMemo, ManifestOutline, Versions}
import io.github.pysparklance.table.refs.{BranchId, Branches, StreamMarks, Tags}

/** A table or branch whose old versions a clean-up removes.
  *
  * @param branch `None` for the main branch
  * @param last the last version that the plan considers
  * @param detached the detached versions that the plan considers
  */
final private[cleanup] case class CleanedRoot(
    root: TablePath,
    branch: Option[String],
    last: Long,
    detached: Set[Long]
)

/** Keeps versions and files that were referenced after a clean-up was planned: by tags, branches,
  * and new versions such as restored and detached ones.
  *
  * {{{
  *   creator  writes the reference, then checks that the manifest exists
  *   clean-up reads the references, deletes manifests, reads the references again, deletes files
  * }}}
  * If the clean-up does not find the reference, the creator does not find the manifest and removes
  * the reference, see [[io.github.pysparklance.table.refs.SourceCheck]]. If the creator finds the
  * manifest before it is deleted, the clean-up finds the reference afterwards, and creates the
  * manifest again.
  *
  * @param main root of the table
  * @param cleaned the cleaned roots
  * @param known branches at planning
  * @param saved the removed manifests
  */
final private[cleanup] class LateReferences(
    main: TablePath,
    private val cleaned: IndexedSeq[CleanedRoot],
    known: Set[BranchId],
    private val saved: SavedManifests
) {
  import LateReferences._

  /** Adds the cleaned branches of another plan of the same table. */
  def ++(other: LateReferences): LateReferences =
    new LateReferences(main, other.cleaned ++ cleaned, known, saved ++ other.saved)

  /** Returns the plan without the versions that are referenced now, and without their files. */
  def beforeManifests(store: FileStore, plan: CleanupPlan): CleanupPlan =
    if (plan.manifests.isEmpty) plan
    else {
      val kept = referenced(plan, new Current(store))
      if (kept.isEmpty) plan
      else {
        log.info(s"${main.root}: versions ${numbers(kept)} are referenced since planning and kept")
        plan.copy(
          files = without(plan.files, kept.flatMap(outline(store, _))),
          manifests = plan.manifests.diff(kept)
        )
      }
    }

  /** Returns the files to remove after the manifests, and corrected statistics.
    *
    * If the storage did not delete all manifests, files of removed versions stay, because the
    * remaining versions may need them.
    *
    * @param removed statistics of the removed manifests
    * @throws NotFoundException if a tag names a removed version that cannot be created again
    */
  def afterManifests(
      store: FileStore,
      plan: CleanupPlan,
      removed: CleanupStats
  ): (CleanupPlan, CleanupStats) =
    if (plan.manifests.isEmpty) (plan, removed)
    else {
      val now = new Current(store)
      val found = referenced(plan, now)
      val created = found.filter(createAgain(store, _))
      val back = found.filter(f => created.contains(f) || isPresent(store, f))
      found.diff(back).find(now.isTagged).foreach(f => throw tagged(f))
      val needed = back.flatMap(outline(store, _)) ++ laterVersions(store) ++ now.branchVersions
      val files =
        if (removed.failedDeletes > 0) plan.files.filter(_.isUnverified) else plan.files
      val stats = removed.copy(
        bytesRemoved = removed.bytesRemoved - created.map(_.sizeBytes).sum,
        oldVersions = removed.oldVersions - created.length
      )
      (plan.copy(files = without(files, needed)), stats)
    }

  /** The tags and branches now. */
  final private class Current(store: FileStore) {
    // Most tables have neither, which takes a single request to find out.
    private val kinds = store.listNames(main.resolve("_refs")).toSet
    private val (marks, tags) =
      (if (kinds("tags")) new Tags(store, main).list() else IndexedSeq.empty)
        .partition(StreamMarks.isMark)
    private val named = tags.map(t => t.branch -> t.version).toSet
    // Streams read all versions after their mark.
    private val firstMarked = marks.groupBy(_.branch).map { case (b, all) =>
      b -> all.map(_.version).min
    }
    private val branches =
      (if (kinds("branches")) new Branches(store, main).list() else IndexedSeq.empty)
        .filterNot(b => known(b.id))
    private val origins = branches.map(b => b.parentBranch -> b.parentVersion).toSet

    def isTagged(f: CleanupFile): Boolean = numbered(f).exists { case v @ (branch, version) =>
      named(v) || firstMarked.get(branch).exists(_ <= version)
    }

    def isOrigin(f: CleanupFile): Boolean = numbered(f).exists(origins)

    /** The versions of new branches. */
    def branchVersions: IndexedSeq[Needed] = branches.flatMap { b =>
      val root = main.folder("tree").folder(b.name)
      Outlines.read(store, root, new Versions(store, root).listAll(), _ => true)(root -> _)
    }
  }

  private def referenced(plan: CleanupPlan, now: Current): IndexedSeq[CleanupFile] =
    plan.manifests.filter(f => now.isTagged(f) || now.isOrigin(f))

  /** The branch and number of a manifest. */
  private def numbered(f: CleanupFile): Option[(Option[String], Long)] = for {
    (root, location) <- f.version
    of <- cleaned.find(_.root == root)
  } yield of.branch -> location.version

  /** Creates a manifest again if it was saved.
    *
    * @return false if it was not, or if the manifest exists
    */
  private def createAgain(store: FileStore, f: CleanupFile): Boolean = {
    val isCreated = for {
      (root, location) <- f.version
      bytes <- saved.get(f.path)
    } yield new Versions(store, root).publish(location, bytes)
    if (isCreated.contains(true))
      log.info(s"${f.path}: created again, because the version is referenced since planning")
    isCreated.contains(true)
  }

  private def isPresent(store: FileStore, f: CleanupFile): Boolean =
    f.version.exists { case (root, l) => new Versions(store, root).find(l.version).isDefined }

  private def tagged(f: CleanupFile): NotFoundException = {
    val version = f.version.fold("")(_._2.version.toString)
    new NotFoundException(
      s"version $version, which got a tag while this clean-up removed it; drop the tag, and run the " +
        "clean-up again for the remaining files",
      Place(path = f.version.map(_._1.root))
    )
  }

  /** Reads the versions since planning, which can reference files of removed ones. */
  private def laterVersions(store: FileStore): IndexedSeq[Needed] = cleaned.flatMap { c =>
    val versions = new Versions(store, c.root)
    val listed = versions.listAll()
    val detached = listed.filter(l => l.version < 0 && !c.detached(l.version))
    val later = Outlines.extended(versions, listed.filter(_.version > c.last), c.last)
    Outlines.read(store, c.root, detached ++ later, _ => true)(c.root -> _)
  }

  private def outline(store: FileStore, f: CleanupFile): Option[Needed] =
    f.version.flatMap { case (root, location) =>
      Outlines.read(store, root, IndexedSeq(location), _ => true)(root -> _).headOption
    }

  /** Returns the files that none of the versions need. */
  private def without(
      files: IndexedSeq[CleanupFile],
      needed: IndexedSeq[Needed]
  ): IndexedSeq[CleanupFile] =
    if (needed.isEmpty) files
    else {
      val budget = new FragmentMemo.Budget
      val unneeded = cleaned.map { c =>
        val references = new References(budget)
        needed.foreach { case (root, m) =>
          if (root == c.root) references.add(m) else references.addForeign(m)
        }
        prefix(c.root) -> new CleanupRules(references, new References(budget))
      }
      files.filter { f =>
        // The folder of a branch is below that of the table.
        val (folder, rules) =
          unneeded.filter { case (folder, _) => f.path.startsWith(folder) }.maxBy(_._1.length)
        val relative = DynamoDbUri.split(f.path)._1.drop(folder.length)
        rules(Found(relative, f.sizeBytes, 0), isYoung = false).isDefined
      }
    }

  private def prefix(root: TablePath): String =
    DynamoDbUri.split(root.root)._1.stripSuffix("/") + "/"

  private def numbers(files: IndexedSeq[CleanupFile]): String =
    files.flatMap(_.version).map(_._2.version).mkString(", ")
}

private object LateReferences {
  private val log = Log(classOf[LateReferences])

  /** The root of a version, and the version. */
  private type Needed = (TablePath, ManifestOutline)
}
