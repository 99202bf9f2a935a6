// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

/** Characteristics of a storage for scheduling reads: latency, bandwidth, and request limits.
  *
  * @param latencyMicros time until the first byte of a response
  * @param bytesPerSecond bandwidth of one task
  * @param maxRequestBytes maximum size of a request
  * @param maxFilesAhead maximum number of files that a task opens before it reads them
  * @param reads runs the requests of readers
  * @param opens opens files before they are read, which takes several requests
  */
final case class StorageProfile(
    latencyMicros: Long,
    bytesPerSecond: Long,
    maxRequestBytes: Int,
    maxFilesAhead: Int,
    reads: Background,
    opens: Background
) {

  /** Bytes that must be in flight to saturate the bandwidth. */
  def bytesInFlight: Long = latencyMicros * bytesPerSecond / 1000000L

  /** Whether latency costs more than transferring a window. On such storage, reads run far ahead of
    * decoding, and files are opened in parallel. On other storage, a task reads just before
    * decoding, while the data fits the processor caches.
    */
  def isRemote: Boolean = bytesInFlight > StorageProfile.windowBytes

  /** Number of small files to read in parallel. On remote storage, reads mostly wait. */
  def filesInParallel: Int = if (isRemote) 64 else 8
}

object StorageProfile {
  private val processors = Runtime.getRuntime.availableProcessors

  /** Approximate bytes of a column that are decoded at a time. */
  private val windowBytes = 1L << 20

  /** The local disks. All readers share the threads. */
  val local: StorageProfile = {
    val threads = new BackgroundThreads("lance-read-ahead", math.max(16, 2 * processors))
    StorageProfile(
      latencyMicros = 100,
      bytesPerSecond = 2L << 30,
      maxRequestBytes = RangeCoalescing.maxReadBytes,
      maxFilesAhead = 0,
      threads,
      threads
    )
  }

  /** Object stores and distributed file systems. All readers share the threads. The number is high
    * because the threads mostly wait for the network.
    */
  val remote: StorageProfile = {
    val numThreads = math.min(256, math.max(64, 8 * processors))
    StorageProfile(
      latencyMicros = 30000,
      bytesPerSecond = 100000000L,
      maxRequestBytes = 4 << 20,
      maxFilesAhead = 32,
      new BackgroundThreads("lance-read-remote", numThreads),
      new BackgroundThreads("lance-open-remote", numThreads)
    )
  }
}
