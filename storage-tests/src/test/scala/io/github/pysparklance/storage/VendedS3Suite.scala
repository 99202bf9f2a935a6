// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.io.IOException
import java.nio.file.AccessDeniedException
import java.time.Clock
import java.util.UUID

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.storage.spi.{ManifestIndex, StorageVendor, VendedOptions}
import io.github.pysparklance.testkit.{S3Keys, S3Proxy, TestClock}

/** Temporary keys of a catalog on S3, through Hadoop's S3A client. S3 checks signatures. */
class VendedS3Suite extends AnyFunSuite with BeforeAndAfterAll {
  import VendedS3Suite.{Vendor, keys}

  private val proxy = new S3Proxy
  private val path = s"s3://${proxy.bucket}/${UUID.randomUUID}"
  private val lifetimeMillis = 3600000L

  override protected def afterAll(): Unit = {
    proxy.close()
    super.afterAll()
  }

  private def store(): VendedStorage = {
    TestClock.set(0)
    keys.nowMillis = () => TestClock.millis()
    proxy.keys = Some(keys)
    val conf = proxy.configuration
    conf.set("fs.s3a.access.key", "unknown")
    conf.setInt("fs.s3a.paging.maximum", 2)
    val vendor = Vendor(proxy.endpoint, lifetimeMillis)
    new VendedStorage(new HadoopConf(conf), path, vendor, vendor.vend())
  }

  test("requests that are not signed with a valid key are rejected") {
    val store = this.store()
    store.replace(s"$path/f", Array[Byte](1))
    val other = proxy.configuration
    other.setBoolean("fs.s3a.impl.disable.cache", true)
    intercept[AccessDeniedException](Storage(new HadoopConf(other)).exists(s"$path/f"))
    val key = keys.issue(lifetimeMillis)
    val wrong = Seq("aws_secret_access_key", "aws_session_token", "aws_access_key_id")
    wrong.foreach { name =>
      val vendor = Vendor(proxy.endpoint, lifetimeMillis, Map(name -> "wrong"))
      val options = new VendedOptions(key.options(proxy.endpoint) ++ vendor.changed)
      val denied = new VendedStorage(new HadoopConf(other), path, vendor, options)
      intercept[IOException](denied.list(path))
    }
  }

  test("revoked keys are renewed, also for open files and running listings") {
    val store = this.store()
    val names = (0 until 7).map(i => s"f$i")
    names.foreach(n => store.replace(s"$path/many/$n", Array[Byte](1, 2, 3)))
    val reader = store.open(s"$path/many/f0")
    assert(reader.read(0, 1).toSeq == Seq[Byte](1))
    val listing = store.listInOrder(s"$path/many")
    val all = store.listFiles(s"$path/many")
    val first = Seq.fill(3)(listing.next().name)
    val firstOfAll = Seq.fill(3)(all.next().relativePath)
    val before = keys.numIssued
    keys.revoke()
    assert(reader.read(1, 2).toSeq == Seq[Byte](2, 3) && keys.numIssued == before + 1)
    assert(first ++ listing.map(_.name) == names)
    assert(firstOfAll ++ all.map(_.relativePath) == names)
    assert(keys.numIssued == before + 1)
    reader.close()
  }

  test("writes, conditional writes, and deletes are repeated once after a renewal") {
    val operations = Seq[VendedStorage => Any](
      s => assert(s.createIfAbsent(s"$path/w/a", Array[Byte](1))),
      s => assert(!s.createIfAbsent(s"$path/w/a", Array[Byte](2))),
      s => s.replace(s"$path/w/b", Array[Byte](3)),
      s => s.copy(s"$path/w/b", s"$path/w/c"),
      s => {
        val out = s.create(s"$path/w/d")
        out.write(Array[Byte](4))
        out.close()
      },
      s => assert(s.list(s"$path/w").map(_.name) == Seq("a", "b", "c", "d")),
      s => assert(s.status(s"$path/w/c").map(_.sizeBytes).contains(1L)),
      s => assert(s.open(s"$path/w/a").read(0, 1).toSeq == Seq[Byte](1)),
      s => s.deleteAll(Seq(s"$path/w/a", s"$path/w/b")),
      s => assert(s.delete(s"$path/w/c")),
      s => s.deleteFolder(s"$path/w"),
      s => assert(s.list(s"$path/w").isEmpty)
    )
    operations.foreach { operation =>
      val store = this.store()
      val before = keys.numIssued
      keys.revoke()
      operation(store)
      assert(keys.numIssued == before + 1)
    }
  }

  test("keys that expire earlier than this machine expects are renewed") {
    val store = this.store()
    store.replace(s"$path/e", Array[Byte](5))
    val before = keys.numIssued
    keys.nowMillis = () => lifetimeMillis // later than the clock of this machine
    val late = intercept[IOException](store.open(s"$path/e").read(0, 1))
    assert(keys.numIssued == before + 1, late) // the new key expires at the same time
    TestClock.set(1000)
    assert(store.status(s"$path/e").isDefined && keys.numIssued == before + 2)
  }
}

object VendedS3Suite {
  private val keys = new S3Keys

  /** A catalog that issues a key for each request.
    *
    * @param changed wrong options
    */
  final private case class Vendor(
      endpoint: String,
      lifetimeMillis: Long,
      changed: Map[String, String] = Map.empty
  ) extends StorageVendor {
    def vend(): VendedOptions =
      new VendedOptions(keys.issue(lifetimeMillis).options(endpoint) ++ changed)
    def manifestIndex(root: String): Option[ManifestIndex] = None
    def clock: Clock = TestClock
  }
}
