// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** How reads of a storage are arranged so that nobody waits for it longer than need be.
  *
  * Local disks answer at once: there a task asks for little more than it decodes next, which is still in the caches of
  * the processor then. Elsewhere a request takes tens of milliseconds whatever it asks for, so that as many bytes have to
  * be under way as the storage can send in that time, and several files have to be opened at once.
  *
  * @param filesAhead files that are opened before they are wanted; none: a task asks for little before it wants it
  * @param maxReadBytes requests are not larger
  * @param reads where reads are waited for
  * @param opens where files are opened ahead, which takes several reads
  */
final case class ReadPace(
    filesAhead: Int,
    maxReadBytes: Int,
    reads: Background,
    opens: Background
) {

  /** Whether bytes are asked for long before they are wanted. */
  def readsAhead: Boolean = filesAhead > 0
}

object ReadPace {
  private val processors = Runtime.getRuntime.availableProcessors

  /** Shared by all that read files of this machine. */
  val local: ReadPace = {
    val threads = new BackgroundThreads("lance-read-ahead", math.max(16, 2 * processors))
    ReadPace(0, RangeCoalescing.maxReadBytes, threads, threads)
  }

  /** Shared by all that read from elsewhere. Threads that wait for a network cost little. */
  val remote: ReadPace = {
    val numThreads = math.min(256, math.max(64, 8 * processors))
    ReadPace(
      32,
      4 << 20,
      new BackgroundThreads("lance-read-remote", numThreads),
      new BackgroundThreads("lance-open-remote", numThreads)
    )
  }
}
