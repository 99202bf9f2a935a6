// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core._

/** The descriptors of a blob column in one batch: the two members of legacy blobs (2.0 to 2.2), or
  * the five members of blob v2.
  *
  * @throws CorruptFileException if the column has neither shape
  */
final private[blob] class BlobDescriptors(column: Column) {
  import BlobDescriptors._

  val numItems: Int = column.numRows

  private val (kinds, positions, sizes, ids, uris) = column match {
    case NullColumn(_) => (null, null, null, null, null)
    case StructColumn(_, IndexedSeq(position, size), _) =>
      (null, longs(position), longs(size), null, null)
    case StructColumn(_, IndexedSeq(kind, position, size, id, uri), _) =>
      (bytes(kind), longs(position), longs(size), ints(id), strings(uri))
    case _ => wrongShape()
  }

  /** Whether an item is null. A legacy blob with a size of 0 and a position other than 0 is null.
    */
  def isNull(item: Int): Boolean =
    sizes == null || column.isNull(item) ||
      (kinds == null && sizes(item) == 0 && positions(item) != 0)

  def kind(item: Int): Int = if (kinds == null) BlobLocations.inline else kinds(item) & 0xff

  def position(item: Int): Long = positions(item)

  def size(item: Int): Long = sizes(item)

  def blobId(item: Int): Int = if (ids == null) 0 else ids(item)

  def uri(item: Int): String =
    if (uris == null) ""
    else {
      val from = uris.offsets(item)
      new String(
        uris.bytes,
        from,
        uris.offsets(item + 1) - from,
        java.nio.charset.StandardCharsets.UTF_8
      )
    }

  /** Returns the descriptors as a column with `numMembers` members. Converts legacy descriptors to
    * blob v2 if necessary.
    */
  def asColumn(numMembers: Int): Column = column match {
    case StructColumn(n, members, _) if sizes != null =>
      val shaped =
        if (members.length == numMembers) members
        else if (numMembers == 2) IndexedSeq(members(1), members(2))
        else
          IndexedSeq(
            filler(new ByteValues, n),
            members(0),
            members(1),
            filler(new IntValues, n),
            filler(new BinaryValues, n)
          )
      StructColumn(n, shaped, validity)
    case other => other
  }

  /** The non-null items; null if all are. */
  lazy val validity: Validity = {
    val v = new Validity
    v.reserve(numItems)
    var i = 0
    while (i < numItems) {
      v.append(!isNull(i))
      i += 1
    }
    if (v.hasNulls) v else null
  }
}

private object BlobDescriptors {
  private def filler(values: Values, n: Int): Column = {
    values.appendFiller(n)
    LeafColumn(values, null)
  }

  private def bytes(c: Column): Array[Byte] = c match {
    case LeafColumn(v: ByteValues, _) => v.array
    case _ => wrongShape()
  }

  private def ints(c: Column): Array[Int] = c match {
    case LeafColumn(v: IntValues, _) => v.array
    case _ => wrongShape()
  }

  private def longs(c: Column): Array[Long] = c match {
    case LeafColumn(v: LongValues, _) => v.array
    case _ => wrongShape()
  }

  private def strings(c: Column): BinaryValues = c match {
    case LeafColumn(v: BinaryValues, _) => v
    case _ => wrongShape()
  }

  private def wrongShape(): Nothing =
    throw new CorruptFileException("a blob column without valid descriptors")
}
