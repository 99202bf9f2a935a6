// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.File
import java.net.URI
import java.nio.file.AccessDeniedException
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  CreateFlag,
  FSDataOutputStream,
  FSDataOutputStreamBuilder,
  FileStatus,
  Path,
  RawLocalFileSystem
}

/** Local files as a bucket that only certain keys may access: `s3a://bucket/tmp/x` is `/tmp/x`.
  * Reads the keys from the configuration as S3A does. `fs.s3a.impl` names this class.
  */
final class KeyedFileSystem extends RawLocalFileSystem {
  private var uri: URI = _
  private var key = ""

  override def initialize(name: URI, conf: Configuration): Unit = {
    uri = URI.create(s"s3a://${name.getHost}")
    key = KeyedFileSystem.parts
      .map(p => conf.get(s"fs.s3a.bucket.${name.getHost}.$p", ""))
      .mkString("/")
    super.initialize(URI.create("file:///"), conf)
    KeyedFileSystem.used.add(key): Unit
  }

  override def getScheme: String = "s3a"

  /** The superclass calls this in its constructor. */
  override def getUri: URI = if (uri == null) URI.create("s3a://bucket") else uri

  override def getWorkingDirectory: Path = new Path(s"$getUri/")

  /** Object stores list in the order of names. */
  override def listStatus(path: Path): Array[FileStatus] =
    super.listStatus(path).sortBy(_.getPath.getName).map(withoutOwner)

  override def getFileStatus(path: Path): FileStatus = withoutOwner(super.getFileStatus(path))

  private def withoutOwner(s: FileStatus): FileStatus =
    new FileStatus(s.getLen, s.isDirectory, 1, s.getBlockSize, s.getModificationTime, s.getPath)

  /** Accepts the option of a conditional create. */
  override def createFile(path: Path): Creation = new Creation(path).create().overwrite(true)

  final class Creation(path: Path)
      extends FSDataOutputStreamBuilder[FSDataOutputStream, Creation](this, path) {
    override def getThisBuilder: Creation = this
    override def build(): FSDataOutputStream =
      KeyedFileSystem.this.create(path, getFlags.contains(CreateFlag.OVERWRITE))
  }

  /** Every operation calls this. */
  override def pathToFile(path: Path): File = {
    if (!KeyedFileSystem.valid.contains(key))
      throw new AccessDeniedException(path.toString, null, "the key is not valid")
    super.pathToFile(path)
  }
}

object KeyedFileSystem {
  private val parts = Seq("access.key", "secret.key", "session.token")

  /** The valid keys, as access key, secret key, and session token. */
  val valid: java.util.Set[String] = ConcurrentHashMap.newKeySet[String]()

  private val used = ConcurrentHashMap.newKeySet[String]()

  /** The keys of all created clients. */
  def usedKeys: Set[String] = used.asScala.toSet

  /** Makes one key valid, and all others invalid. */
  def admit(access: String, secret: String, token: String): Unit = {
    valid.clear()
    valid.add(s"$access/$secret/$token"): Unit
  }

  /** The configuration of sessions with this class. Hadoop's cache could return a client of another
    * class for the same bucket.
    */
  val settings: Map[String, String] = Map(
    "fs.s3a.impl" -> classOf[KeyedFileSystem].getName,
    "fs.s3a.impl.disable.cache" -> "true"
  )
}
