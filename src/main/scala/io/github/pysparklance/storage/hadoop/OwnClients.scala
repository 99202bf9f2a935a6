// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.IOException
import java.lang.ref.{Cleaner, WeakReference}
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.security.UserGroupInformation

import io.github.pysparklance.core.{Log, Place, UnsupportedFeatureException}

/** File system clients of one configuration, one for each scheme and authority. Hadoop's cache of
  * clients ignores credentials in the configuration, so tables with credentials of their own need
  * clients of their own. Tasks of a process share them. They are closed when this object is no
  * longer reachable.
  */
final private[hadoop] class OwnClients private (configuration: Configuration) {
  private val clients = new ConcurrentHashMap[String, FileSystem]
  OwnClients.cleaner.register(this, new OwnClients.Closing(clients)): Unit

  /** Returns the client of a path. */
  def of(path: Path): FileSystem = {
    val uri = path.toUri
    val scheme = Option(uri.getScheme).getOrElse("").toLowerCase(Locale.ROOT)
    if (scheme.isEmpty) path.getFileSystem(configuration)
    else {
      val bucket = configuration.get(OwnClients.googleBucket)
      if (scheme == "gs" && bucket != null && bucket != uri.getAuthority)
        throw new UnsupportedFeatureException(
          s"files outside of the bucket $bucket, for which the catalog returned the credentials",
          Place(path = Some(path.toString))
        )
      clients.computeIfAbsent(
        s"$scheme://${uri.getAuthority}",
        _ => FileSystem.newInstance(uri, configuration)
      )
    }
  }
}

private[hadoop] object OwnClients {
  private val log = Log(classOf[OwnClients])

  /** The property with the access token for a bucket of Google Cloud Storage. */
  val googleToken: String = "fs.gs.lance.vended.token"

  /** The property with that bucket. Without it, the token would be used for all buckets. */
  val googleBucket: String = "fs.gs.lance.vended.bucket"

  private val shared = new ConcurrentHashMap[Any, WeakReference[OwnClients]]

  /** Returns the clients of the current user for the file systems of a configuration. */
  def apply(configuration: Configuration): OwnClients = {
    shared.values.removeIf(_.get == null): Unit
    val properties = configuration.asScala.collect {
      case e if e.getKey.startsWith("fs.") => e.getKey -> e.getValue
    }.toMap
    var found: OwnClients = null
    shared.compute(
      UserGroupInformation.getCurrentUser -> properties,
      (_, known) => {
        found = if (known == null) null else known.get
        if (found != null) known
        else {
          found = new OwnClients(configuration)
          new WeakReference(found)
        }
      }
    ): Unit
    found
  }

  private lazy val cleaner = Cleaner.create()

  /** Must not refer to the [[OwnClients]], or they would stay reachable. */
  final private class Closing(clients: ConcurrentHashMap[String, FileSystem]) extends Runnable {
    def run(): Unit = clients.forEach { (place, client) =>
      try client.close()
      catch { case e: IOException => log.debug(s"$place: the client was not closed", e) }
    }
  }
}
