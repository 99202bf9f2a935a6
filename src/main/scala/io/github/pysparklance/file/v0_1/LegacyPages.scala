// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.PageOutline
import io.github.pysparklance.encoding.v0_1.{Plain, VarBinary}
import io.github.pysparklance.file.spi.{FilePage, FileTail}

/** Lists the pages of a file of version 0.1, for inspection by users. The page table contains their
  * positions and numbers of values. Their sizes follow from the type, and for strings from their
  * first and last offsets.
  *
  * Source: format page of the legacy format, "Page table".
  */
private[file] object LegacyPages {

  /** Lists the non-empty pages of a file.
    *
    * @param fields fields of the table, at all depths
    * @param fieldIds the `fields` of the manifest's `DataFile`
    */
  def all(
      tail: FileTail,
      fields: IndexedSeq[Field],
      fieldIds: IndexedSeq[Int]
  ): IndexedSeq[FilePage] = {
    val metadata = Metadata.read(tail)
    val present = fieldIds.toSet
    val withPages = fields.filter(f => present(f.id) && encoding(f.logicalType).isDefined)
    val limit = metadata.pageTablePosition
    val table = PageTable.read(
      tail,
      metadata.pageTablePosition,
      metadata.minId(fieldIds),
      withPages.map(_.id),
      metadata.numBatches,
      limit
    )
    withPages.flatMap { field =>
      val cells = (0 until metadata.numBatches).map(table.page(field.id, _))
      val firstRows = cells.scanLeft(0L)((row, cell) => row + rows(field, cell))
      val sizes = sizesBytes(tail, field, cells, limit)
      cells.indices.filter(cells(_).numValues > 0).map { i =>
        FilePage(
          field.id,
          i,
          firstRows(i),
          rows(field, cells(i)),
          Some(cells(i).position),
          sizes(i),
          1,
          PageOutline("batch", encoding(field.logicalType).get)
        )
      }
    }
  }

  /** Returns the name of the encoding in the format; none if such fields have no pages. */
  private def encoding(logicalType: LogicalType): Option[String] = {
    import LogicalType._
    logicalType match {
      case Null | Struct | Map | Blob | FixedSizeList(Struct, _) => None
      case Utf8(_) | Binary(_) | Json => Some("var_binary")
      case _: Dictionary => Some("dictionary")
      case _ => Some("plain")
    }
  }

  /** A list page has one more offset than rows. */
  private def rows(field: Field, page: Page): Long = field.logicalType match {
    case LogicalType.List(_, _) => math.max(0L, page.numValues - 1)
    case _ => page.numValues
  }

  private def sizesBytes(
      tail: FileTail,
      field: Field,
      pages: IndexedSeq[Page],
      limit: Long
  ): IndexedSeq[Long] = {
    val bits: Long = field.logicalType match {
      case LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.Json =>
        VarBinary.offsetBytes * 8L
      case LogicalType.List(large, _) => if (large) 64L else 32L
      case LogicalType.Dictionary(_, LogicalType.Integer(width, _), _) => width.toLong
      case _ => Plain.bitsPerValue(field.valueType)
    }
    val isVarBinary = encoding(field.logicalType).contains("var_binary")
    val own = pages.map { page =>
      val numValues = if (isVarBinary && page.numValues > 0) page.numValues + 1 else page.numValues
      val bytes = Plain.numBytes(bits, numValues)
      CorruptFileException.check(
        bytes <= limit - page.position,
        s"a page of $bytes bytes at ${page.position} exceeds the end of the pages at $limit"
      )
      bytes
    }
    if (isVarBinary) own.zip(dataBytes(tail, pages)).map { case (a, b) => a + b } else own
  }

  /** Returns the size of string and binary values, from their first and last offsets. */
  private def dataBytes(tail: FileTail, pages: IndexedSeq[Page]): IndexedSeq[Long] = {
    def offsets(which: Page => Long): IndexedSeq[Long] = {
      val ranges = pages.map { page =>
        if (page.numValues == 0) ByteRange(0L, 0L)
        else ByteRange(
          page.position + which(page) * VarBinary.offsetBytes,
          VarBinary.offsetBytes.toLong
        )
      }
      tail.read(ranges).map(b => if (b.length == 0) 0L else b.i64(0))
    }
    offsets(_ => 0L).zip(offsets(_.numValues)).map { case (first, last) =>
      CorruptFileException.check(
        first >= 0 && first <= last,
        s"the values end at $last, before their start at $first"
      )
      last - first
    }
  }
}
