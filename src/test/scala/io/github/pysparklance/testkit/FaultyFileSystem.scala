// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.{ByteArrayOutputStream, IOException}
import java.net.URI
import java.util.EnumSet
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicReference

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.spark.sql.SparkSession

/** Local files with Hadoop's interface, for Spark and the connector. Numbers the calls that change
  * files, and injects a fault into one of them. Listings can be stale.
  *
  * Replaces the client of GCS: `fs.gs.impl` names this class.
  */
final class FaultyFileSystem extends RawLocalFileSystem {
  import FaultyFileSystem._

  private var uri: URI = _

  override def initialize(name: URI, conf: Configuration): Unit = {
    uri = URI.create(s"$scheme://bucket")
    super.initialize(URI.create("file:///"), conf)
  }

  override def getScheme: String = scheme

  override def getUri: URI = if (uri == null) URI.create(s"$scheme://bucket") else uri

  override def getWorkingDirectory: Path = new Path(s"$scheme://bucket/")

  override def create(
      p: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = upload(p, overwrite)

  override def create(
      p: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = upload(p, overwrite)

  override def createNonRecursive(
      p: Path,
      permission: FsPermission,
      flags: EnumSet[CreateFlag],
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = upload(p, flags.contains(CreateFlag.OVERWRITE))

  /** An object becomes visible when it is complete, which is one call. */
  private def upload(p: Path, overwrite: Boolean): FSDataOutputStream = {
    if (!overwrite && exists(p)) throw new FileAlreadyExistsException(p.toString)
    val bytes = new ByteArrayOutputStream
    var isOpen = true
    new FSDataOutputStream(bytes, null) {
      override def close(): Unit = if (isOpen) {
        isOpen = false
        call("put", p) {
          val out = storing(p, overwrite)
          try out.write(bytes.toByteArray)
          finally out.close()
          if (lag > 0) hidden.put(p.toUri.getPath, lag): Unit
        }
      }
    }
  }

  private def storing(p: Path, overwrite: Boolean): FSDataOutputStream =
    super.create(p, overwrite, 4096, 1.toShort, 1L << 25, null)

  /** Object stores list in the order of names. */
  override def listStatus(p: Path): Array[FileStatus] =
    super.listStatus(p).filterNot(f => isHidden(f.getPath.toUri.getPath)).sortBy(_.getPath.getName)

  override def rename(from: Path, to: Path): Boolean = call("rename", to) {
    val isDone = super.rename(from, to)
    if (isDone && lag > 0) hidden.put(to.toUri.getPath, lag): Unit
    isDone
  }

  override def delete(p: Path, recursive: Boolean): Boolean =
    call("delete", p)(super.delete(p, recursive))
}

object FaultyFileSystem {
  private val scheme = "gs"

  /** A call that changes files. */
  final case class Call(method: String, path: String)

  /** A fault of a call.
    *
    * @param number of the call, from 0
    * @param afterEffect whether the call takes effect before the fault
    * @param act action of the fault; if it returns, an error is raised
    */
  final case class Fault(number: Int, afterEffect: Boolean, act: Call => Unit = _ => ())

  private val made = mutable.ArrayBuffer.empty[Call]
  @volatile private var fault = Option.empty[Fault]
  @volatile private var lag = 0
  private val hidden = new ConcurrentHashMap[String, Integer]
  private val failing = new AtomicReference(Option.empty[Call => Boolean])

  /** Forgets the earlier calls.
    *
    * @param next next fault
    */
  def begin(next: Option[Fault] = None): Unit = made.synchronized {
    made.clear()
    fault = next
  }

  /** Makes listings miss each file that is written from now on.
    *
    * @param listings number of listings that miss a file; 0 for none
    */
  def hideNewFiles(listings: Int): Unit = {
    lag = listings
    if (lag == 0) hidden.clear()
  }

  /** Whether a listing misses a file. */
  private def isHidden(path: String): Boolean =
    lag > 0 && hidden.computeIfPresent(path, (_, n) => if (n > 0) n - 1 else null) != null

  /** Makes the first call that meets a condition fail before it takes effect. */
  def failOnce(condition: Call => Boolean): Unit = failing.set(Some(condition))

  /** Whether the call of [[failOnce]] has failed. */
  def hasFailed: Boolean = failing.get.isEmpty

  def calls: IndexedSeq[Call] = made.synchronized(made.toIndexedSeq)

  /** Returns the URI of a local file in this file system. */
  def path(local: String): String = s"$scheme://bucket$local"

  /** Returns the local file of a URI in this file system. */
  def local(uri: String): String = uri.stripPrefix(s"$scheme://bucket")

  /** Session configuration with this class, for Spark and Hadoop. */
  val settings: Map[String, String] = Map(
    "fs.gs.impl" -> classOf[FaultyFileSystem].getName,
    "fs.AbstractFileSystem.gs.impl" -> classOf[FaultyFiles].getName,
    "fs.gs.impl.disable.cache" -> "true"
  )

  /** Runs a test with this file system in a session. */
  def in[A](spark: SparkSession)(test: => A): A = {
    settings.foreach { case (k, v) => spark.conf.set(k, v) }
    try test
    finally settings.keys.foreach(spark.conf.unset)
  }

  private def call[A](method: String, p: Path)(effect: => A): A = {
    val what = Call(method, p.toUri.getPath)
    val number = made.synchronized {
      made += what
      made.length - 1
    }
    def fail(f: Fault): Nothing = {
      f.act(what)
      throw new IOException(s"$what: storage failed")
    }
    val once = failing.get
    if (once.exists(_(what)) && failing.compareAndSet(once, None))
      throw new IOException(s"$what: storage failed once")
    fault.filter(_.number == number) match {
      case Some(f) if f.afterEffect =>
        effect: Unit
        fail(f)
      case Some(f) => fail(f)
      case None => effect
    }
  }
}

/** The same for Hadoop's `FileContext`, with which Spark writes checkpoints. */
final class FaultyFiles(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(uri, new FaultyFileSystem, conf, "gs", false)
