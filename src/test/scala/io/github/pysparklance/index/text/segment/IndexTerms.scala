// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable

/** The contents of a full-text index.
  *
  * @param terms terms of each row, with their positions
  */
final case class IndexTerms(
    parameters: AnalyzerParameters,
    terms: Map[Long, IndexedSeq[(String, Int)]]
)

object IndexTerms {

  /** Reads the only index of a table, which has positions. */
  def read(path: String): IndexTerms = {
    val table = LanceTable.open(Storage.local, path)
    val found = mutable.HashMap.empty[Long, mutable.ArrayBuffer[(String, Int)]]
    val segments = table.indices.map { s =>
      val files =
        new IndexFiles(table.store, table.indexFolder(s), s.details, s.indexVersion, s.fileSizes)
      val segment = TextSegment.open(files)
      segment.partitions.foreach(read(_, files, found))
      segment
    }
    IndexTerms(
      segments.head.parameters,
      found.iterator.map { case (row, terms) => row -> terms.toIndexedSeq }.toMap
    )
  }

  /** All tokens of a set, ascending by bytes. */
  def tokens(set: TokenSet): IndexedSeq[String] = {
    val found = new java.util.ArrayList[String]
    set.similar(new SimilarWord("", Int.MaxValue, 0), Int.MaxValue, found)
    found.asScala.toIndexedSeq
  }

  /** Reads the terms of all rows of a segment, with their positions, or -1 without positions. */
  def of(files: IndexFiles): Map[Long, IndexedSeq[(String, Int)]] = {
    val found = mutable.HashMap.empty[Long, mutable.ArrayBuffer[(String, Int)]]
    TextSegment.open(files).partitions.foreach(read(_, files, found))
    found.iterator.map { case (row, terms) => row -> terms.toIndexedSeq }.toMap
  }

  private def read(
      partition: TextPartition,
      files: IndexFiles,
      to: mutable.Map[Long, mutable.ArrayBuffer[(String, Int)]]
  ): Unit = {
    val docs = partition.documents(files)
    val found = tokens(partition.tokens)
    assert(found.length == partition.tokens.numTokens)
    val ids = found.map(partition.tokens.id)
    assert(ids.sorted == ids.indices)
    val (block, positions) = (new PostingBlock, new PositionBlock)
    partition.postings(files, ids, partition.hasPositions).zip(found).foreach {
      case (list, token) =>
        (0 until list.numBlocks).foreach { b =>
          list.read(b, block)
          if (list.hasPositions) list.readPositions(b, block, positions)
          (0 until block.size).foreach { i =>
            val ofRow = to.getOrElseUpdate(docs.rows(block.docs(i)), mutable.ArrayBuffer.empty)
            if (list.hasPositions)
              (positions.starts(i) until positions.starts(i + 1)).foreach { at =>
                ofRow += token -> positions.values(at)
              }
            else ofRow ++= Seq.fill(block.frequencies(i))(token -> -1)
          }
        }
    }
    docs.rows.indices.foreach { i =>
      assert(to.get(docs.rows(i)).map(_.length).getOrElse(0) == docs.lengths(i))
    }
  }
}
