// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.ReentrantLock

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.storage.spi.{
  CommitLease,
  CommitLock,
  DynamoDbUri,
  FileStore,
  TablePath
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{CommitSuite, DynamoDbTables, Hdfs, MotoServer, Pylance}

/** Commits on HDFS, by rename. */
class HdfsCommitSuite extends CommitSuite {
  private val here = UUID.randomUUID.toString
  override protected val numWriters = if (isLong) 16 else 4
  override protected val numAppends = if (isLong) 20 else 2
  def store: FileStore = Hdfs.storage
  def path(name: String): String = s"${Hdfs.uri}/$here/$name"

  test("tables of the old naming scheme are migrated") {
    val p = path("old")
    create(p).append(IndexedSeq(fragment()))
    Seq(1L, 2L).foreach { v =>
      val name = NamingScheme.V2.fileName(v)
      store.copy(s"$p/_versions/$name", s"$p/_versions/$v.manifest")
      store.delete(s"$p/_versions/$name")
    }
    assert(LanceTable.open(store, p).append(IndexedSeq(fragment())).version == 3)
    assert(store.exists(s"$p/_versions/3.manifest"))
    assert(LanceTable.migrateManifestPathsV2(store, p) == 3)
    assert(LanceTable.open(store, p).append(IndexedSeq(fragment())).version == 4)
    assert(store.list(s"$p/_versions").forall(_.name.length == 29))
  }
}

/** Commits on S3, by conditional put, like pylance. */
class S3aCommitSuite extends CommitSuite {
  private val here = UUID.randomUUID.toString
  override protected val numWriters = if (isLong) 8 else 3
  override protected val numAppends = if (isLong) 10 else 2
  def store: FileStore = MotoServer.storage
  def path(name: String): String = s"s3a://${MotoServer.bucket}/$here/$name"

  test("pylance and this connector commit to one table in turn, and concurrently") {
    PylanceTurns(store, path("turns"), path("turns").replace("s3a:", "s3:"))
  }

  test("branches and clones of both writers") {
    PylanceTurns.branches(
      store,
      path("branches"),
      path("branches").replace("s3a:", "s3:"),
      path("clone")
    )
  }
}

/** Commits on S3 with a DynamoDB table, like pylance. */
class DynamoDbCommitSuite extends CommitSuite {
  private val here = UUID.randomUUID.toString
  private lazy val table = DynamoDbTables.create()
  override protected val numWriters = if (isLong) 8 else 3
  override protected val numAppends = if (isLong) 10 else 2
  def store: FileStore = MotoServer.storage
  def path(name: String): String =
    s"s3+ddb://${MotoServer.bucket}/$here/$name?ddbTableName=$table"

  test("pylance and this connector commit to one table in turn, and concurrently") {
    PylanceTurns(store, path("turns"), path("turns"))
  }

  test("branches and clones of both writers") {
    PylanceTurns.branches(store, path("branches"), path("branches"), path("clone"))
  }

  test("pylance and this connector complete each other's interrupted commits") {
    val p = path("died")
    val base = create(p)
    val next = base.append(IndexedSeq(fragment(7)))
    // The state after a writer died when it had added the row.
    val uri = DynamoDbUri(p)
    val manifests = store.manifestIndex(p).get.store
    val folder = TablePath(p).folder("_versions")
    val name = NamingScheme.V2.fileName(next.version)
    def undo(): String = {
      val staging = s"$name-${UUID.randomUUID}"
      store.copy(folder.resolve(name), folder.resolve(staging))
      store.delete(folder.resolve(name))
      val row = manifests.get(uri.key, 2).get
      assert(manifests.putIfPresent(uri.key, row.copy(path = s"${uri.key}/_versions/$staging")))
      staging
    }
    val first = undo()
    val seen = Pylance.run(
      "result = lance.dataset(path, storage_options=options, session=lance.Session()).version",
      "path" -> p,
      "options" -> MotoServer.storageOptions
    )
    assert(seen.asLong == 2)
    assert(manifests.get(uri.key, 2).exists(_.path.endsWith(name)))
    assert(store.exists(folder.resolve(name)) && !store.exists(folder.resolve(first)))
    val second = undo()
    assert(LanceTable.open(store, p).rowCount.contains(17L))
    assert(manifests.get(uri.key, 2).exists(_.path.endsWith(name)))
    assert(store.exists(folder.resolve(name)) && !store.exists(folder.resolve(second)))
  }
}

/** Commits on S3 under a configured lock. */
class S3aLockSuite extends CommitSuite {
  private val here = UUID.randomUUID.toString
  override protected val numWriters = if (isLong) 8 else 3
  override protected val numAppends = if (isLong) 10 else 2
  val store: FileStore = {
    val c = MotoServer.configuration
    c.set("lance.commit.lock", classOf[ProcessLock].getName)
    Storage(new HadoopConf(c))
  }
  def path(name: String): String = s"s3a://${MotoServer.bucket}/$here/$name"

  test("a class that is not a lock is rejected") {
    Seq("no.such.Class", classOf[String].getName).foreach { name =>
      val c = MotoServer.configuration
      c.set("lance.commit.lock", name)
      val e = intercept[InvalidRequestException](create(Storage(new HadoopConf(c)), path("bad")))
      assert(e.getMessage.contains("lance.commit.lock") && e.getMessage.contains(name))
    }
    assert(ProcessLock.taken > 0)
  }

  private def create(store: FileStore, path: String): LanceTable =
    LanceTable.create(store, path, schema, IndexedSeq(fragment()))
}

/** A lock in this process. */
class ProcessLock extends CommitLock {
  def acquire(table: String, version: Long): CommitLease = {
    val lock = ProcessLock.locks.computeIfAbsent(table, _ => new ReentrantLock)
    lock.lock()
    ProcessLock.taken += 1
    _ => lock.unlock()
  }
}

object ProcessLock {
  private val locks = new ConcurrentHashMap[String, ReentrantLock]
  @volatile var taken = 0
}
