// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.sql.SparkSession
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.testkit.{
  OtherJvm,
  S3Fault,
  S3Proxy,
  S3Request,
  SharedSpark,
  TestRun
}

/** Kills queries whose tables and checkpoint are on S3, and restarts them. The points are requests
  * that change objects.
  */
class S3aKillSuite extends AnyFunSuite with SourceKillTests with BeforeAndAfterAll {
  private val proxy = new S3Proxy

  override protected lazy val spark: SparkSession = {
    val session = SharedSpark.newInterpreted()
    proxy.settings.foreach { case (key, value) =>
      if (key.startsWith("fs.s3a.")) session.conf.set(key, value)
    }
    session
  }

  override protected lazy val store: Storage = Storage(new HadoopConf(proxy.configuration))

  override protected def afterAll(): Unit = {
    proxy.close()
    super.afterAll()
  }

  private def remote(place: Path): String =
    s"s3a://${proxy.bucket}/${folder.getFileName}/${place.getFileName}"

  override protected def at(place: Path, table: String): String = s"${remote(place)}/$table"

  private def isWrite(r: S3Request): Boolean = Set("PUT", "DELETE")(r.kind)

  override protected def run(place: Path, kind: String): Unit = {
    proxy.reset()
    KilledStream.run(spark, remote(place), kind)
  }

  override protected def numCalls: Int = proxy.requests.count(isWrite)

  override protected def kill(
      place: Path,
      kind: String,
      call: Int,
      afterEffect: Boolean
  ): Boolean = {
    val (reached, killed) = (new CountDownLatch(1), new CountDownLatch(1))
    val numWrites = new AtomicInteger
    def hold(): Unit = {
      reached.countDown()
      killed.await()
    }
    proxy.reset()
    proxy.fault = r =>
      if (isWrite(r) && numWrites.getAndIncrement() == call)
        Some(S3Fault.Held(afterEffect, () => hold()))
      else None
    val settings = proxy.settings.map { case (key, value) => s"$key=$value" }
    val process =
      OtherJvm.startSpark(KilledS3Stream.className, remote(place) +: kind +: settings.toSeq: _*)
    var isReached = false
    try
      while (!isReached && process.isAlive)
        isReached = reached.await(100, TimeUnit.MILLISECONDS)
    finally {
      process.destroyForcibly()
      assert(process.waitFor(60, TimeUnit.SECONDS), "a process that was killed ends")
      killed.countDown()
      proxy.reset()
    }
    assert(isReached || process.exitValue == 0, "the process ended early")
    isReached
  }

  test("killed at random requests and restarted") {
    val kinds = if (TestRun.isLong) KilledStream.ofTable else KilledStream.ofTable.takeRight(1)
    killAndRestart(TestRun.kills(1, 200), kinds)
  }
}

/** A process with a streaming query on S3 that is killed. */
object KilledS3Stream {

  /** The name of this class, to start it. */
  val className: String = getClass.getName.stripSuffix("$")

  /** `FOLDER KIND KEY=VALUE ...`: runs a query of [[KilledStream]] with a configuration of Hadoop.
    */
  def main(arguments: Array[String]): Unit = {
    val Seq(folder, kind, settings @ _*) = arguments.toSeq: @unchecked
    val hadoop = settings.map { setting =>
      val Array(key, value) = setting.split("=", 2): @unchecked
      key -> value
    }
    KilledStream.run(KilledStream.session(hadoop.toMap), folder, kind)
  }
}
