// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{IndexFiles, LeafRows}

/** The documents of a partition by their numbers. Immutable.
  *
  * {{{
  *   _rowid: u64, _num_tokens: u32, [_doc_index_0: u32]   position of a list element in its list
  * }}}
  *
  * Source: format page of indices, "Docs".
  *
  * @param rows rows in the form of the segment
  * @param lengths number of tokens of each document
  * @param elements position of each document in the list of its row; null if rows are documents
  */
final private[text] class Documents(
    val rows: Array[Long],
    val lengths: Array[Int],
    val elements: Array[Int] = null
) extends IndexCache.Part {

  def numDocs: Int = rows.length

  /** The distinct upper halves of the rows. If rows are addresses, these are the ids of fragments.
    */
  lazy val uppers: Array[Long] = Documents.uppers(rows)

  /** Lengths, rounded by [[LengthCode]]. */
  lazy val roundedLengths: Array[Int] = lengths.map(l => LengthCode.decode(LengthCode.encode(l)))

  /** Whether the rows ascend. */
  lazy val isAscending: Boolean =
    (1 until numDocs).forall(i => java.lang.Long.compareUnsigned(rows(i - 1), rows(i)) < 0)

  /** Whether a row has several documents without positions in its list, as in lists that early
    * releases indexed.
    */
  lazy val hasRepeatedRows: Boolean = elements == null && !isAscending && {
    val sorted = rows.clone()
    java.util.Arrays.sort(sorted)
    (1 until numDocs).exists(i => sorted(i) == sorted(i - 1))
  }

  def sizeInBytes: Long = (if (elements == null) 16L else 20L) * numDocs + 64L
}

private[text] object Documents {
  private[segment] val rowColumn = "_rowid"
  private[segment] val lengthColumn = "_num_tokens"
  private def elementColumn(depth: Int) = s"_doc_index_$depth"

  /** Whether the documents of a file are elements of lists.
    *
    * @throws UnsupportedFeatureException if they are elements of nested lists
    */
  private[segment] def areElements(file: DescribedFile): Boolean = {
    if (file.schema.field(elementColumn(1)).isDefined)
      throw new UnsupportedFeatureException("a full-text index of the elements of nested lists")
    file.schema.field(elementColumn(0)).isDefined
  }

  /** Reads the documents of a file. */
  private[segment] def read(files: IndexFiles, name: String): Documents = files.use(name) { file =>
    // Starts small, because a damaged file may claim any number of rows.
    val rows = new LongValues
    val lengths = new IntValues
    val elements = new IntValues
    val hasElements = areElements(file)
    val names = Seq(rowColumn, lengthColumn) ++ (if (hasElements) Seq(elementColumn(0)) else Nil)
    IndexFiles.foreachBatch(file, names: _*) { columns =>
      append(columns(0), rows)
      append(columns(1), lengths)
      if (hasElements) append(columns(2), elements)
    }
    new Documents(
      java.util.Arrays.copyOf(rows.array, rows.numItems),
      java.util.Arrays.copyOf(lengths.array, lengths.numItems),
      if (hasElements) java.util.Arrays.copyOf(elements.array, elements.numItems) else null
    )
  }

  private def append(column: Column, to: LongValues): Unit = {
    val from = LeafRows.of(column)
    from.values match {
      case v: LongValues if !from.hasNulls =>
        (0 until from.numRows).foreach(i => to.append(v.array(from.at(i))))
      case _ => notNumbers()
    }
  }

  private def append(column: Column, to: IntValues): Unit = {
    val from = LeafRows.of(column)
    from.values match {
      case v: IntValues if !from.hasNulls =>
        (0 until from.numRows).foreach(i => to.append(v.array(from.at(i))))
      case _ => notNumbers()
    }
  }

  private def notNumbers(): Nothing =
    throw new CorruptFileException("documents of an index are not numbers")

  /** Returns the distinct upper halves of rows. */
  def uppers(rows: Array[Long]): Array[Long] = {
    val found = scala.collection.mutable.HashSet.empty[Long]
    var last = -1L
    rows.foreach { row =>
      if (row >>> 32 != last) {
        last = row >>> 32
        found += last
      }
    }
    found.toArray.sorted
  }
}
