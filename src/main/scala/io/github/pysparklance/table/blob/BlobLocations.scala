// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core.{CorruptFileException, Place, UnsupportedFeatureException}

/** A range of bytes in an object.
  *
  * @param length [[BlobRange.toEnd]] for all bytes from `offset` on
  */
final private[blob] case class BlobRange(path: String, offset: Long, length: Long) {

  /** Returns the range with its length, checked against the size of the object.
    *
    * @throws CorruptFileException if it does not lie in the object
    */
  def within(objectBytes: Long): BlobRange = {
    val bytes = if (length == BlobRange.toEnd) objectBytes - offset else length
    if (bytes < 0 || offset > objectBytes - bytes)
      throw new CorruptFileException(
        s"a blob of ${math.max(0, bytes)} bytes at $offset of an object of $objectBytes bytes",
        Place(path = Some(path))
      )
    copy(length = bytes)
  }
}

private[blob] object BlobRange {
  val toEnd: Long = -1L
}

/** Converts the descriptors in one data file to ranges of objects.
  *
  * Source: format page of the table, "Blobs".
  *
  * {{{
  *   0 inline      [position, + size) of the data file
  *   1 packed      [position, + size) of the side file blob_id
  *   2 dedicated   the side file blob_id, size bytes long
  *   3 external    [position, + size) of the object blob_uri, to its end if size is 0
  *   side file     folder of the data file / its name without .lance / the bits of blob_id, lowest first / .blob
  * }}}
  *
  * @param dataFile path of the data file
  * @param name its name in the manifest, which `dataFile` ends with
  */
final private[blob] class BlobLocations(dataFile: String, name: String, bases: BlobBases) {
  private val sideFiles = new BlobSideFiles(dataFile, name)

  /** Returns the range of a blob's bytes.
    *
    * @param uri evaluated only for external blobs
    * @throws CorruptFileException if the descriptor is invalid
    */
  def range(kind: Int, position: Long, size: Long, blobId: Int, uri: => String): BlobRange = {
    CorruptFileException.check(
      position >= 0 && size >= 0 && position <= Long.MaxValue - size,
      s"a blob of ${java.lang.Long.toUnsignedString(size)} bytes at ${java.lang.Long.toUnsignedString(position)}"
    )
    kind match {
      case BlobLocations.inline => BlobRange(dataFile, position, size)
      case BlobLocations.packed => BlobRange(sideFiles.path(blobId), position, size)
      case BlobLocations.dedicated => BlobRange(sideFiles.path(blobId), 0, size)
      case BlobLocations.external =>
        BlobRange(bases.path(blobId, uri), position, if (size == 0) BlobRange.toEnd else size)
      case BlobLocations.managed | BlobLocations.managedWithBase =>
        throw new UnsupportedFeatureException("managed blobs")
      case other => throw new CorruptFileException(s"a blob of kind $other")
    }
  }
}

private[blob] object BlobLocations {
  val inline = 0
  val packed = 1
  val dedicated = 2
  val external = 3
  val managed = 4
  val managedWithBase = 5
}
