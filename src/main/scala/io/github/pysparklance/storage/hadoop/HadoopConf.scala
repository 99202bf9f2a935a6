// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.hadoop.conf.Configuration

/** A Hadoop configuration that travels to executors. It is copied when made, so later changes of the session's
  * configuration do not reach running work.
  */
final class HadoopConf private (@transient private var configuration: Configuration)
    extends Serializable {

  /** The configuration; not to be changed. */
  def value: Configuration = configuration

  /** The scheme of paths that have none, such as `file` or `hdfs`. */
  def defaultScheme: String =
    Option(org.apache.hadoop.fs.FileSystem.getDefaultUri(configuration).getScheme).getOrElse("file")

  /** The path with scheme and, for a relative one, the working folder filled in. */
  def qualify(path: String): String = {
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

object HadoopConf {

  /** A copy of `configuration`. */
  def apply(configuration: Configuration): HadoopConf = new HadoopConf(
    new Configuration(configuration)
  )
}
