// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  IOException,
  ObjectInputStream,
  ObjectOutputStream
}
import java.nio.file.Files
import java.time.Clock
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  InvalidRequestException,
  LanceException,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.hadoop.{HadoopConf, VendedProperties}
import io.github.pysparklance.storage.spi.{ManifestIndex, StorageVendor, VendedOptions}
import io.github.pysparklance.testkit.{KeyedFileSystem, LogCapture, TemporaryFolder, TestClock}

/** Translation, renewal, and scope of storage options of catalogs. */
class VendedStorageSuite extends AnyFunSuite with TemporaryFolder {
  private def path = s"s3://bucket$folder"

  private def base: HadoopConf = {
    val conf = new Configuration(false)
    KeyedFileSystem.settings.foreach { case (k, v) => conf.set(k, v) }
    new HadoopConf(conf)
  }

  private def storage(vendor: CountingVendor): VendedStorage =
    new VendedStorage(base, path, vendor, vendor.vend())

  test("options are renewed before they expire, also for open files") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 3600000)
    val store = storage(vendor)
    store.replace(s"$path/f", Array[Byte](1, 2, 3))
    val reader = store.open(s"$path/f")
    assert(vendor.count == 1 && !store.isStale)
    TestClock.set(3600000 - 5 * 60000 - 1)
    assert(reader.read(0, 1).toSeq == Seq(1) && vendor.count == 1)
    TestClock.set(3600000 - 5 * 60000)
    assert(store.isStale)
    assert(reader.read(1, 1).toSeq == Seq(2) && vendor.count == 2)
    assert(reader.read(2, 1).toSeq == Seq(3) && vendor.count == 2)
    reader.close()
    val out = store.create(s"$path/g")
    out.write(Array[Byte](4))
    out.close()
    assert(store.list(path).map(_.name).toSet == Set("f", "g") && vendor.count == 2)
    assert(store.listFiles(path).map(_.relativePath).toSet == Set("f", "g"))
  }

  test("tasks get the current options, and renew them themselves") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 1000000)
    val store = storage(vendor)
    store.replace(s"$path/f", Array[Byte](1))
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(store)
    val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
      .readObject()
      .asInstanceOf[VendedStorage]
    assert(copy.status(s"$path/f").map(_.sizeBytes).contains(1L) && vendor.count == 1)
    TestClock.set(750000)
    assert(copy.status(s"$path/f").isDefined && vendor.count == 2)
  }

  test("if they are not renewed, options are used until they expire") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 1000000)
    val store = storage(vendor)
    store.replace(s"$path/f", Array[Byte](1))
    vendor.fails(true)
    TestClock.set(800000)
    var isThere = false
    val lines = LogCapture { isThere = store.exists(s"$path/f") }
    assert(isThere)
    assert(lines.map(_.text).mkString.contains("did not renew"))
    TestClock.set(1000000)
    intercept[IOException](store.status(s"$path/f"))
    vendor.fails(false)
    assert(store.status(s"$path/f").isDefined)
  }

  test("if the storage denies access, options are renewed at most once a second") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 3600000)
    val store = storage(vendor)
    store.replace(s"$path/f", Array[Byte](1, 2))
    val reader = store.open(s"$path/f")
    KeyedFileSystem.valid.clear()
    assert(store.status(s"$path/f").map(_.sizeBytes).contains(2L) && vendor.count == 2)
    assert(reader.read(0, 1).toSeq == Seq(1) && vendor.count == 2)
    assert(!store.createIfAbsent(s"$path/f", Array[Byte](3)) && vendor.count == 2)
    KeyedFileSystem.valid.clear() // denied again within a second
    intercept[IOException](store.list(path))
    assert(vendor.count == 2)
    TestClock.set(1000)
    assert(store.list(path).map(_.name) == Seq("f") && vendor.count == 3)
    KeyedFileSystem.valid.clear()
    vendor.fails(true)
    TestClock.set(2000)
    val denied = intercept[IOException](store.status(s"$path/f"))
    val causes = Iterator.iterate[Throwable](denied)(_.getCause).takeWhile(_ != null).toSeq
    assert(causes.flatMap(_.getSuppressed).map(_.getMessage) == Seq("the catalog is gone"))
    vendor.fails(false)
    TestClock.set(3000)
    assert(store.exists(s"$path/f") && vendor.count == 4)
    assert(reader.read(1, 1).toSeq == Seq(2) && vendor.count == 4)
    reader.close()
  }

  test("options that the catalog returns again are not used again") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 3600000)
    val same = new RepeatingVendor
    val store = new VendedStorage(base, path, same, same.vend())
    vendor.vend(): Unit // admits another key
    intercept[IOException](store.list(path))
    assert(RepeatingVendor.count == 2)
  }

  test("expired options are used, and renewed after a second") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = -5000)
    val store = storage(vendor)
    store.replace(s"$path/f", Array[Byte](1))
    assert(vendor.count == 1)
    TestClock.set(1000)
    assert(store.status(s"$path/f").isDefined && vendor.count == 2)
  }

  test("later options of the catalog replace options without expiry, and stale ones") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 1000000)
    val lasting = new VendedOptions(vendor.vend().values - VendedOptions.Expiry)
    val store = new VendedStorage(base, path, vendor, lasting)
    assert(!store.exists(s"$path/f"))
    val other = new VendedOptions(vendor.vend().values - VendedOptions.Expiry)
    store.offer(other)
    store.replace(s"$path/f", Array[Byte](1))
    assert(vendor.count == 2)
    val expiring = storage(vendor)
    expiring.offer(new VendedOptions(Map("aws_access_key_id" -> "wrong")))
    assert(expiring.exists(s"$path/f"))
  }

  test("the options of a table are not used for other buckets, and no message contains them") {
    val options = Map("aws_access_key_id" -> "AK", "aws_secret_access_key" -> "wJalr")
    val properties = VendedProperties("s3://bucket/t", options)
    assert(properties.keys.forall(_.startsWith("fs.s3a.bucket.bucket.")))
    assert(properties(
      "fs.s3a.bucket.bucket.aws.credentials.provider"
    ).endsWith("SimpleAWSCredentialsProvider"))
    assert(!new VendedOptions(options).toString.contains("wJalr"))
  }

  test("Lance options are translated to Hadoop properties") {
    val s3 = VendedProperties(
      "s3a://b/t",
      Map(
        "AWS_ACCESS_KEY_ID" -> "AK",
        "aws_secret_access_key" -> "SK",
        "aws_session_token" -> "ST",
        "aws_region" -> "eu-west-1",
        "aws_endpoint" -> "http://minio:9000",
        "allow_http" -> "true",
        "aws_virtual_hosted_style_request" -> "false",
        "aws_server_side_encryption" -> "aws:kms",
        "aws_sse_kms_key_id" -> "key",
        "expires_at_millis" -> "5",
        "client_max_retries" -> "3",
        "timeout" -> "5s"
      )
    ).map { case (k, v) => k.stripPrefix("fs.s3a.bucket.b.") -> v }
    assert(
      s3 == Map(
        "access.key" -> "AK",
        "secret.key" -> "SK",
        "session.token" -> "ST",
        "aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider",
        "endpoint.region" -> "eu-west-1",
        "endpoint" -> "http://minio:9000",
        "path.style.access" -> "true",
        "encryption.algorithm" -> "SSE-KMS",
        "encryption.key" -> "key"
      )
    )
    val account =
      Map("azure_storage_account_name" -> "acc", "azure_storage_sas_token" -> "?sv=1&sig=x")
    val host = "acc.dfs.core.windows.net"
    assert(VendedProperties.path("file:///a%20b+c/%C3%BC%2520", Map.empty) == "file:///a b+c/ü%20")
    assert(VendedProperties.path("file:///a%2", Map.empty) == "file:///a%2")
    assert(VendedProperties.path("az://c/x/t", account) == s"abfss://c@$host/x/t")
    assert(
      VendedProperties(s"abfss://c@$host/t", account) == Map(
        s"fs.azure.account.auth.type.$host" -> "SAS",
        s"fs.azure.sas.fixed.token.$host" -> "sv=1&sig=x"
      )
    )
    assert(VendedProperties("/local", Map("anything" -> "x")).isEmpty)
    def rejected(at: String, options: (String, String)*): LanceException = {
      val e = intercept[LanceException](VendedProperties(at, options.toMap))
      assert(!e.getMessage.contains("wJalr"))
      e
    }
    assert(rejected("s3://b/t", "fs.s3a.impl" -> "wJalr").isInstanceOf[UnsupportedFeatureException])
    val token = VendedProperties("gs://b/t", Map("google_storage_token" -> "ya29"))
    assert(token("fs.gs.lance.vended.token") == "ya29" && token("fs.gs.lance.vended.bucket") == "b")
    assert(token.count(_._2.endsWith("VendedTokenProvider")) == 2)
    assert(rejected(
      "gs://b/t",
      "google_service_account_key" -> "wJalr"
    ).getMessage.contains("google_service_account_key"))
    assert(rejected("ofs://b/t", "ozone_key" -> "wJalr").getMessage.contains("ozone_key"))
    for (bad <- Seq("$" + "{env.wJalr}", "a\nwJalr"))
      assert(rejected("s3://b/t", "aws_region" -> bad).isInstanceOf[InvalidRequestException])
    rejected("s3://b/t", "aws_session_token" -> "wJalr")
    rejected("s3://b/t", "aws_virtual_hosted_style_request" -> "wJalr")
    intercept[InvalidRequestException](VendedProperties.path("az://c/t", Map.empty))
  }

  test("a local table") {
    TestClock.set(0)
    val vendor = new CountingVendor(lifetimeMillis = 1000)
    val store = new VendedStorage(base, folder.toString, vendor, vendor.vend())
    store.replace(folder.resolve("f").toString, Array[Byte](9))
    assert(Files.size(folder.resolve("f")) == 1)
  }
}

