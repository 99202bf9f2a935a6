// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import io.github.pysparklance.core._
import io.github.pysparklance.file.spi.FileWriter
import io.github.pysparklance.storage.spi.{FileStore, OutputFile}

/** Stores the bytes of blobs of version 2, batch by batch: small ones in the data file, larger ones
  * in a shared file, the largest in dedicated files. Passes descriptors to the data file. At most
  * one batch of bytes is in memory.
  *
  * Source: format page of the table, "Blobs".
  *
  * @param fields fields of the data file, with thresholds in their metadata
  * @param sideFiles side files of the data file
  */
final private[table] class BlobWriter private (
    fields: IndexedSeq[Field],
    file: FileWriter,
    store: FileStore,
    sideFiles: BlobSideFiles
) {
  import BlobWriter._

  private val thresholds = fields.flatMap(_.flatten).filter(_.isBlobV2).map { field =>
    field.id -> BlobThresholds.of(field)
  }.toMap
  private var lastBlobId = 0
  private var pack: OutputFile = null
  private var packLimit = 0L
  private var packId = 0

  /** Writes the blobs of a batch.
    *
    * @param columns one for each field, with blobs as bytes
    * @return the columns with descriptors instead of bytes
    * @throws InvalidRequestException if a column of blobs has another shape
    */
  def stored(columns: IndexedSeq[Column]): IndexedSeq[Column] =
    columns.indices.map(i => stored(fields(i), columns(i)))

  private def stored(field: Field, column: Column): Column =
    if (field.isBlobV2) blobs(field, column)
    else if (!field.flatten.exists(_.isBlobV2)) column
    else
      column match {
        case s: StructColumn if s.children.length == field.children.length =>
          s.copy(children =
            field.children.indices.map(i => stored(field.children(i), s.children(i)))
          )
        case l: ListColumn => l.copy(items = stored(field.children.head, l.items))
        case l: FixedSizeListColumn => l.copy(items = stored(field.children.head, l.items))
        case other => other
      }

  private def blobs(field: Field, column: Column): Column = column match {
    case LeafColumn(values: BinaryValues, validity) => described(field, values, validity)
    case ConstantColumn(one: BinaryValues, numRows, validity) =>
      val all = new BinaryValues
      all.appendRepeated(one, 0, numRows)
      described(field, all, validity)
    case nulls: NullColumn => nulls
    case other =>
      throw new InvalidRequestException(
        s"a column of blobs cannot hold a ${other.getClass.getSimpleName}",
        Place(column = Some(field.name))
      )
  }

  private def described(field: Field, values: BinaryValues, validity: Validity): Column = {
    val limits = thresholds(field.id)
    val out = new Descriptors
    var i = 0
    while (i < values.numItems) {
      val from = values.offsets(i)
      val length = values.offsets(i + 1) - from
      if (length == 0 || (validity != null && !validity.isValid(i)))
        out.append(BlobLocations.inline, 0, 0, 0)
      else if (length > limits.dedicatedBytes) {
        val id = nextBlobId()
        val own = create(id)
        own.write(values.bytes, from, length)
        own.close()
        out.append(BlobLocations.dedicated, 0, length.toLong, id)
      } else if (length > limits.inlineBytes) {
        openPack(length.toLong, limits.packBytes)
        out.append(BlobLocations.packed, pack.position, length.toLong, packId)
        pack.write(values.bytes, from, length)
      } else {
        val at = file.writeOutOfLine(new Buffer(values.bytes, from, length))
        out.append(BlobLocations.inline, at, length.toLong, 0)
      }
      i += 1
    }
    out.column(validity)
  }

  private def openPack(moreBytes: Long, limit: Long): Unit =
    if (pack == null || packLimit != limit || pack.position + moreBytes > limit) {
      closePack()
      packId = nextBlobId()
      pack = create(packId)
      packLimit = limit
    }

  private def closePack(): Unit = if (pack != null) {
    pack.close()
    pack = null
  }

  private def nextBlobId(): Int = {
    lastBlobId += 1
    lastBlobId
  }

  private def create(blobId: Int): OutputFile = store.create(sideFiles.path(blobId))

  /** Finishes the side files. Must be called before the data file is finished. */
  def finish(): Unit = closePack()

  /** Deletes the side files. Logs failures of the storage. */
  def abort(): Unit = {
    if (pack != null) pack.abort()
    pack = null
    if (lastBlobId > 0) sideFiles.delete(store)
  }
}

private[table] object BlobWriter {

  /** Returns `None` if no field has blobs of version 2.
    *
    * @param file the data file being written
    * @param path path of the data file, which ends with `name`
    * @param name name of the data file in the manifest
    * @throws InvalidRequestException for a threshold that is not a number
    */
  def of(
      schema: Schema,
      file: FileWriter,
      store: FileStore,
      path: String,
      name: String
  ): Option[BlobWriter] =
    if (schema.flatten.exists(_.isBlobV2))
      Some(new BlobWriter(schema.fields, file, store, new BlobSideFiles(path, name)))
    else None

  /** The descriptors of one column. */
  final private class Descriptors {
    private val kinds = new ByteValues
    private val positions = new LongValues
    private val sizes = new LongValues
    private val ids = new IntValues
    private val uris = new BinaryValues

    def append(kind: Int, position: Long, size: Long, blobId: Int): Unit = {
      kinds.append(kind.toByte)
      positions.append(position)
      sizes.append(size)
      ids.append(blobId)
      uris.appendFiller(1)
    }

    def column(validity: Validity): Column = StructColumn(
      kinds.numItems,
      IndexedSeq(kinds, positions, sizes, ids, uris).map(LeafColumn(_, null)),
      validity
    )
  }
}
