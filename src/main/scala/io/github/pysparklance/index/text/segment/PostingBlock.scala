// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core.CorruptFileException

/** The documents of a posting block in ascending order, with their frequencies. Reused for many
  * blocks. Hot code: arrays are public.
  */
final private[text] class PostingBlock {
  val docs: Array[Int] = new Array[Int](PostingBlock.maxDocs)
  val frequencies: Array[Int] = new Array[Int](PostingBlock.maxDocs)

  /** Number of documents. */
  var size: Int = 0

  /** Where the frequencies of the block are; -1 if they are read. */
  private[text] var frequenciesAt: Int = -1
}

private[text] object PostingBlock {

  /** Maximum number of documents in a block. */
  val maxDocs: Int = 256
}

/** Positions in the documents of a block: document `i` has `values[starts(i), starts(i + 1))`,
  * ascending.
  */
final private[text] class PositionBlock {
  val starts: Array[Int] = new Array[Int](PostingBlock.maxDocs + 1)
  var values: Array[Int] = new Array[Int](PostingBlock.maxDocs)

  /** Prepares for the positions of a block.
    *
    * @param maxPositions maximum number of positions in the bytes of the block
    * @throws CorruptFileException if the frequencies exceed it, before memory is allocated
    */
  def reset(block: PostingBlock, maxPositions: Long): Unit = {
    var total = 0L
    var i = 0
    while (i < block.size) {
      starts(i) = total.toInt
      total += block.frequencies(i) & 0xffffffffL
      CorruptFileException.check(
        total <= math.min(maxPositions, PositionBlock.maxPositions),
        s"a posting block with $total positions"
      )
      i += 1
    }
    starts(block.size) = total.toInt
    if (values.length < total) values = new Array[Int](math.max(total.toInt, 2 * values.length))
  }
}

private object PositionBlock {

  /** Maximum number of positions of a block, whose memory is allocated before they are read. */
  private val maxPositions = 1L << 26
}
