// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.util.Arrays

import io.github.pysparklance.core.{IntValues, LongValues}
import io.github.pysparklance.index.spi.{IndexFiles, NewSegment, RowTransfer}
import io.github.pysparklance.index.text.segment._

/** Merges the documents of several partitions into one. Keeps the documents, and the posting lists
  * of a few tokens, in memory. Not thread-safe. Hot code: imperative.
  *
  * @param sources partitions, with their files and the rows to keep
  */
final private[build] class PartitionMerge(
    sources: IndexedSeq[(IndexFiles, TextPartition, RowTransfer)],
    format: SegmentFormat
) {
  private val rows = new LongValues
  private val lengths = new IntValues
  private val elements = new IntValues

  /** For each source, the number of each document in the new partition, or -1. */
  private val numbers: IndexedSeq[Array[Int]] = sources.map { case (files, partition, transfer) =>
    val docs = partition.documents(files)
    Array.tabulate(docs.numDocs) { i =>
      val row = transfer(docs.rows(i))
      // Early releases also store rows without tokens.
      if (row == RowTransfer.none || docs.lengths(i) == 0 && !format.hasElements) -1
      else {
        rows.append(row)
        lengths.append(docs.lengths(i))
        if (format.hasElements) elements.append(docs.elements(i))
        rows.numItems - 1
      }
    }
  }

  /** Whether no document is kept. */
  def isEmpty: Boolean = rows.numItems == 0

  /** Writes the partition. */
  def write(into: NewSegment, id: Long): Unit =
    PartitionWriter.writeAll(
      into,
      id,
      format,
      new NewDocuments(rows, lengths, elements)
    )(addTokens(_))

  private def addTokens(writer: PartitionWriter): Unit = {
    val heads = sources.map { case (files, partition, _) =>
      new TokenPostings(files, partition, format.hasPositions)
    }
    val term = new TermDocs
    var token = least(heads)
    while (token != null) {
      term.clear()
      heads.indices.foreach { source =>
        val head = heads(source)
        if (!head.isAtEnd && Arrays.equals(head.token, token)) {
          append(head.list, numbers(source), term)
          head.next()
        }
      }
      if (term.docs.numItems > 0) writer.add(token, term)
      token = least(heads)
    }
  }

  private def least(heads: IndexedSeq[TokenPostings]): Array[Byte] = {
    var found: Array[Byte] = null
    heads.foreach { head =>
      if (!head.isAtEnd && (found == null || Arrays.compareUnsigned(head.token, found) < 0))
        found = head.token
    }
    found
  }

  private val block = new PostingBlock
  private val positions = new PositionBlock

  private def append(list: PostingList, numbers: Array[Int], to: TermDocs): Unit = {
    var b = 0
    while (b < list.numBlocks) {
      list.read(b, block)
      if (format.hasPositions) list.readPositions(b, block, positions)
      var i = 0
      while (i < block.size) {
        val doc = numbers(block.docs(i))
        if (doc >= 0) {
          to.docs.append(doc)
          to.frequencies.append(block.frequencies(i))
          if (format.hasPositions) {
            var at = positions.starts(i)
            while (at < positions.starts(i + 1)) {
              to.positions.append(positions.values(at))
              at += 1
            }
          }
        }
        i += 1
      }
      b += 1
    }
  }
}
