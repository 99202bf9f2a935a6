// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{IndexFiles, LeafRows}

/** The documents of a partition by their numbers. Immutable.
  *
  * Source: format page of indices, "Docs".
  *
  * @param rows rows in the form of the segment
  * @param lengths number of tokens of each document
  */
final private[text] class Documents(val rows: Array[Long], val lengths: Array[Int])
    extends IndexCache.Part {

  def numDocs: Int = rows.length

  /** The distinct upper halves of the rows. If rows are addresses, these are the ids of fragments. */
  lazy val uppers: Array[Long] = Documents.uppers(rows)

  /** Lengths, rounded by [[LengthCode]]. */
  lazy val roundedLengths: Array[Int] = lengths.map(l => LengthCode.decode(LengthCode.encode(l)))

  /** Whether the rows ascend. */
  lazy val isAscending: Boolean =
    (1 until numDocs).forall(i => java.lang.Long.compareUnsigned(rows(i - 1), rows(i)) < 0)

  /** Whether a row has several documents, as in lists that early releases indexed. */
  lazy val hasRepeatedRows: Boolean = !isAscending && {
    val sorted = rows.clone()
    java.util.Arrays.sort(sorted)
    (1 until numDocs).exists(i => sorted(i) == sorted(i - 1))
  }

  def sizeInBytes: Long = 16L * numDocs + 64L
}

private[text] object Documents {
  private[segment] val rowColumn = "_rowid"
  private[segment] val lengthColumn = "_num_tokens"

  /** Reads the documents of a file. */
  private[segment] def read(files: IndexFiles, name: String): Documents = files.use(name) { file =>
    // Starts small, because a damaged file may claim any number of rows.
    val rows = new LongValues
    val lengths = new IntValues
    IndexFiles.foreachBatch(file, rowColumn, lengthColumn) { columns =>
      val (ids, counts) = (LeafRows.of(columns(0)), LeafRows.of(columns(1)))
      (ids.values, counts.values) match {
        case (r: LongValues, l: IntValues) if !ids.hasNulls && !counts.hasNulls =>
          (0 until ids.numRows).foreach { i =>
            rows.append(r.array(ids.at(i)))
            lengths.append(l.array(counts.at(i)))
          }
        case _ => throw new CorruptFileException("documents of an index are not numbers")
      }
    }
    new Documents(
      java.util.Arrays.copyOf(rows.array, rows.numItems),
      java.util.Arrays.copyOf(lengths.array, lengths.numItems)
    )
  }

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
