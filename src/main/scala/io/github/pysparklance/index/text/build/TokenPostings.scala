// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.segment.{PostingList, TextPartition}

/** Iterates over the tokens of a partition in ascending order, with their posting lists. Reads the
  * lists of many tokens together if they are short. Not thread-safe.
  */
final private[build] class TokenPostings(
    files: IndexFiles,
    partition: TextPartition,
    withPositions: Boolean
) {
  import TokenPostings._

  private val tokens = partition.tokens.all
  private val numDocs = partition.numDocsOfTokens(files)
  private var read: Iterator[(Array[Byte], PostingList)] = Iterator.empty
  private var current: (Array[Byte], PostingList) = null
  next()

  /** Whether all tokens were read. */
  def isAtEnd: Boolean = current == null

  /** The current token. */
  def token: Array[Byte] = current._1

  def list: PostingList = current._2

  /** Moves to the next token. */
  def next(): Unit = {
    if (!read.hasNext) load()
    current = if (read.hasNext) read.next() else null
  }

  private def load(): Unit = {
    val batch = IndexedSeq.newBuilder[(Array[Byte], Int)]
    var size = 0
    var postings = 0L
    while (tokens.hasNext && size < maxTokens && (size == 0 || postings < maxPostings)) {
      val (token, id) = tokens.next()
      CorruptFileException.check(
        id < numDocs.length && numDocs(id) >= 0,
        s"there are ${numDocs.length} posting lists, and none for the token $id"
      )
      batch += token -> id
      size += 1
      postings += numDocs(id)
    }
    val found = batch.result()
    read = found.iterator.map(_._1).zip(
      if (found.isEmpty) Iterator.empty
      else partition.postings(files, found.map(_._2), withPositions).iterator
    )
  }
}

private object TokenPostings {

  /** Maximum number of tokens whose posting lists are read together. */
  private val maxTokens = 4096

  /** Maximum total length of these lists, which take a few bytes for each document. */
  private val maxPostings = 1L << 20
}
