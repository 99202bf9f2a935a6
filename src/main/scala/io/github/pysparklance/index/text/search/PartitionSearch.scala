// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.index.text.segment.{Impacts, PostingBlock, PostingList}
import io.github.pysparklance.index.vector.search.RowMask

/** The documents of a partition that a search may find.
  *
  * @param rows rows of the documents, in the form of masks and results
  * @param keys keys of the documents in results: their rows, or numbers of list elements
  * @param lengths number of tokens of each document, rounded if the partition rounds them
  * @param exactLengths number of tokens of each document
  * @param isAscending whether the keys ascend
  */
final private[text] class SearchedDocuments(
    val rows: Array[Long],
    val keys: Array[Long],
    val lengths: Array[Int],
    val exactLengths: Array[Int],
    val isAscending: Boolean,
    val mask: RowMask
) {
  def numDocs: Int = rows.length

  /** Lower bound of the keys of this document and all later ones. */
  def firstKey(doc: Int): Long = if (isAscending && doc < keys.length) keys(doc) else 0L
}

/** A term of a query in a partition.
  *
  * @param weight idf of the term, times the number of its occurrences in the query
  */
final private[text] case class WeightedTerm(list: PostingList, weight: Float)

/** Finds documents in a partition. Not thread-safe. Hot code: imperative.
  *
  * @param boost factor of scores
  */
