// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FileSystem

/** What Hadoop's statistics say was read by this thread. Engines take the input bytes of a task from them, and know
  * nothing of what other threads read for it, or what was read without Hadoop.
  */
@nowarn("cat=deprecation") // the statistics that engines look at
object ThreadStatistics {

  /** Apart from those of the file systems, whose numbers stay what they are. */
  private lazy val own = FileSystem.getStatistics("lance", classOf[FileSystem])

  /** Bytes that this thread has read from all file systems, with those [[addBytesRead]] told. */
  def bytesRead: Long =
    FileSystem.getAllStatistics.asScala.iterator.map(_.getThreadStatistics.getBytesRead).sum

  /** Adds bytes that were read for this thread. */
  def addBytesRead(bytes: Long): Unit = own.incrementBytesRead(bytes)
}
