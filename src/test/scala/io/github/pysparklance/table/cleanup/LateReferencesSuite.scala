// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.NotFoundException
import io.github.pysparklance.storage.spi.{FileStore, ForwardingFileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cloning.{DeepClone, ShallowClone}
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.refs.{Branches, Revision, StreamMarks, Tags}
import io.github.pysparklance.table.transaction.operation.Append
import io.github.pysparklance.testkit.{MemoryFiles, TableRows}

/** Tags, branches, clones, and restored versions that are created while a clean-up runs. Each is
  * either complete afterwards, or its creation fails and leaves nothing.
  */
class LateReferencesSuite extends AnyFunSuite {
  private val path = "/memory/table"
  private val target = "/memory/clone"
  private val root = TablePath(path)
  private val first = Revision.Version(1)
  private val loose = CleanupPolicy(errorIfTaggedOldVersions = false)

  /** A storage that runs an action once, before a call with a matching path. */
  final private class Hooked(files: FileStore) extends ForwardingFileStore(files) {
    private var hook = Option.empty[(String => Boolean, () => Any)]

    def once(matches: String => Boolean)(action: => Any): Unit =
      hook = Some((matches, () => action))

    def isDone: Boolean = hook.isEmpty

    private def before(path: String): Unit = hook.foreach { case (matches, action) =>
      if (matches(path)) {
        hook = None
        action(): Unit
      }
    }

    override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
      before(path)
      super.createIfAbsent(path, bytes)
    }

    override def replace(path: String, bytes: Array[Byte]): Unit = {
      before(path)
      super.replace(path, bytes)
    }

    override def deleteAll(paths: Seq[String]): Unit = {
      paths.foreach(before)
      super.deleteAll(paths)
    }
  }

  private def isManifest(path: String): Boolean = path.endsWith(".manifest")

  private def rows(store: FileStore, revision: Revision, at: String = path): Seq[Any] =
    TableRows(store, LanceTable.open(store, at, revision)).map(_.head)

  private def write(store: FileStore, ids: Long*) =
    IndexedSeq(TableRows.write(store, path, ids.map(i => (i, i))))

  /** Version 1 has rows 1 and 2, version 2 only row 1, and version 3 row 3 instead. */
  private def table(): Hooked = {
    val store = new Hooked(new MemoryFiles())
    val t = LanceTable.create(store, path, TableRows.schema, write(store, 1, 2))
    t.delete(TableRows.where(store, t)(_.head == 2L), "id = 2")
      .overwrite(write(store, 3), TableRows.schema): Unit
    store
  }

  private def versions(store: FileStore): Seq[Long] = LanceTable.versions(store, path)

  private def plan(store: FileStore): CleanupPlan =
    LanceTable.open(store, path).planCleanup(CleanupPolicy())

  private def tags(store: FileStore): Tags = LanceTable.tags(store, path)

  private def branches(store: FileStore): Branches = LanceTable.branches(store, path)

  private def restore(store: FileStore): LanceTable =
    new History(LanceTable.open(store, path, first)).restore()

  test("versions that are referenced after planning are kept with their files") {
    val tagged = table()
    val one = plan(tagged)
    tags(tagged).create("t", first)
    val stats = one.run(tagged)
    assert(stats.oldVersions == 1 && versions(tagged) == Seq(1, 3))
    assert(rows(tagged, Revision.Tagged("t")) == Seq(1L, 2L))

    val branched = table()
    val two = plan(branched)
    branches(branched).create("dev", first)
    two.run(branched): Unit
    assert(versions(branched) == Seq(1, 3))
    assert(rows(branched, Revision.OnBranch("dev")) == Seq(1L, 2L))

    val marked = table()
    val three = plan(marked)
    new StreamMarks(marked, root).put("m", None, 2, "a stream")
    three.run(marked): Unit
    assert(versions(marked) == Seq(2, 3))
    assert(rows(marked, Revision.Version(2)) == Seq(1L))
  }

  test("files of a version that is restored after planning are kept") {
    val store = table()
    val planned = plan(store)
    assert(restore(store).version == 4)
    planned.run(store): Unit
    assert(versions(store) == Seq(3, 4))
    assert(rows(store, Revision.Latest) == Seq(1L, 2L))
  }

  test("references that are created while manifests are deleted are complete") {
    val tagged = table()
    val planned = plan(tagged)
    tagged.once(isManifest)(tags(tagged).create("t", first))
    val stats = planned.run(tagged)
    assert(tagged.isDone && stats.oldVersions == 1 && versions(tagged) == Seq(1, 3))
    assert(rows(tagged, Revision.Tagged("t")) == Seq(1L, 2L))

    val branched = table()
    val two = plan(branched)
    branched.once(isManifest)(branches(branched).create("dev", first))
    two.run(branched): Unit
    assert(branched.isDone && rows(branched, Revision.OnBranch("dev")) == Seq(1L, 2L))

    val restored = table()
    val three = plan(restored)
    restored.once(isManifest)(restore(restored))
    three.run(restored): Unit
    assert(restored.isDone && rows(restored, Revision.Latest) == Seq(1L, 2L))
  }

  test("a tag of a removed version that cannot be created again stops the clean-up") {
    val store = table()
    val planned = plan(store)
    val unsaved = planned.copy(late =
      new LateReferences(
        root,
        IndexedSeq(CleanedRoot(root, None, 3, Set.empty)),
        Set.empty,
        new SavedManifests(0)
      )
    )
    store.once(isManifest)(tags(store).create("t", first))
    val e = intercept[NotFoundException](unsaved.run(store))
    assert(e.getMessage.contains("version 1, which got a tag") && e.getMessage.contains(path))
    assert(planned.files.forall(f => store.exists(f.path)))
  }

  /** Runs a creation and a whole clean-up before its first write with a matching path. */
  private def fails(store: Hooked, at: String => Boolean)(create: => Any): NotFoundException = {
    store.once(at)(LanceTable.open(store, path).planCleanup(loose).run(store))
    val e = intercept[NotFoundException](create)
    assert(store.isDone && e.getMessage.contains("version 1, which a clean-up removed meanwhile"))
    assert(e.getMessage.contains(path))
    e
  }

  test("a tag of a version that is removed meanwhile is not created") {
    val store = table()
    fails(store, _.contains("_refs/tags"))(tags(store).create("t", first))
    assert(tags(store).list().isEmpty && versions(store) == Seq(3))
    val other = table()
    val before = tags(other).create("t", Revision.Version(3))
    fails(other, _.contains("_refs/tags"))(tags(other).update("t", first))
    assert(tags(other).list() == Seq(before) && rows(other, Revision.Tagged("t")) == Seq(3L))
  }

  test("a branch of a version that is removed meanwhile is not created") {
    val store = table()
    fails(store, _.contains("tree/dev"))(branches(store).create("dev", first))
    assert(branches(store).list().isEmpty)
    assert(!store.listFiles(path).exists(_.relativePath.startsWith("tree/")))
    branches(store).create("dev")
    assert(rows(store, Revision.OnBranch("dev")) == Seq(3L))
  }

  test("a clone of a version that is removed meanwhile is not created") {
    val store = table()
    val source = LanceTable.open(store, path, first)
    fails(store, _.startsWith(target))(new ShallowClone(source)(target))
    assert(!LanceTable.exists(store, target))
    // The indices of a version are listed when the copies are planned.
    val deep = table()
    val deepSource = LanceTable.open(deep, path, first)
    LanceTable.open(deep, path).planCleanup(loose).run(deep): Unit
    val e = intercept[NotFoundException](new DeepClone(deepSource).commit(target))
    assert(e.getMessage.contains("was not created") && !LanceTable.exists(deep, target))
  }

  test("the restore of a version that is removed meanwhile is undone") {
    val store = table()
    val e = fails(store, isManifest)(restore(store))
    assert(e.getMessage.contains("the restore in version 4 was undone"))
    assert(versions(store) == Seq(3, 4, 5) && rows(store, Revision.Latest) == Seq(3L))
  }

  private def detach(store: FileStore): LanceTable =
    new History(LanceTable.open(store, path, first)).commitDetached(Append(write(store, 4)))

  test("files of a detached version that is committed after planning are kept") {
    val before = table()
    val planned = plan(before)
    val one = detach(before)
    planned.run(before): Unit
    assert(TableRows(before, one).map(_.head) == Seq(1L, 2L, 4L))

    val meanwhile = table()
    val running = plan(meanwhile)
    var two = Option.empty[LanceTable]
    meanwhile.once(isManifest) { two = Some(detach(meanwhile)) }
    running.run(meanwhile): Unit
    assert(meanwhile.isDone && TableRows(meanwhile, two.get).map(_.head) == Seq(1L, 2L, 4L))
  }

  test("a detached version on a version that is removed meanwhile is removed") {
    val store = table()
    val e = fails(store, isManifest)(detach(store))
    assert(e.getMessage.contains("the detached version was undone"))
    assert(store.list(s"$path/_versions").count(f => isManifest(f.name)) == 1)
  }

  test("files are kept if the storage does not delete the manifests") {
    val store = table()
    val planned = plan(store)
    val failing = new ForwardingFileStore(store) {
      override def delete(path: String): Boolean =
        if (isManifest(path)) throw new IOException(s"$path: denied") else super.delete(path)
      override def deleteAll(paths: Seq[String]): Unit = paths.foreach(delete)
    }
    val stats = planned.run(failing)
    assert(stats.failedDeletes == 2 && stats.oldVersions == 0)
    assert(rows(store, first) == Seq(1L, 2L))
    assert(plan(store).run(store).oldVersions == 2)
  }

  test("a tag of a version on a branch keeps files of the table that only that version needs") {
    val store = table()
    branches(store).create("dev", first)
    val dev = LanceTable.open(store, path, Revision.OnBranch("dev"))
    val configured = Map(
      "lance.auto_cleanup.interval" -> "1",
      "lance.auto_cleanup.retain_versions" -> "1"
    )
    dev.overwrite(
      IndexedSeq(TableRows.write(store, dev.path, Seq((9L, 9L)))),
      TableRows.schema,
      config = configured
    ): Unit
    val policy = loose.copy(cleanReferencedBranches = true)
    val planned = LanceTable.open(store, path).planCleanup(policy)
    assert(planned.branches.exists(_.isCleaned) && planned.manifests.nonEmpty)
    tags(store).create("t", Revision.OnBranch("dev", Some(1L)))
    planned.run(store): Unit
    assert(rows(store, Revision.Tagged("t")) == Seq(1L, 2L))
    assert(rows(store, Revision.OnBranch("dev")) == Seq(9L))
  }

  test("saved manifests have a limit of memory") {
    val store = table()
    val old = plan(store).manifests.map(_.version.get._2)
    val outlines = Outlines.read(store, root, old, _ => false)(identity)
    val most = outlines.map(_.file.get.length).max
    val saved = new SavedManifests(most.toLong)
    outlines.foreach(saved.add)
    assert(outlines.count(m => saved.get(m.location.path).isDefined) == 1)
  }
}
