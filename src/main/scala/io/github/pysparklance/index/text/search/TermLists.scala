// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.segment.{PostingBlock, PostingList, TextPartition}

/** The posting lists of the terms of a query in a partition.
  *
  * @param lists without the terms that the partition does not have; empty if no document matches
  */
final private[text] class TermLists(terms: LeafTerms, val lists: Map[String, PostingList]) {
  import TermLists._

  /** Whether a document may match. */
  def mayMatch: Boolean = terms.mayMatch(lists.contains)

  /** Number of documents with each term of [[lists]]. */
  def numDocs: Map[String, Long] = lists.map { case (term, list) => term -> list.numDocs.toLong }

  /** Maximum number of documents that match. */
  def maxDocs: Long = terms.maxDocs(lists.get(_).fold(0L)(_.numDocs.toLong))

  /** Returns the numbers of the documents with any or all of the terms, in any order. */
  def docs: RoaringBitmap =
    if (!mayMatch) new RoaringBitmap
    else {
      val block = new PostingBlock
      val ofGroups = terms.groups.map { group =>
        val found = new RoaringBitmap
        group.terms.flatMap(lists.get(_)).foreach { list =>
          var b = 0
          while (b < list.numBlocks) {
            list.readDocs(b, block)
            found.addN(block.docs, 0, block.size)
            b += 1
          }
        }
        found
      }
      ofGroups.reduce { (a, b) =>
        if (terms.needsAll) a.and(b) else a.or(b)
        a
      }
    }

  /** Searches the partition.
    *
    * @param idf weight of a term
    * @param prunes whether only documents with the highest scores are wanted
    */
  def search(partition: PartitionSearch, idf: String => Float, prunes: Boolean): Unit = {
    val present = terms.terms.indices.filter(i => lists.contains(terms.terms(i)))
    val numberOf = present.map(terms.terms).zipWithIndex.toMap.withDefaultValue(-1)
    val weighted = present.map { i =>
      val term = terms.terms(i)
      WeightedTerm(lists(term), idf(term) * terms.counts(i))
    }
    val groups = terms.groups.map(_.terms.map(numberOf).filter(_ >= 0))
    val phrase = Optional.when(terms.needsPositions)(
      new PhraseMatch(
        groups.map(_.toArray).toArray,
        terms.groups.map(_.position).toArray,
        terms.slop.get
      )
    )
    if (terms.needsAll && terms.groups.forall(_.terms.length == 1)) partition.all(weighted, phrase)
    else if (terms.needsAll) partition.groups(weighted, groups, phrase)
    else if (prunes && weighted.length <= maxCursors && weighted.forall(_.list.impacts.isDefined))
      partition.any(weighted)
    else partition.groups(weighted, IndexedSeq(weighted.indices), None)
  }
}

private[text] object TermLists {

  /** Maximum number of posting lists to iterate over together. */
  private val maxCursors = 16

  /** Returns the number of documents with each term that a partition contains. Reads no posting
    * lists.
    */
  def numDocs(
      files: IndexFiles,
      partition: TextPartition,
      terms: IndexedSeq[String]
  ): Map[String, Long] = {
    val ids = idsOf(partition, terms)
    val counts = partition.numDocsOf(files, ids.map(_._2))
    ids.map(_._1).zip(counts.map(_.toLong)).toMap
  }

  /** The terms that a partition has, with the ids of their tokens. */
  private def idsOf(
      partition: TextPartition,
      terms: IndexedSeq[String]
  ): IndexedSeq[(String, Int)] =
    terms.map(term => term -> partition.tokens.id(term)).filter(_._2 >= 0)

  /** Reads the posting lists of a partition. Reads none if the partition lacks a term that
    * documents need.
    */
  def read(
      files: IndexFiles,
      partition: TextPartition,
      terms: LeafTerms,
      withPositions: Boolean
  ): TermLists = {
    val ids = idsOf(partition, terms.terms)
    val present = ids.map(_._1)
    if (!terms.mayMatch(present.contains)) new TermLists(terms, Map.empty)
    else {
      val lists = partition.postings(files, ids.map(_._2), withPositions)
      new TermLists(terms, present.zip(lists).filter(_._2.numDocs > 0).toMap)
    }
  }
}
