// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Comparator}

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.{IndexFiles, LeafRows}

/** The tokens of a partition. The id of a token is the row of its posting list. Immutable.
  *
  * {{{
  *   arrow   _token: utf8, _token_id: u32            a row per token, ascending by bytes
  *   fst     _token_fst_bytes: large_binary          one row, see Fst
  * }}}
  *
  * Source: format page of indices, "Token sets".
  */
private[text] trait TokenSet {

  def numTokens: Int

  /** Returns the id of a token, or -1 if the partition does not have it. */
  def id(token: String): Int

  /** Iterates over the UTF-8 bytes of all tokens in ascending order, with their ids.
    *
    * @throws CorruptFileException while iterating, if the tokens are damaged
    */
  def all: Iterator[(Array[Byte], Int)]

  /** Adds the first similar tokens of a word, ascending by bytes.
    *
    * @param limit maximum number of tokens to add
    */
  def similar(to: SimilarWord, limit: Int, found: java.util.Collection[String]): Unit

  /** Approximate memory in bytes. */
  def sizeInBytes: Long
}

private[text] object TokenSet {

  /** Orders strings by their UTF-8 bytes. */
  val byBytes: Comparator[String] =
    (a: String, b: String) => Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8))

  /** Reads the tokens of a partition.
    *
    * @param isFst whether they are stored as a finite state transducer
    */
  private[segment] def read(files: IndexFiles, name: String, isFst: Boolean): TokenSet =
    files.use(name) { file =>
      if (isFst) {
        var fst = Option.empty[Fst]
        IndexFiles.foreachBatch(file, "_token_fst_bytes") { columns =>
          LeafRows.of(columns(0)).values match {
            case bytes: BinaryValues if fst.isEmpty && bytes.numItems == 1 =>
              fst = Some(Fst(Arrays.copyOf(bytes.bytes, bytes.numBytes)))
            case _ => throw new CorruptFileException("a token set is not one binary value")
          }
        }
        fst.getOrElse(throw new CorruptFileException("a token set has no row"))
      } else readTokens(file)
    }

  private def readTokens(file: io.github.pysparklance.file.DescribedFile): TokenSet = {
    val tokens = new BinaryValues
    val ids = new IntValues
    IndexFiles.foreachBatch(file, "_token", "_token_id") { columns =>
      val batch = LeafRows.of(columns(0))
      val numbers = LeafRows.of(columns(1))
      CorruptFileException.check(
        !batch.hasNulls && !numbers.hasNulls,
        "nulls among the tokens of an index"
      )
      (batch.values, numbers.values) match {
        case (texts: BinaryValues, values: IntValues) =>
          (0 until batch.numRows).foreach { i =>
            tokens.appendFrom(texts, batch.at(i), 1)
            ids.append(values.array(numbers.at(i)))
          }
        case _ => throw new CorruptFileException("tokens of an index that are not strings")
      }
    }
    new SortedTokens(tokens, ids)
  }
}

/** Tokens in ascending order. */
final private class SortedTokens(tokens: BinaryValues, ids: IntValues) extends TokenSet {
  val numTokens: Int = tokens.numItems

  CorruptFileException.check(
    (0 until numTokens).forall(ids.array(_) >= 0),
    "a token of an index has no valid id"
  )
  (1 until numTokens).foreach { i =>
    CorruptFileException.check(
      compare(i - 1, bytesOf(i)) < 0,
      "the tokens of an index are not in ascending order"
    )
  }

  def all: Iterator[(Array[Byte], Int)] =
    (0 until numTokens).iterator.map(i => bytesOf(i) -> ids.array(i))

  private def bytesOf(i: Int): Array[Byte] =
    Arrays.copyOfRange(tokens.bytes, tokens.offsets(i), tokens.offsets(i + 1))

  private def compare(i: Int, key: Array[Byte]): Int = Arrays.compareUnsigned(
    tokens.bytes,
    tokens.offsets(i),
    tokens.offsets(i + 1),
    key,
    0,
    key.length
  )

  def id(token: String): Int = {
    val key = token.getBytes(UTF_8)
    val at = firstFrom(key)
    if (at < numTokens && compare(at, key) == 0) ids.array(at) else -1
  }

  /** Returns the position of the first token that is not less than a key. */
  private def firstFrom(key: Array[Byte]): Int = {
    var low = 0
    var high = numTokens
    while (low < high) {
      val mid = (low + high) >>> 1
      if (compare(mid, key) < 0) low = mid + 1 else high = mid
    }
    low
  }

  def similar(to: SimilarWord, limit: Int, found: java.util.Collection[String]): Unit = {
    val prefix = to.prefix.getBytes(UTF_8)
    var at = firstFrom(prefix)
    var left = limit
    while (left > 0 && at < numTokens && startsWith(at, prefix)) {
      val from = tokens.offsets(at)
      val token = new String(tokens.bytes, from, tokens.offsets(at + 1) - from, UTF_8)
      if (to.accepts(token)) {
        found.add(token)
        left -= 1
      }
      at += 1
    }
  }

  private def startsWith(i: Int, prefix: Array[Byte]): Boolean = {
    val from = tokens.offsets(i)
    tokens.offsets(i + 1) - from >= prefix.length &&
    Arrays.equals(tokens.bytes, from, from + prefix.length, prefix, 0, prefix.length)
  }

  def sizeInBytes: Long = tokens.bytes.length + 4L * (tokens.offsets.length + ids.array.length)
}