final private[text] class PartitionSearch(
    docs: SearchedDocuments,
    bm25: Bm25,
    boost: Float,
    sink: ScoreSink
) {
  import PartitionSearch._

  private def least(doc: Int): Float = sink.least(docs.firstKey(doc))

  private def normOf(doc: Int): Float = bm25.norm(docs.lengths(doc))

  private def offer(doc: Int, score: Float): Unit =
    if (docs.mask.accepts(docs.rows(doc))) sink.offer(docs.keys(doc), score)

  /** Finds documents with any of the terms, skipping blocks without a competitive score.
    *
    * A window of documents is covered by one block of each list. Only lists whose bounds are
    * competitive together provide candidates. The other lists are advanced to the candidates.
    *
    * Source: Mallia et al., "Faster BlockMax WAND with Variable-sized Blocks"; Turtle and Flood,
    * "Query Evaluation: Strategies and Optimizations" (MaxScore).
    */
  def any(terms: IndexedSeq[WeightedTerm]): Unit =
    if (terms.length == 1) one(terms.head) else anyOf(terms)

  /** Finds documents with a term. Skips groups of blocks, then blocks, then documents. */
  private def one(term: WeightedTerm): Unit = {
    val list = term.list
    val weight = term.weight * boost
    // Bounds are exact: the score is computed in the same way.
    def isPossible(factor: Float, least: Float): Boolean = weight * factor >= least
    val impacts = list.impacts.map(_.bounds(bm25)).orNull
    val block = new PostingBlock
    var b = 0
    while (b < list.numBlocks) {
      val least = this.least(list.firstDoc(b))
      val group = b / Impacts.groupBlocks
      val isBounded = least > Float.NegativeInfinity && impacts != null
      if (
        isBounded && b == group * Impacts.groupBlocks &&
        !isPossible(impacts.ofGroup(group, list.numBlocks, bm25), least)
      ) b += Impacts.groupBlocks
      else {
        if (!isBounded || isPossible(impacts.ofBlock(b, bm25), least)) {
          list.read(b, block)
          offerAll(block, weight, least)
        }
        b += 1
      }
    }
  }

  /** Offers the documents of a block with a competitive score. */
  private def offerAll(block: PostingBlock, weight: Float, leastBefore: Float): Unit = {
    var least = leastBefore
    var i = 0
    while (i < block.size) {
      val doc = block.docs(i)
      val score = weight * Bm25.factor(block.frequencies(i), normOf(doc))
      if (score >= least) {
        offer(doc, score)
        least = this.least(doc)
      }
      i += 1
    }
  }

  private def anyOf(terms: IndexedSeq[WeightedTerm]): Unit = {
    val cursors = cursorsOf(terms)
    val window = new Window(cursors)
    var doc = 0
    while (doc < docs.numDocs) {
      window.start(doc)
      if (window.total >= least(doc)) searchWindow(window, doc)
      doc = math.min(window.end, docs.numDocs)
    }
  }

  private def searchWindow(window: Window, from: Int): Unit = {
    val cursors = window.cursors
    val byBound = window.byBound
    var least = this.least(from)
    // Starts with the lists that cannot make a document competitive on their own.
    var numOptional = 0
    var optional = 0.0
    while (
      numOptional < byBound.length &&
      !isCompetitive(optional + window.bounds(byBound(numOptional)), least)
    ) {
      optional += window.bounds(byBound(numOptional))
      numOptional += 1
    }
    var candidate = PostingCursor.end
    var i = numOptional
    while (i < byBound.length) {
      candidate = math.min(candidate, cursors(byBound(i)).advance(from))
      i += 1
    }
    while (candidate < window.end) {
      val norm = normOf(candidate)
      var partial = 0.0
      i = numOptional
      while (i < byBound.length) {
        val cursor = cursors(byBound(i))
        if (cursor.doc == candidate) partial += cursor.score(norm)
        i += 1
      }
      var rest = optional
      i = numOptional - 1
      while (i >= 0 && isCompetitive(partial + rest, least)) {
        val cursor = cursors(byBound(i))
        rest -= window.bounds(byBound(i))
        if (cursor.advance(candidate) == candidate) partial += cursor.score(norm)
        i -= 1
      }
      if (isCompetitive(partial, least)) {
        offer(candidate, total(cursors, candidate, norm))
        least = this.least(candidate)
      }
      val done = candidate
      candidate = PostingCursor.end
      i = numOptional
      while (i < byBound.length) {
        val cursor = cursors(byBound(i))
        if (cursor.doc == done) cursor.advance(done + 1): Unit
        candidate = math.min(candidate, cursor.doc)
        i += 1
      }
    }
  }

  /** Adds scores in the order of the terms, so that equal documents have equal scores. */
  private def total(cursors: Array[PostingCursor], doc: Int, norm: Float): Float = {
    var sum = 0f
    var i = 0
    while (i < cursors.length) {
      if (cursors(i).doc == doc) sum += cursors(i).score(norm)
      i += 1
    }
    sum
  }

  /** Finds documents with all of the terms.
    *
    * @param phrase phrase to match; `None` if positions do not matter
    */
  def all(terms: IndexedSeq[WeightedTerm], phrase: Option[PhraseMatch]): Unit = {
    val cursors = cursorsOf(terms)
    val bySize = cursors.sortBy(_.list.numDocs)
    val lead = bySize(0)
    val leadNumber = cursors.indexOf(lead)
    val window = new Window(cursors)
    var doc = lead.advance(0)
    // May be lower than the lowest score that is kept, until a window starts or a document is
    // found.
    var least = Float.NegativeInfinity
    while (doc != PostingCursor.end) {
      if (doc >= window.end) {
        least = this.least(doc)
        if (least > Float.NegativeInfinity) window.bound(doc)
      }
      val isBounded = doc < window.end
      if (isBounded && window.total < least) doc = lead.advance(window.end)
      else {
        // Reads the length only if it may exclude the document. With more terms, one is often
        // missing.
        val rest = if (cursors.length == 2) window.bounds(1 - leadNumber).toDouble else 0.0
        val isPossible = !isBounded || cursors.length > 2 || rest >= least ||
          isCompetitive(rest + lead.score(normOf(doc)), least)
        var target = if (isPossible) doc else doc + 1
        var i = 1
        while (i < bySize.length && target == doc) {
          target = bySize(i).advance(doc)
          i += 1
        }
        if (target == doc) {
          val score = total(cursors, doc, normOf(doc))
          if (
            score >= least && docs.mask.accepts(docs.rows(doc)) &&
            phrase.forall(_(cursors, doc))
          ) {
            sink.offer(docs.keys(doc), score)
            least = this.least(doc)
          }
          target = doc + 1
        }
        doc = lead.advance(target)
      }
    }
  }

  /** Finds documents with a term of each group. Reads all lists.
    *
    * @param groups numbers of the terms of each group
    * @param phrase phrase to match; `None` if positions do not matter
    */
  def groups(
      terms: IndexedSeq[WeightedTerm],
      groups: IndexedSeq[IndexedSeq[Int]],
      phrase: Option[PhraseMatch]
  ): Unit = {
    val scores = new Array[Float](docs.numDocs)
    // Number of leading groups that a document matches.
    val found = new Array[Int](docs.numDocs)
    val block = new PostingBlock
    val isScored = new Array[Boolean](terms.length)
    groups.indices.foreach { g =>
      groups(g).foreach { t =>
        add(terms(t), g, isScored(t), block, scores, found)
        isScored(t) = true
      }
    }
    val cursors = phrase.fold(Array.empty[PostingCursor])(_ => cursorsOf(terms))
    var doc = 0
    while (doc < scores.length) {
      if (found(doc) == groups.length && phrase.forall(hasPhrase(_, cursors, doc)))
        offer(doc, scores(doc))
      doc += 1
    }
  }

  private def hasPhrase(phrase: PhraseMatch, cursors: Array[PostingCursor], doc: Int): Boolean = {
    cursors.foreach(_.advance(doc))
    phrase(cursors, doc)
  }

  private def cursorsOf(terms: IndexedSeq[WeightedTerm]): Array[PostingCursor] =
    terms.map(t => new PostingCursor(t.list, t.weight * boost, bm25)).toArray

  /** @param isScored whether the scores of the term were added before */
  private def add(
      term: WeightedTerm,
      group: Int,
      isScored: Boolean,
      block: PostingBlock,
      scores: Array[Float],
      found: Array[Int]
  ): Unit = {
    val weight = term.weight * boost
    var b = 0
    while (b < term.list.numBlocks) {
      term.list.read(b, block)
      var i = 0
      while (i < block.size) {
        val doc = block.docs(i)
        if (!isScored)
          scores(doc) += weight * Bm25.factor(block.frequencies(i), normOf(doc))
        if (found(doc) == group) found(doc) = group + 1
        i += 1
      }
      b += 1
    }
  }
}

private[text] object PartitionSearch {

  /** Compensates rounding, because bounds are computed in another order than scores. */
  private val roundingError = 1.00001

  private def isCompetitive(bound: Double, least: Float): Boolean = bound * roundingError >= least
}
