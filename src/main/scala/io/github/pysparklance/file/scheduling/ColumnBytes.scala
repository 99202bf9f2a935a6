// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Counts the bytes of one column, or of all columns of a file that are read together, and limits
  * its read-ahead.
  *
  * {{{
  *   request ------> begin ------> end
  *      |    ahead     |  decoding  |
  *      |          held             |
  * }}}
  *
  * @param limit bytes ahead up to which more is requested
  */
final private[pysparklance] class ColumnBytes private[scheduling] (reads: FileReads, limit: Long) {
  private var aheadBytes = 0L

  /** Bytes requested and not being decoded. */
  def ahead: Long = aheadBytes

  /** Whether more bytes may be requested ahead. */
  def hasRoom: Boolean = aheadBytes < limit && reads.scheduler.readsAhead

  /** Whether so much of the read-ahead is used up that more should be requested. Prefers a few
    * large requests to many small ones.
    */
  def isHalfEmpty: Boolean = aheadBytes <= limit / 2 && reads.scheduler.readsAhead

  def request(bytes: Long): Unit = if (bytes != 0) {
    aheadBytes += bytes
    reads.addAhead(bytes)
    reads.addHeld(bytes)
  }

  def begin(bytes: Long): Unit = if (bytes != 0) {
    aheadBytes -= bytes
    reads.addAhead(-bytes)
  }

  def end(bytes: Long): Unit = if (bytes != 0) reads.addHeld(-bytes)
}
