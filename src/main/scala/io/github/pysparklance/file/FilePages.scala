// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import scala.util.Using

import io.github.pysparklance.core.{Field, Place}
import io.github.pysparklance.encoding.PageOutline
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion, Footer, PageMetadata}
import io.github.pysparklance.file.spi.{FilePage, FileTail}
import io.github.pysparklance.file.v0_1.LegacyPages
import io.github.pysparklance.storage.spi.RangeReader

/** Lists the pages of data files of any version, for inspection by users. */
object FilePages {

  /** Lists all pages of a file, by column, usually with one request.
    *
    * @param reader closed by this method
    * @param fields fields of the table at all depths; only used for files of version 0.1
    * @param fieldIds the `fields` of the manifest's `DataFile`
    * @throws io.github.pysparklance.core.CorruptFileException if the file violates the format
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for an unknown file version
    */
  def all(
      reader: RangeReader,
      fields: IndexedSeq[Field],
      fieldIds: IndexedSeq[Int]
  ): IndexedSeq[FilePage] = Using.resource(reader) { _ =>
    FileTail.of(reader) { tail =>
      Footer.version(tail.bytes, tail.fileSize) match {
        case FileVersion.V0_1 => LegacyPages.all(tail, fields, fieldIds)
        case _ =>
          val metadata = DataFileMetadata.read(tail, None)
          (0 until metadata.numColumns).flatMap(i => metadata.column(i).pages.map(of(i, _)))
      }
    }
  }

  private def of(column: Int, page: PageMetadata): FilePage =
    Place.in(Place(column = Some(s"#$column"), page = Some(page.number))) {
      val stored = page.buffers.filter(_.length > 0)
      FilePage(
        column,
        page.number,
        page.firstRow,
        page.numRows,
        stored.map(_.offset).reduceOption(_ min _),
        page.sizeBytes,
        page.buffers.length,
        PageOutline(page.encoding)
      )
    }
}
