// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.util.ReflectionUtils

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.spi.{DynamoDbUri, TablePath}

/** A Hadoop configuration that can be serialized to executors.
  *
  * @param configuration must not be modified afterwards; pass a copy of a session's configuration
  * @param hasOwnClients whether file system clients belong to this object. Otherwise they come from
  *   Hadoop's cache, which ignores the configuration
  */
final class HadoopConf private (
    @transient private var configuration: Configuration,
    hasOwnClients: Boolean
) extends Serializable {

  /** A configuration whose clients come from Hadoop's cache. */
  def this(configuration: Configuration) = this(configuration, false)

  @transient private lazy val ownClients = OwnClients(configuration)

  /** The configuration, which must not be modified. */
  def value: Configuration = configuration

  /** Returns the file system client of a path. */
  private[hadoop] def fileSystem(path: Path): FileSystem =
    if (hasOwnClients) ownClients.of(path) else path.getFileSystem(configuration)

  /** Returns a copy with more properties and with file system clients of its own, so that its
    * credentials are used for its paths only.
    */
  private[storage] def vended(properties: Map[String, String]): HadoopConf = {
    val copy = new Configuration(configuration)
    properties.foreach { case (key, value) => copy.set(key, value, HadoopConf.vendedSource) }
    new HadoopConf(copy, hasOwnClients = properties.nonEmpty)
  }

  /** Scheme of paths without one, such as `file` or `hdfs`. */
  def defaultScheme: String =
    Option(FileSystem.getDefaultUri(configuration).getScheme).getOrElse("file")

  /** Returns the value of a key. For keys of S3A, a value for the bucket takes precedence. Reads
    * secrets from credential providers, too.
    */
  private[storage] def get(key: String, bucket: Option[String] = None): Option[String] = {
    val names = bucket.filter(_ => key.startsWith("fs.s3a."))
      .map(b => s"fs.s3a.bucket.$b.${key.stripPrefix("fs.s3a.")}").toSeq :+ key
    names.iterator.flatMap(n => Option(configuration.getPassword(n))).map(new String(_).trim)
      .find(_.nonEmpty)
  }

  /** Creates an object of the class that a key names, or returns `None` if the key is not set.
    *
    * @throws InvalidRequestException if the class does not exist or is not a subclass of `kind`
    */
  private[storage] def instance[A](key: String, kind: Class[A]): Option[A] =
    Option(configuration.getTrimmed(key)).filter(_.nonEmpty).map { name =>
      try ReflectionUtils.newInstance(
          configuration.getClassByName(name).asSubclass(kind),
          configuration
        )
      catch {
        case e @ (_: ReflectiveOperationException | _: ClassCastException | _: RuntimeException) =>
          throw new InvalidRequestException(
            s"$key is $name, which is not a ${kind.getName} with a constructor without parameters",
            cause = e
          )
      }
    }

  /** Returns the path for Hadoop's clients: `s3` becomes `s3a`, unless `s3` has a file system of
    * its own.
    */
  private[storage] def clientPath(path: String): String =
    if (TablePath.scheme(path).contains("s3") && get("fs.s3.impl").isEmpty)
      "s3a" + path.drop("s3".length)
    else path

  /** Returns the absolute path with its scheme. */
  def qualify(path: String): String =
    if (DynamoDbUri.is(path) || clientPath(path) != path) path
    else {
      val p = new Path(path)
      fileSystem(p).makeQualified(p).toString
    }

  private def writeObject(out: ObjectOutputStream): Unit = {
    out.defaultWriteObject()
    configuration.write(out)
  }

  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    configuration = new Configuration(false)
    configuration.readFields(in)
  }
}

private object HadoopConf {

  /** Where Hadoop says that vended properties come from. */
  val vendedSource = "a catalog"
}
