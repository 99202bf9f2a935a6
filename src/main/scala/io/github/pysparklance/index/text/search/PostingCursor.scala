// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.index.text.segment.{PositionBlock, PostingBlock, PostingList}

/** Iterates over the documents of a posting list in ascending order. Skips blocks without reading
  * them. Not thread-safe. Hot code: imperative.
  *
  * @param weight factor of scores
  */
final private[search] class PostingCursor(
    val list: PostingList,
    val weight: Float,
    bm25: Bm25
) {
  import PostingCursor._

  private val block = new PostingBlock
  private val numBlocks = list.numBlocks
  private var loaded = -1
  private var at = 0

  /** The document at the cursor: -1 before the first, [[PostingCursor.end]] after the last. */
  var doc: Int = -1

  /** Frequency of the term in the document. */
  def frequency: Int = {
    if (block.frequenciesAt >= 0) list.readFrequencies(loaded, block)
    block.frequencies(at)
  }

  /** Score of the term in the document.
    *
    * @param norm length norm of the document
    */
  def score(norm: Float): Float = weight * Bm25.factor(frequency, norm)

  /** Moves to the first document at or after `target`. Does not move back. */
  def advance(target: Int): Int = {
    if (doc < target) {
      if (loaded < 0 || target > block.docs(block.size - 1)) moveToBlock(target)
      if (doc != end) {
        seek(target)
        doc = block.docs(at)
      }
    }
    doc
  }

  /** Moves to the first document at or after `target` in the block, which contains one. */
  private def seek(target: Int): Unit = {
    val docs = block.docs
    var i = at
    while (i + stride < block.size && docs(i + stride) < target) i += stride
    while (docs(i) < target) i += 1
    at = i
  }

  /** Loads the block with the first document at or after `target`. */
  private def moveToBlock(target: Int): Unit = {
    load(lastBlockFrom(math.max(loaded, 0), target))
    if (doc != end && block.docs(block.size - 1) < target) load(loaded + 1)
  }

  private def load(next: Int): Unit =
    if (next >= numBlocks) doc = end
    else if (next != loaded) {
      list.readDocs(next, block)
      loaded = next
      at = 0
    }

  /** Returns the last block whose first document is not greater than `target`, or `from`. */
  private def lastBlockFrom(from: Int, target: Int): Int = {
    var step = 1
    var low = from
    while (low + step < numBlocks && list.firstDoc(low + step) <= target) {
      low += step
      step <<= 1
    }
    var high = math.min(low + step, numBlocks)
    while (low + 1 < high) {
      val mid = (low + high) >>> 1
      if (list.firstDoc(mid) <= target) low = mid else high = mid
    }
    low
  }

  private val impacts = list.impacts.map(_.bounds(bm25)).orNull
  private var shallow = 0

  /** Moves the block of [[bound]] to the block of a document, without reading it. Does not move
    * back.
    */
  def moveBound(target: Int): Unit =
    if (shallow + 1 < numBlocks && list.firstDoc(shallow + 1) <= target)
      shallow = lastBlockFrom(shallow, target)

  /** The first document after the block of [[bound]]. */
  def boundEnd: Int = if (shallow + 1 < numBlocks) list.firstDoc(shallow + 1) else end

  /** Upper bound of the scores in a block. */
  def bound: Float =
    weight * (if (impacts == null) Bm25.maxFactor else impacts.ofBlock(shallow, bm25))

  private var positionBlock: PositionBlock = null
  private var positionsLoaded = -1

  /** Number of the document within [[positions]]. */
  def entry: Int = at

  /** Positions in the documents of the block at the cursor. */
  def positions: PositionBlock = {
    if (positionBlock == null) positionBlock = new PositionBlock
    if (positionsLoaded != loaded) {
      list.readPositions(loaded, block, positionBlock)
      positionsLoaded = loaded
    }
    positionBlock
  }
}

private[search] object PostingCursor {

  /** The position after the last document. */
  val end: Int = Int.MaxValue

  /** Documents of a block that are skipped together. */
  private val stride = 8
}
