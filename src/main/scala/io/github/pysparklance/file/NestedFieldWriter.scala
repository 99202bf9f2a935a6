// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.EncodingChooser
import io.github.pysparklance.encoding.layout.LeafColumnWriter
import io.github.pysparklance.encoding.spi.{EncodedPage, EncodingOptions, EncodingVersion}
import io.github.pysparklance.file.metadata.LeafPaths
import io.github.pysparklance.storage.requests.Pending

/** Writes a top-level field of a file of version 2.1 or later. Only leaves have columns, which also
  * encode the nesting above them.
  *
  * Source: format page of the file container, "Schema -> column mapping".
  *
  * @param queue queue for the pages of all columns of the file
  * @param pageBytes approximate in-memory size of the values of a page
  * @throws UnsupportedFeatureException for an unsupported type
  */
final private class NestedFieldWriter(
    field: Field,
    version: EncodingVersion,
    area: DataArea,
    queue: PageQueue,
    pageBytes: Long
) extends FieldWriter {
  field.flatten.foreach(NestedFieldWriter.checkField(_, version))
  EncodingOptions.check(field, version)
  private val leaves = LeafPaths.of(field).map(new Leaf(_))
  private val blobs = OutOfLineBlobs.of(field, area)

  def columns: IndexedSeq[ColumnPages] = leaves.map(_.pages)

  def bufferedBytes: Long = leaves.iterator.map(_.writer.bufferedBytes).sum

  def append(values: Column, numRows: Int): Unit = {
    val stored = blobs.fold(values) { b =>
      queue.drain() // so that the file does not depend on the timing of background encoding
      b.write(values)
    }
    leaves.foreach(_.append(stored, numRows))
  }

  def finish(): Unit = leaves.foreach(_.finish())

  /** One column: the buffered rows, and the pages written so far. */
  final private class Leaf(path: IndexedSeq[Field]) {
    private val place = Place(column = Some(LeafPaths.name(path)))
    private val entriesPerRow = LeafColumnWriter.entriesPerRow(path)
    private var inTheMaking: Pending[IndexedSeq[EncodedPage]] = null
    val pages = new ColumnPages(area, path.last.id, ColumnPages.Values)
    val writer: LeafColumnWriter = Place.in(place) {
      val members = if (path.last.isPacked) path.last.children.map(EncodingOptions.of) else Vector()
      val chooser = new EncodingChooser(version, EncodingOptions.ofLeaf(path), members)
      new LeafColumnWriter(path, chooser)
    }

    def append(values: Column, numRows: Int): Unit = Place.in(place) {
      var from = 0
      while (from < numRows) {
        val count = ColumnSize.rowsWithin(values, from, numRows - from, pageBytes / 4)
        writer.append(values, from, count)
        if (writer.bufferedBytes >= pageBytes) flush()
        from += count
      }
    }

    def finish(): Unit = Place.in(place)(flush())

    private def flush(): Unit = {
      if (inTheMaking != null) inTheMaking.await(): Unit // the encoder encodes one page at a time
      inTheMaking = null
      if (writer.numRows > 0) {
        val numBytes = writer.bufferedBytes
        if (queue.claim()) {
          val encode =
            try writer.take()
            catch {
              case e: Throwable =>
                queue.release()
                throw e
            }
          inTheMaking = queue.encodeLater(numBytes, () => Place.in(place)(encode()))(write)
        } else queue.encodeNow(writer.flush())(write)
      }
    }

    private def write(encoded: IndexedSeq[EncodedPage]): Unit =
      encoded.foreach(page => pages.write(page, priority = pages.numRows / entriesPerRow))
  }
}

private object NestedFieldWriter {

  private def checkField(field: Field, version: EncodingVersion): Unit =
    if (field.logicalType == LogicalType.Map && version == EncodingVersion.V2_1)
      throw new UnsupportedFeatureException(
        s"the map '${field.name}' in a data file of version $version; use file version 2.2 or later"
      )
}
