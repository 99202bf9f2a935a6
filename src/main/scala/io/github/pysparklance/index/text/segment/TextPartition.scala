// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.index.spi.IndexFiles

/** A part of a segment with its own documents, tokens, and posting lists. Immutable. */
private[text] trait TextPartition {

  /** Identifies the partition within its segment. */
  def id: String

  def tokens: TokenSet

  /** Number of documents. */
  def numDocs: Int

  /** Number of tokens of all documents. */
  def totalTokens: Long

  /** Whether posting lists have positions. */
  def hasPositions: Boolean

  /** Whether documents are elements of lists instead of rows. */
  def hasElements: Boolean

  /** Whether scores use lengths that [[LengthCode]] rounds. */
  def roundsLengths: Boolean

  /** Returns the documents from the cache, or reads them. */
  def documents(files: IndexFiles): Documents

  /** Returns the number of documents that have tokens. Reads no posting lists.
    *
    * @param ids of the tokens
    */
  def numDocsOf(files: IndexFiles, ids: IndexedSeq[Int]): IndexedSeq[Int]

  /** Returns the number of documents that have each token, by the id of the token. */
  def numDocsOfTokens(files: IndexFiles): Array[Int]

  /** Returns posting lists from the cache. Reads the missing ones together.
    *
    * @param ids ids of the tokens
    * @param withPositions whether to read positions
    * @return in the order of `ids`
    */
  def postings(
      files: IndexFiles,
      ids: IndexedSeq[Int],
      withPositions: Boolean
  ): IndexedSeq[PostingList]

  /** Approximate memory in bytes, without the documents and posting lists. */
  def sizeInBytes: Long
}
