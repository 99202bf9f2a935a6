// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FileSystem

/** Hadoop's read statistics of the current thread. Engines report them as the input bytes of a
  * task. They miss reads by other threads and reads without Hadoop.
  */
@nowarn("cat=deprecation") // engines read these statistics
object ThreadStatistics {

  /** Separate from the statistics of file systems, which stay unchanged. */
  private lazy val own = FileSystem.getStatistics("lance", classOf[FileSystem])

  /** Bytes that this thread has read from all file systems, including [[addBytesRead]]. */
  def bytesRead: Long =
    FileSystem.getAllStatistics.asScala.iterator.map(_.getThreadStatistics.getBytesRead).sum

  /** Adds bytes that another thread or reader read for this thread. */
  def addBytesRead(bytes: Long): Unit = own.incrementBytesRead(bytes)
}
