// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.io.IOException
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path, Paths}
import java.time.{Duration, Instant}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CorruptFileException,
  Field,
  InvalidRequestException,
  LogicalType,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{
  FileEntry,
  ForwardingFileStore,
  FoundFile,
  RangeReader
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{BasePath, DataFile, Fragment, ManifestFile, Versions}
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.transaction.operation.{UpdateConfig, UpdateMap}
import io.github.pysparklance.testkit.{GoldenTables, TemporaryFolder}

/** Determines the files that a clean-up deletes. Data files are empty here, because nothing reads
  * them.
  */
class CleanupSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val schema = Schema(
    IndexedSeq(Field(0, "id", LogicalType.parse("int64"), nullable = true))
  )

  private def path: String = folder.resolve("t").toString
  private def root: Path = Paths.get(path)

  private def fragment(name: String, rows: Long = 4, at: Path = root): Fragment = {
    touch(s"data/$name.lance", at = at)
    Fragment.unassigned(
      Seq(DataFile(s"$name.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.default, 3)),
      rows
    )
  }

  private def touch(name: String, ageDays: Long = 0, at: Path = root): Path = {
    val file = at.resolve(name)
    Files.createDirectories(file.getParent)
    Files.write(file, Array[Byte](1, 2, 3))
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(ageDays))))
  }

  private def files(at: Path = root): Set[String] = {
    val all = Files.walk(at)
    try all.iterator.asScala.filter(Files.isRegularFile(_)).map(at.relativize(_).toString).toSet
    finally all.close()
  }

  private def in(folder: String): Set[String] =
    files().filter(_.startsWith(s"$folder/")).map(_.drop(folder.length + 1))

  /** Version history: a, then b instead of a, then a row of b deleted, then c beside b. */
  private def history(): LanceTable =
    LanceTable.create(store, path, schema, IndexedSeq(fragment("a")))
      .overwrite(IndexedSeq(fragment("b")), schema)
      .delete(Map(1L -> DeletionVector.of(Array(1))), "id = 1")
      .delete(Map(1L -> DeletionVector.of(Array(2))), "id = 2")
      .append(IndexedSeq(fragment("c")))

  private def tag(name: String, version: Long, branch: Option[String] = None): Unit = {
    val b = branch.fold("null")(n => s""""$n"""")
    val file = touch(s"_refs/tags/$name.json")
    Files.write(file, s"""{"branch": $b, "version": $version, "manifestSize": 1}""".getBytes)
    ()
  }

  private def run(t: LanceTable, policy: CleanupPolicy = CleanupPolicy()): CleanupStats =
    t.planCleanup(policy).run(store)

  test("files referenced only by old versions are deleted with them") {
    val t = history()
    val before = files()
    val plan = t.planCleanup(CleanupPolicy())
    assert(files() == before, "a plan removes nothing")
    assert(plan.readVersion == 5 && plan.manifests.length == 4 && !plan.isEmpty)
    val sizes = (plan.files ++ plan.manifests).map(f => Files.size(Paths.get(f.path))).sum
    val stats = plan.run(store)
    assert(stats == plan.stats)
    assert(stats == CleanupStats(sizes, 4, 1, 4, 0, 1))
    assert(LanceTable.versions(store, path) == Seq(5))
    assert(in("data") == Set("b.lance", "c.lance"))
    assert(in("_transactions").size == 1 && in("_deletions").size == 1)
    assert(LanceTable.open(store, path).rowCount.contains(6L))
    assert(t.planCleanup(CleanupPolicy()).isEmpty)
    assert(t.append(IndexedSeq(fragment("d"))).version == 6)
  }

  test("policies: before a time, before a version, given versions, all but the latest n") {
    val t = history()
    def versions(policy: CleanupPolicy): Seq[Long] =
      t.planCleanup(policy).manifests.map { f =>
        val name = Paths.get(f.path).getFileName.toString.takeWhile(_ != '.')
        -1L - java.lang.Long.parseUnsignedLong(name)
      }
    val third = LanceTable.open(store, path, Some(3L)).manifest.timestamp
    assert(versions(CleanupPolicy(beforeTimestamp = Some(third))) == Seq(1, 2))
    assert(versions(CleanupPolicy(beforeVersion = Some(4L))) == Seq(1, 2, 3))
    assert(versions(CleanupPolicy(versions = Some(Set(2L, 5L, 9L)))) == Seq(2))
    assert(versions(CleanupPolicy(Some(third), Some(2L))) == Seq(1))
    val present = LanceTable.versions(store, path)
    assert(versions(CleanupPolicy.retaining(2, present)) == Seq(1, 2, 3))
    assert(versions(CleanupPolicy.retaining(9, present)) == Nil)
    assert(versions(CleanupPolicy.retaining(1, present)) == Seq(1, 2, 3, 4))
    Seq(
      () => CleanupPolicy.retaining(0, present),
      () => CleanupPolicy(versions = Some(Set.empty)),
      () => CleanupPolicy(deletesPerSecond = Some(0))
    ).foreach(bad => intercept[InvalidRequestException](bad()))
  }

  test("a version between others: files of its neighbors are kept") {
    val t = history()
    run(t, CleanupPolicy(versions = Some(Set(3L))))
    assert(LanceTable.versions(store, path) == Seq(1, 2, 4, 5))
    assert(in("data").size == 3 && in("_deletions").size == 1)
    Seq(1L, 2L, 4L, 5L).foreach(v =>
      assert(LanceTable.open(store, path, Some(v)).rowCount.nonEmpty)
    )
  }

  test("a stale handle deletes nothing of newer versions") {
    history()
    val third = LanceTable.open(store, path, Some(3L))
    assert(run(third).oldVersions == 2)
    assert(LanceTable.versions(store, path) == Seq(3, 4, 5))
    assert(in("_deletions").size == 2)
  }

  test("tags keep versions, or stop the clean-up") {
    val t = history()
    tag("first", 1)
    tag("elsewhere", 2, Some("dev"))
    val before = files()
    val e = intercept[InvalidRequestException](run(t))
    assert(e.getMessage.contains("first (version 1)") && !e.getMessage.contains("elsewhere"))
    assert(files() == before)
    assert(run(t, CleanupPolicy(beforeVersion = Some(1L))).oldVersions == 0)
    assert(run(t, CleanupPolicy(errorIfTaggedOldVersions = false)).oldVersions == 3)
    assert(LanceTable.versions(store, path) == Seq(1, 5))
    assert(in("data") == Set("a.lance", "b.lance", "c.lance"))
    tag("broken", 1)
    Files.write(root.resolve("_refs/tags/broken.json"), "{".getBytes)
    intercept[CorruptFileException](run(t))
  }

  test("tags are checked before versions are read") {
    (0 until 20).foldLeft(history())((t, i) => t.append(IndexedSeq(fragment(s"d$i"))))
    tag("first", 1)
    val opened = new java.util.concurrent.atomic.AtomicInteger
    val counting = new ForwardingFileStore(store) {
      override def open(path: String, sizeBytes: Long): RangeReader = {
        if (path.endsWith(".manifest")) opened.incrementAndGet(): Unit
        store.open(path, sizeBytes)
      }
    }
    val t = LanceTable.open(counting, path)
    opened.set(0)
    intercept[InvalidRequestException](t.planCleanup(CleanupPolicy()))
    assert(opened.get == 1)
    val plan = t.planCleanup(CleanupPolicy(errorIfTaggedOldVersions = false))
    assert(plan.manifests.map(_.version.get._2.version) == (2L to 24L))
  }

  test("unreferenced files are deleted after seven days, foreign ones never") {
    val t = history()
    val stays = Seq(
      "data/young.lance",
      "data/b/10000000000000000000000000000000.blob",
      "data/young/10000000000000000000000000000000.blob",
      "_transactions/9-x.txn",
      "_deletions/0-1-1.arrow",
      "_indices/u/index.idx",
      "_versions/.tmp_1"
    )
    stays.foreach(touch(_))
    val foreign = Seq(
      "data/readme.txt",
      "data/sub/old.lance",
      "data/other.lance/data/z.lance",
      "data/other.lance/_versions/1.manifest",
      "data/x.parquet",
      "data/a/b/c.blob",
      "_versions/x.txt",
      "_fri/m/stable_partition.lance",
      "_blobs/z.blob",
      "notes.lance",
      "other/data/z.lance",
      "_refs/tags/t.txt",
      "_mem_wal/s/wal/1.arrow"
    )
    foreign.foreach(touch(_, ageDays = 99))
    touch("data/b/11000000000000000000000000000000.blob", ageDays = 99)
    val goes = Seq(
      "data/old.lance",
      "data/old/10000000000000000000000000000000.blob",
      "data/.tmp_2",
      "_transactions/8-x.txn",
      "_transactions/.tmp_3",
      "_deletions/0-1-2.bin",
      "_indices/v/part/index.idx",
      "_versions/.tmp_4",
      "_refs/tags/.tmp_5"
    )
    goes.foreach(touch(_, ageDays = 8))
    val keep = CleanupPolicy(beforeVersion = Some(0L))
    val plan = t.planCleanup(keep)
    assert(plan.files.map(_.path).toSet == goes.map(root.resolve(_).toString).toSet)
    assert(plan.files.forall(_.isUnverified))
    val stats = plan.run(store)
    assert(stats == CleanupStats(3L * goes.length, 0, 2, 1, 1, 1))
    assert(!Files.exists(root.resolve("_indices/v")) && Files.exists(root.resolve("_indices/u")))
    assert(!Files.exists(root.resolve("data/old")) && Files.exists(root.resolve("data/b")))
    assert((stays ++ foreign).forall(f => Files.exists(root.resolve(f))))
    assert(run(t, keep.copy(deleteUnverified = true)).dataFilesRemoved == 2)
    assert(in("data").contains("b/10000000000000000000000000000000.blob"))
    assert(!Files.exists(root.resolve("_versions/.tmp_1")))
    assert(foreign.forall(f => Files.exists(root.resolve(f))))
  }

  test("files of a base path below the data folder are kept while versions reference them") {
    def based(name: String): Fragment = {
      touch(s"data/fast/$name.lance", ageDays = 99)
      val file = DataFile(
        s"$name.lance",
        IndexedSeq(0),
        IndexedSeq(0),
        FileVersion.default,
        3,
        baseId = Some(1)
      )
      Fragment.unassigned(Seq(file), 4)
    }
    // Tables of other writers can have such base paths.
    val base = BasePath(1, Some("fast"), isDatasetRoot = false, s"$path/data/fast")
    val t = LanceTable.create(store, path, schema, IndexedSeq(based("a")), initialBases = Seq(base))
      .overwrite(IndexedSeq(based("b")), schema)
    run(t): Unit
    assert(in("data") == Set("fast/b.lance"))
  }

  test("files behind symbolic links are never deleted") {
    val t = history()
    val other = folder.resolve("other")
    val theirs = Seq("data/old.lance", "old/index.idx").map(touch(_, ageDays = 99, at = other))
    Files.createSymbolicLink(root.resolve("data/link"), other.resolve("data"))
    Files.createSymbolicLink(root.resolve("_indices"), other)
    val plan = t.planCleanup(CleanupPolicy(deleteUnverified = true))
    plan.run(store): Unit
    assert(plan.files.nonEmpty && theirs.forall(Files.exists(_)))
  }

  test("versions behind a symbolic link are never deleted, unless the table itself is a link") {
    history()
    val others = folder.resolve("other")
    Files.createDirectories(others)
    Files.move(root.resolve("_versions"), others.resolve("_versions"))
    Files.createSymbolicLink(root.resolve("_versions"), others.resolve("_versions"))
    val e = intercept[InvalidRequestException](run(LanceTable.open(store, path)))
    assert(e.getMessage.contains("the folder _versions is a symbolic link"))
    assert(LanceTable.versions(store, path).length == 5)
    Files.delete(root.resolve("_versions"))
    Files.move(others.resolve("_versions"), root.resolve("_versions"))
    val link = folder.resolve("link")
    Files.createSymbolicLink(link, root)
    run(LanceTable.open(store, link.toString))
    assert(LanceTable.versions(store, path) == Seq(5))
  }

  test("a branch behind a symbolic link is not cleaned") {
    history()
    branch("dev", 3)
    Files.createDirectories(folder.resolve("other"))
    Files.move(root.resolve("tree/dev"), folder.resolve("other/dev"))
    Files.createSymbolicLink(root.resolve("tree/dev"), folder.resolve("other/dev"))
    val onBranch = LanceTable.open(store, path, Revision.OnBranch("dev", None))
    val e = intercept[InvalidRequestException](run(onBranch))
    assert(e.getMessage.contains("tree/dev is a symbolic link"))
  }

  /** Creates a branch of `version` whose manifest references the files of that version by a base
    * path, as pylance does.
    */
  private def branch(name: String, version: Long, from: Path = root, parent: String = ""): Path = {
    import io.github.pysparklance.table.proto
    val source = ManifestFile.read(store, new Versions(store, TestPaths(from)).at(version))
    val m = TestPaths.message(source).toBuilder.setBranch(name)
    m.addBasePaths(
      proto.BasePath.newBuilder().setId(7).setIsDatasetRoot(true).setPath(s"$from/")
    )
    (0 until m.getFragmentsCount).foreach { i =>
      val f = m.getFragmentsBuilder(i)
      (0 until f.getFilesCount).foreach(j => f.getFilesBuilder(j).setBaseId(7))
      if (f.hasDeletionFile) f.getDeletionFileBuilder.setBaseId(7)
    }
    m.setReaderFeatureFlags(m.getReaderFeatureFlags | 16)
      .setWriterFeatureFlags(m.getWriterFeatureFlags | 16)
      .clearTransactionFile()
    val to = root.resolve(s"tree/$name")
    TestPaths.write(store, to, version, m)
    val ref = touch(s"_refs/branches/${name.replace("/", "%2F")}.json")
    val parentName = if (parent.isEmpty) "null" else s""""$parent""""
    Files.write(
      ref,
      s"""{"parentBranch": $parentName, "parentVersion": $version, "createAt": 1, "manifestSize": 1}""".getBytes
    )
    to
  }

  test("branches keep the version they started from and all its files") {
    val t = history()
    branch("dev/one", 3)
    run(t)
    assert(LanceTable.versions(store, path) == Seq(3, 5))
    assert(in("data") == Set("b.lance", "c.lance") && in("_deletions").size == 2)
    // The branch continues: files needed only by its first version are deleted with that.
    val dev = LanceTable.open(store, root.resolve("tree/dev/one").toString)
    val next = dev.overwrite(IndexedSeq(fragment("d", at = root.resolve("tree/dev/one"))), schema)
    assert(run(next).oldVersions == 1)
    val plan = t.planCleanup(CleanupPolicy())
    assert(plan.branches == Seq(ReferencingBranch("dev/one", 3, isCleaned = false)))
    assert(plan.files.count(_.kind == CleanupFileKind.Data) == 0)
  }

  test("a branch without metadata keeps its files") {
    val t = history()
    branch("dev", 2)
    Files.delete(root.resolve("_refs/branches/dev.json"))
    val again = t.overwrite(IndexedSeq(fragment("e")), schema)
    run(again)
    assert(LanceTable.versions(store, path) == Seq(6))
    assert(in("data") == Set("b.lance", "e.lance"))
  }

  test("branches of branches, and their tags") {
    val t = history()
    val dev = branch("dev", 3)
    val sub = branch("dev/sub", 3, dev, "dev")
    tag("kept", 3, Some("dev"))
    val plan = t.planCleanup(CleanupPolicy())
    assert(plan.branches.map(b => b.name -> b.version) == Seq("dev/sub" -> 3L, "dev" -> 3L))
    run(t)
    assert(LanceTable.versions(store, path) == Seq(3, 5))
    assert(LanceTable.versions(store, dev.toString) == Seq(3))
    val next = LanceTable.open(store, dev.toString)
      .overwrite(IndexedSeq(fragment("x", at = dev)), schema)
    intercept[InvalidRequestException](run(next))
    assert(run(next, CleanupPolicy(errorIfTaggedOldVersions = false)).oldVersions == 0)
    assert(LanceTable.open(store, sub.toString).rowCount.contains(3L))
  }

  test("branches are cleaned up first if requested and configured") {
    val t = history()
    val dev = branch("dev", 2)
    def configure(config: (String, String)*): Unit = {
      LanceTable.open(store, dev.toString)
        .overwrite(
          IndexedSeq(fragment(s"d${config.length}", at = dev)),
          schema,
          config = config.toMap
        )
      ()
    }
    configure()
    val policy = CleanupPolicy(cleanReferencedBranches = true)
    assert(t.planCleanup(policy).branches == Seq(ReferencingBranch("dev", 2, isCleaned = false)))
    assert(t.planCleanup(policy).files.forall(f => !f.path.startsWith(dev.toString)))
    val main = t.overwrite(IndexedSeq(fragment("z")), schema)
    configure("lance.auto_cleanup.interval" -> "0", "lance.auto_cleanup.retain_versions" -> "1")
    val plan = main.planCleanup(policy)
    assert(plan.branches == Seq(ReferencingBranch("dev", 2, isCleaned = true)))
    plan.run(store)
    assert(LanceTable.versions(store, dev.toString).length == 1)
    assert(LanceTable.versions(store, path) == Seq(2, 6))
    assert(in("data") == Set("b.lance", "z.lance"), "version 2 stays, as the branch began there")
  }

  test("detached versions keep their files") {
    val t = history()
    val source = ManifestFile.read(store, new Versions(store, TestPaths(root)).at(1))
    TestPaths.write(store, root, -5L, TestPaths.message(source).toBuilder)
    run(t)
    assert(in("data") == Set("a.lance", "b.lance", "c.lance"))
  }

  test("a version with unknown features, or a corrupt one, stops the clean-up") {
    val t = history()
    val first = new Versions(store, TestPaths(root)).at(1)
    val m = TestPaths.message(ManifestFile.read(store, first)).toBuilder
    Files.delete(Paths.get(first.path))
    TestPaths.write(store, root, 1, m.setWriterFeatureFlags(1L << 40))
    val before = files()
    intercept[UnsupportedFeatureException](run(t))
    Files.write(Paths.get(first.path), Array[Byte](1, 2))
    intercept[CorruptFileException](run(t))
    assert(files() == before)
  }

  test("files whose deletion fails are counted and found again") {
    val t = history()
    val plan = t.planCleanup(CleanupPolicy())
    val stubborn = new ForwardingFileStore(store) {
      override def delete(path: String): Boolean =
        if (path.endsWith(".lance")) throw new IOException(s"$path: denied") else store.delete(path)
      override def deleteAll(paths: Seq[String]): Unit = paths.foreach(delete)
    }
    val stats = plan.run(stubborn)
    assert(stats.failedDeletes == 1 && stats.dataFilesRemoved == 0 && stats.oldVersions == 4)
    assert(plan.run(store).failedDeletes == 0, "tasks may be repeated")
    assert(in("data") == Set("b.lance", "c.lance"))
  }

  test(
    "a clean-up lists folders once, skips missing ones, and removes manifests with a batch request"
  ) {
    val listed = new ConcurrentLinkedQueue[String]
    val removed = new ConcurrentLinkedQueue[Seq[String]]
    val batching = new ForwardingFileStore(store) {
      override def list(folder: String): IndexedSeq[FileEntry] = {
        listed.add(folder.stripPrefix(path))
        store.list(folder)
      }
      override def listFiles(folder: String): Iterator[FoundFile] = {
        listed.add(folder.stripPrefix(path) + "/**")
        store.listFiles(folder)
      }
      override def deleteAll(paths: Seq[String]): Unit = {
        removed.add(paths)
        store.deleteAll(paths)
      }
      override def delete(path: String): Boolean = fail(s"$path is deleted alone")
    }
    history()
    val t = LanceTable.open(batching, path)
    listed.clear()
    val plan = t.planCleanup(CleanupPolicy())
    // Versions are listed again at the end, because a restored one needs its files.
    val folders = Seq("_versions", "_versions", "_refs/tags", "_refs/branches")
    val trees = Seq("_versions", "_transactions", "data", "_deletions").map(_ + "/**")
    assert(listed.asScala.toSeq.sorted == ("" +: (folders ++ trees).map("/" + _)).sorted)
    assert(plan.run(batching) == plan.stats && plan.manifests.length == 4)
    assert(removed.asScala.toSeq.filter(_.nonEmpty).head.toSet == plan.manifests.map(_.path).toSet)
  }

  test("folders that become empty are removed from the inside out, in tasks or in parallel") {
    val t = history()
    Seq("a/1/x.idx", "a/2/x.idx", "b/x.idx", "c/1/x.idx").foreach(f => touch(s"_indices/$f", 8))
    touch("_indices/c/young.idx")
    val plan = t.planCleanup(CleanupPolicy(deletesPerSecond = Some(1000)))
    val levels = plan.folderTasks(2)
    assert(levels.map(_.map(_.folders.length)) == Seq(Seq(2, 1), Seq(2, 1)))
    plan.run(store)
    assert(files().count(_.startsWith("_indices/")) == 1)
    assert(Files.list(root.resolve("_indices")).count() == 1)
    assert(!Files.exists(root.resolve("_indices/c/1")))
    levels.flatten.foreach(TestPaths.serialized(_).run(store))
  }

  test("a plan with tasks that run anywhere, in any order") {
    val t = history()
    val plan = t.planCleanup(CleanupPolicy())
    val tasks = plan.fileTasks(2)
    assert(tasks.length == 3 && tasks.forall(_.files.length == 2))
    val sent = tasks.reverse.map(TestPaths.serialized(_))
    val stats = (sent ++ plan.manifestTasks(2)).map(_.run(store)).reduce(_ + _)
    assert(stats == plan.stats && LanceTable.versions(store, path) == Seq(5))
    val started = System.nanoTime()
    history2().planCleanup(CleanupPolicy(deletesPerSecond = Some(50))).run(store)
    assert(System.nanoTime() - started > 100000000L, "ten files at fifty a second")
  }

  private def history2(): LanceTable = {
    LanceTable.drop(store, path)
    history()
  }

  test("tables with V1 names") {
    val copy = GoldenTables.copy("history_v1_names.lance", folder)
    val t = LanceTable.open(store, copy.toString)
    assert(run(t).oldVersions == 3)
    assert(LanceTable.versions(store, copy.toString) == Seq(4))
    assert(t.fragments.flatMap(_.files).forall(f => Files.exists(Paths.get(t.pathOf(f)))))
  }

  test("configuration of a table for clean-up after commits") {
    val present = IndexedSeq(1L, 2L, 3L, 4L, 6L)
    def policy(config: (String, String)*): Option[CleanupPolicy] = {
      LanceTable.drop(store, path)
      val t = LanceTable.create(
        store,
        path,
        schema,
        config = config.map { case (k, v) => s"lance.auto_cleanup.$k" -> v }.toMap
      )
      AutoCleanup.policy(t.manifest, present)
    }
    assert(policy().isEmpty && policy("older_than" -> "1d").isEmpty)
    assert(policy("interval" -> "2").isEmpty, "version 1 is not a multiple of 2")
    def configured(t: LanceTable) =
      t.commit(UpdateConfig(Some(UpdateMap(Seq("lance.auto_cleanup.interval" -> Some("2"))))))
    val later = configured(configured(LanceTable.open(store, path))).manifest
    assert(later.version == 3 && AutoCleanup.policy(later, present).isEmpty)
    assert(AutoCleanup.policy(later, present, Some(3L)).isEmpty)
    assert(AutoCleanup.policy(later, present, Some(2L)).isDefined, "version 2 is")
    val all = policy(
      "interval" -> "1",
      "older_than" -> "1h 30min",
      "retain_versions" -> "2",
      "referenced_branch" -> "true",
      "delete_rate_limit" -> "7"
    ).get
    assert(all.beforeVersion.contains(4L) && all.cleanReferencedBranches)
    assert(!all.errorIfTaggedOldVersions && !all.deleteUnverified)
    assert(all.deletesPerSecond.contains(7L))
    val age = Duration.between(all.beforeTimestamp.get, Instant.now())
    assert(age.compareTo(Duration.ofMinutes(89)) > 0 && age.compareTo(Duration.ofMinutes(92)) < 0)
    assert(policy("interval" -> "0").contains(CleanupPolicy(errorIfTaggedOldVersions = false)))
    Seq(
      Seq("interval" -> "x"),
      Seq("interval" -> "-1"),
      Seq("interval" -> "1", "older_than" -> "soon"),
      Seq("interval" -> "1", "older_than" -> "5 parsecs"),
      Seq("interval" -> "1", "retain_versions" -> "0"),
      Seq("interval" -> "1", "referenced_branch" -> "maybe"),
      Seq("interval" -> "1", "delete_rate_limit" -> "0")
    ).foreach { bad =>
      val e = intercept[InvalidRequestException](policy(bad: _*))
      assert(
        e.getMessage.contains("lance.auto_cleanup.") || e.getMessage.contains("not a duration")
      )
    }
    Seq(
      "14days" -> Duration.ofDays(14),
      "2weeks 3d" -> Duration.ofDays(17),
      "1h30m" -> Duration.ofMinutes(90),
      "250ms" -> Duration.ofMillis(250),
      "1M" -> Duration.ofSeconds(2630016),
      "1y" -> Duration.ofSeconds(31557600),
      "0" -> Duration.ZERO
    ).foreach { case (text, length) => assert(HumanTime.parse(text) == length, text) }
    intercept[InvalidRequestException](HumanTime.parse("1s" * 1000000))
  }
}
