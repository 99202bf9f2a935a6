// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.util.ReflectionUtils

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.spi.{DynamoDbUri, TablePath}

/** A Hadoop configuration that travels to executors.
  *
  * @param configuration nobody changes it from now on: of a session's, a copy
  */
final class HadoopConf(@transient private var configuration: Configuration)
    extends Serializable {

  /** The configuration; not to be changed. */
  def value: Configuration = configuration

  /** The scheme of paths that have none, such as `file` or `hdfs`. */
  def defaultScheme: String =
    Option(org.apache.hadoop.fs.FileSystem.getDefaultUri(configuration).getScheme).getOrElse("file")

  /** The value of a key, with what the bucket of that name has of its own going before; secrets also from where the
    * configuration keeps them.
    */
  private[storage] def get(key: String, bucket: Option[String] = None): Option[String] = {
    val names = bucket.filter(_ => key.startsWith("fs.s3a."))
      .map(b => s"fs.s3a.bucket.$b.${key.stripPrefix("fs.s3a.")}").toSeq :+ key
    names.iterator.flatMap(n => Option(configuration.getPassword(n))).map(new String(_).trim)
      .find(_.nonEmpty)
  }

  /** An object of the class that a key names; none where it names none.
    *
    * @throws InvalidRequestException when there is no such class, or it is no `A`
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
            s"$key is $name, which is no class of kind ${kind.getName} with a constructor without parameters",
            cause = e
          )
      }
    }

  /** The path as Hadoop's client of its storage knows it: `s3` is `s3a`, unless it means something of its own. */
  private[storage] def clientPath(path: String): String =
    if (TablePath.scheme(path).contains("s3") && get("fs.s3.impl").isEmpty)
      "s3a" + path.drop("s3".length)
    else path

  /** The path with scheme and, for a relative one, the working folder filled in. */
  def qualify(path: String): String =
    if (DynamoDbUri.is(path) || clientPath(path) != path) path
    else {
      val p = new org.apache.hadoop.fs.Path(path)
      p.getFileSystem(configuration).makeQualified(p).toString
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
