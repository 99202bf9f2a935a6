// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.io.{PrintWriter, StringWriter}
import java.time.Clock
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.storage.spi.{ManifestIndex, StorageVendor, VendedOptions}
import io.github.pysparklance.testkit.{GoogleStorage, TestClock}

/** Access tokens of a catalog on Google Cloud Storage, through Hadoop's connector. */
class VendedGoogleSuite extends AnyFunSuite with BeforeAndAfterAll {
  import VendedGoogleSuite._

  private val google = new GoogleStorage
  private val path = "gs://tables/t"

  override protected def afterAll(): Unit = {
    google.close()
    super.afterAll()
  }

  private def store(lifetimeMillis: Long = 3600000): VendedStorage = {
    TestClock.set(0)
    val vendor = Vendor(lifetimeMillis)
    val store = new VendedStorage(new HadoopConf(google.configuration), path, vendor, vendor.vend())
    google.token = latest
    store
  }

  test("files are written, listed, and read with the token of the catalog") {
    val s = store()
    assert(s.createIfAbsent(s"$path/a/m", Array[Byte](1, 2, 3)))
    assert(!s.createIfAbsent(s"$path/a/m", Array[Byte](4)))
    s.replace(s"$path/a/n", Array[Byte](5))
    assert(s.list(s"$path/a").map(e => e.name -> e.sizeBytes) == Seq("m" -> 3L, "n" -> 1L))
    val reader = s.open(s"$path/a/m")
    assert(reader.read(1, 2).toSeq == Seq[Byte](2, 3))
    reader.close()
    assert(s.delete(s"$path/a/n") && s.status(s"$path/a/n").isEmpty)
  }

  test("tokens are renewed before they expire, and after the storage denies access") {
    val s = store(lifetimeMillis = 1000000)
    s.replace(s"$path/f", Array[Byte](7, 8, 9))
    val reader = s.open(s"$path/f")
    val before = issued.get
    TestClock.set(750000)
    google.token = s"$mark${before + 1}"
    assert(reader.read(0, 1).toSeq == Seq[Byte](7) && issued.get == before + 1)
    google.token = s"$mark${before + 2}"
    assert(s.status(s"$path/f").map(_.sizeBytes).contains(3L) && issued.get == before + 2)
    assert(reader.read(1, 1).toSeq == Seq[Byte](8) && issued.get == before + 2)
    reader.close()
    TestClock.set(760000)
    google.token = s"$mark${before + 3}"
    assert(s.createIfAbsent(s"$path/g", Array[Byte](1)) && issued.get == before + 3)
    TestClock.set(770000)
    google.token = "another"
    val denied = intercept[Exception](s.open(s"$path/f").read(0, 1))
    val text = new StringWriter
    denied.printStackTrace(new PrintWriter(text))
    assert(!text.toString.contains(mark))
  }

  test("the token is not used for another bucket") {
    val e = intercept[UnsupportedFeatureException](store().exists("gs://other/t/f"))
    assert(e.getMessage.contains("the bucket tables"))
  }
}

object VendedGoogleSuite {
  private val issued = new AtomicInteger
  private val mark = "ya29-"

  private def latest: String = s"$mark${issued.get}"

  final private case class Vendor(lifetimeMillis: Long) extends StorageVendor {
    def vend(): VendedOptions = {
      issued.incrementAndGet(): Unit
      new VendedOptions(
        Map(
          "google_storage_token" -> latest,
          "expires_at_millis" -> (TestClock.millis() + lifetimeMillis).toString
        )
      )
    }
    def manifestIndex(root: String): Option[ManifestIndex] = None
    def clock: Clock = TestClock
  }
}