/** Returns a key that only [[KeyedFileSystem]] admits, and another one each time. */
final class CountingVendor(lifetimeMillis: Long) extends StorageVendor {
  def vend(): VendedOptions = {
    if (CountingVendor.isFailing) throw new IOException("the catalog is gone")
    val n = CountingVendor.number.incrementAndGet()
    KeyedFileSystem.admit(s"key$n", s"secret$n", s"token$n")
    new VendedOptions(
      Map(
        "aws_access_key_id" -> s"key$n",
        "aws_secret_access_key" -> s"secret$n",
        "aws_session_token" -> s"token$n",
        "expires_at_millis" -> (clock.millis() + lifetimeMillis).toString
      )
    )
  }
  CountingVendor.number.set(0)

  def count: Int = CountingVendor.number.get
  def fails(on: Boolean): Unit = CountingVendor.isFailing = on
  def manifestIndex(root: String): Option[ManifestIndex] = None
  def clock: Clock = TestClock
}

object CountingVendor {
  private val number = new AtomicInteger
  @volatile private var isFailing = false
}

/** Returns the same key each time. */
final class RepeatingVendor extends StorageVendor {
  RepeatingVendor.count = 0
  def vend(): VendedOptions = {
    RepeatingVendor.count += 1
    new VendedOptions(Map("aws_access_key_id" -> "same", "aws_secret_access_key" -> "s"))
  }
  def manifestIndex(root: String): Option[ManifestIndex] = None
  def clock: Clock = TestClock
}

object RepeatingVendor {
  @volatile var count = 0
}
