// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.ReentrantLock

import scala.util.Try

import io.github.pysparklance.core.{CommitStateUnknownException, UnsupportedFeatureException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{
  CommitLease,
  CommitLock,
  FileStore,
  ForwardingFileStore,
  UnconfirmedWriteException
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{CommitSuite, TemporaryFolder}

/** A lock on storage without an atomic create. */
class LockedCommitsSuite extends CommitSuite with TemporaryFolder {
  private val locks = new ConcurrentHashMap[String, ReentrantLock]
  private val acquired = new AtomicInteger
  private val committed = new AtomicInteger
  @volatile private var trouble = Option.empty[String]

  private val lock = new CommitLock {
    def acquire(table: String, version: Long): CommitLease = {
      if (trouble.contains("acquire")) throw new IOException("no lock to be had")
      val l = locks.computeIfAbsent(table, _ => new ReentrantLock)
      l.lock()
      acquired.incrementAndGet()
      (done: Boolean) => {
        if (done) committed.incrementAndGet()
        l.unlock()
        if (trouble.contains("release")) throw new IOException("the lock does not respond")
      }
    }
  }

  private class WithoutAtomicCreate extends ForwardingFileStore(Storage.local) {
    override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
      throw new UnsupportedFeatureException("an atomic create")
    override def commitLock(root: String): Option[CommitLock] = Some(lock)
  }

  val store: FileStore = new WithoutAtomicCreate

  def path(name: String): String = folder.resolve(name).toString

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    trouble = None
    acquired.set(0)
    committed.set(0)
  }

  test("the lock receives the outcome of the commit, and is always released") {
    val p = path("t")
    val base = create(p)
    base.append(IndexedSeq(fragment()))
    assert((acquired.get, committed.get) == ((2, 2)))
    trouble = Some("acquire")
    val e = intercept[IOException](base.append(IndexedSeq(fragment())))
    assert(e.getMessage.contains("no lock to be had"))
    assert(LanceTable.versions(store, p) == Seq(1, 2))
    // The version exists, regardless of the lock's response.
    trouble = Some("release")
    assert(base.append(IndexedSeq(fragment())).version == 3)
    trouble = None
    val broken = new WithoutAtomicCreate {
      override def replace(path: String, bytes: Array[Byte]): Unit =
        if (path.endsWith(".manifest")) throw new IOException("disk full")
        else super.replace(path, bytes)
    }
    intercept[IOException](LanceTable.open(broken, p).append(IndexedSeq(fragment())))
    assert(acquired.get == 4 && committed.get == 3)
    assert(!locks.values.iterator.next().isLocked)
    assert(LanceTable.open(store, p).append(IndexedSeq(fragment())).version == 4)
  }

  /** Returns a store whose manifest writes run `around` and are not confirmed. */
  private def unconfirmed(writes: AtomicInteger)(around: (=> Unit) => Unit): FileStore =
    new WithoutAtomicCreate {
      override def replace(path: String, bytes: Array[Byte]): Unit =
        if (path.endsWith(".manifest")) {
          writes.incrementAndGet()
          around(super.replace(path, bytes))
          throw new UnconfirmedWriteException(path, new IOException("reset"))
        } else super.replace(path, bytes)
    }

  test("an unconfirmed manifest write is not repeated, and its files are kept") {
    val p = path("t")
    create(p)
    def transactions: Int = store.list(s"$p/_transactions").length
    def append(around: (=> Unit) => Unit): LanceTable = {
      val writes = new AtomicInteger
      val appended =
        Try(LanceTable.open(unconfirmed(writes)(around), p).append(IndexedSeq(fragment())))
      assert(writes.get == 1)
      appended.get
    }
    assert(append(write => write).version == 2)
    val before = transactions
    intercept[CommitStateUnknownException](append(_ => ()))
    // The write may still replace the manifest of the other writer.
    intercept[CommitStateUnknownException](append { _ =>
      LanceTable.open(store, p).append(IndexedSeq(fragment())): Unit
    })
    assert(LanceTable.versions(store, p) == Seq(1, 2, 3) && transactions == before + 3)
  }
}
