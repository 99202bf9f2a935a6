// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.util.concurrent.CancellationException

import io.github.pysparklance.storage.requests.StorageProfile

/** A store whose reads fail once it is revoked. Ends the read-ahead of other threads for a task
  * that has ended.
  */
final class RevocableStore(inner: FileStore) extends ForwardingFileStore(inner) {
  @volatile private var isRevoked = false

  /** Makes all later opens and reads fail. Running reads finish. */
  def revoke(): Unit = isRevoked = true

  private def granted[A](use: => A): A =
    if (isRevoked) throw new CancellationException("the read was canceled") else use

  override def open(path: String): RangeReader = granted(new Revocable(inner.open(path)))

  override def open(path: String, sizeBytes: Long): RangeReader =
    granted(new Revocable(inner.open(path, sizeBytes)))

  final private class Revocable(reader: RangeReader) extends RangeReader(reader.path, reader.size) {
    def maxGapBytes: Int = reader.maxGapBytes

    override def profile: StorageProfile = reader.profile

    override def origin: Option[AnyRef] = reader.origin

    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
      granted(reader.readInto(offset, out, outAt, length))

    def close(): Unit = reader.close()
  }
}
