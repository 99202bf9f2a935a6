// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.{AddressSet, IndexFiles}
import io.github.pysparklance.index.text.query.{LeafQuery, MultiMatchQuery, TextQuery}
import io.github.pysparklance.index.text.search._
import io.github.pysparklance.index.text.segment.{TextPartition, TextSegment}

/** Searches partitions of full-text indices in tasks. Scores use the statistics of all partitions.
  * Sent to tasks.
  *
  * @param shards the partitions. Each task searches one
  * @param excluded ids of fragments that are scanned instead
  * @param rows addresses of rows that may be found; `None`: all
  * @param limit number of rows to find for each leaf of the query
  */
final class TextShards private[text] (
    private[text] val shards: IndexedSeq[TextShards.Shard],
    excluded: RoaringBitmap,
    rows: Option[AddressSet],
    private[text] val limit: Int
) extends Serializable {

  /** Number of partitions. */
  def size: Int = shards.length

  /** Searches a partition.
    *
    * @param indices indices of the table version, opened by the task
    * @param i number of the partition
    */
  def search(indices: TextIndices, i: Int): ShardResult = {
    val shard = shards(i)
    val segment = indices.table.indices.find(_.uuid == shard.segment).get
    new ShardResult(indices.readable(segment) {
      val files = indices.filesOf(segment)
      val part = new OpenIndex.Part(segment, TextSegment.cached(files), shard.covered, files)
      val partition = part.open.partitions.find(_.id == shard.partition).get
      val docs = part.documents(indices.masks, indices.elementKeys, partition, excluded, rows)
      shard.leaves.map { leaf =>
        val top = new TopScores(limit)
        docs.foreach(leaf.search(files, partition, _, top))
        top.result()
      }
    })
  }
}

private[text] object TextShards {

  /** A partition of an index.
    *
    * @param segment uuid of its segment
    * @param covered ids of the fragments that the segment is searched for
    * @param leaves leaves of the query on the column of the index
    */
  final case class Shard(
      segment: UUID,
      partition: String,
      covered: RoaringBitmap,
      leaves: IndexedSeq[Leaf]
  )

  /** A leaf of a query.
    *
    * @param number position of the leaf in the query
    * @param statistics statistics of all partitions
    */
  final case class Leaf(number: Int, terms: LeafTerms, statistics: TextStatistics) {
    private[text] def search(
        files: IndexFiles,
        partition: TextPartition,
        docs: SearchedDocuments,
        top: TopScores
    ): Unit = {
      val lists = TermLists.read(files, partition, terms, terms.needsPositions)
      if (lists.mayMatch) {
        val search = new PartitionSearch(docs, new Bm25(statistics), terms.boost, top)
        lists.search(search, statistics.idf, prunes = true)
      }
    }
  }

  /** Returns the partitions of the indices of a query.
    *
    * @param opened the index of each column
    * @param leaves searches of the leaves
    * @param columnOf number of the column of each leaf
    */
  def of(
      opened: IndexedSeq[Option[OpenIndex]],
      leaves: IndexedSeq[LeafSearch],
      columnOf: IndexedSeq[Int]
  ): IndexedSeq[Shard] = for {
    c <- opened.indices
    index <- opened(c).toIndexedSeq
    ofColumn = leaves.indices.filter(columnOf(_) == c)
      .map(l => Leaf(l, leaves(l).terms, leaves(l).statistics))
    part <- index.parts
    partition <- part.open.partitions
  } yield Shard(part.segment.uuid, partition.id, part.covered, ofColumn)
}

/** The rows of a partition.
  *
  * @param found rows for each leaf of the query on its column; `None` if its files cannot be read
  */
final class ShardResult private[text] (private[text] val found: Option[IndexedSeq[ScoredRows]])
    extends Serializable

/** Runs searches of large indices in tasks.
  *
  * @param minDocs minimum number of documents of indices that tasks search
  * @param run searches all partitions in tasks, and returns the results in their order
  */
final case class ShardTasks(minDocs: Long, run: TextShards => IndexedSeq[ShardResult]) {

  /** Whether tasks search the indices. Queries with several parts run on the driver, which combines
    * all rows.
    */
  private[text] def suit(query: TextQuery, opened: IndexedSeq[Option[OpenIndex]]): Boolean = {
    val segments = opened.flatten.flatMap(_.parts).map(_.open)
    val isSimple = query match {
      case _: LeafQuery | _: MultiMatchQuery => true
      case _ => false
    }
    isSimple && segments.iterator.map(_.partitions.length).sum > 1 &&
    segments.iterator.map(_.numDocs).sum >= minDocs
  }

  /** Returns the best rows of each leaf.
    *
    * @param failed receives the ids of segments that cannot be read
    */
  private[text] def apply(
      shards: TextShards,
      numLeaves: Int,
      failed: mutable.Set[UUID]
  ): IndexedSeq[ScoredRows] = {
    val found = shards.shards.zip(run(shards))
    found.foreach { case (shard, result) => if (result.found.isEmpty) failed += shard.segment }
    (0 until numLeaves).map { l =>
      val ofLeaf = for {
        (shard, result) <- found
        ofShard <- result.found.toIndexedSeq
        i = shard.leaves.indexWhere(_.number == l)
        if i >= 0
      } yield ofShard(i)
      ScoredRows.best(ofLeaf, shards.limit)
    }
  }
}
