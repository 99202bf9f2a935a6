// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

/** Describes a storage to those that schedule reads: its latency, its bandwidth, and the limits of its requests.
  *
  * @param latencyMicros time until the first byte of a response
  * @param bytesPerSecond bandwidth of one task
  * @param maxRequestBytes size of a request, at most
  * @param maxFilesAhead files that a task opens before it reads them, at most
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

  /** Bytes that must be in flight to use the bandwidth. */
  def bytesInFlight: Long = latencyMicros * bytesPerSecond / 1000000L

  /** Whether waiting for a response costs more than the bytes of a window. Such storage is read far ahead of decoding, and
    * files are opened concurrently. From other storage a task requests what it decodes next, which is then still in the
    * processor's caches.
    */
  def isRemote: Boolean = bytesInFlight > StorageProfile.windowBytes
}

object StorageProfile {
  private val processors = Runtime.getRuntime.availableProcessors

  /** Bytes of a column that are decoded at a time, about. */
  private val windowBytes = 1L << 20

  /** Files of this machine. All readers share the threads. */
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

  /** Object stores and distributed file systems. All readers share the threads; a thread that waits for a network costs
    * little.
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
