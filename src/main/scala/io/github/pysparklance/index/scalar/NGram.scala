// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** The rows of each three characters that follow each other in a string. Strings are lower-cased and folded to ASCII
  * before; what contains another character than `0` to `9` and `a` to `z` is left out.
  *
  * {{{
  *   ngram_postings.lance   tokens: u32, posting_list: binary        ascending; a treemap for each token
  *   token = c0 * 37 * 37 + c1 * 37 + c2        0..9 -> 1..10, a..z -> 11..36
  * }}}
  *
  * Source: format page of indices, "N-gram".
  */
object NGram extends ScalarIndexKind {
  def name: String = "NGRAM"
  def detailsType: String = "lance.table.NGramIndexDetails"
  def newestVersion: Int = 0

  private val fileName = "ngram_postings.lance"
  private val numCharacters = 37
  private val gramLength = 3

  def open(files: IndexFiles): ScalarSegment = files.use(fileName) { file =>
    val tokens = Array.newBuilder[Int]
    IndexFiles.foreachBatch(file, "tokens") { columns =>
      val numbers = Numbers.of(columns(0))
      tokens ++= (0 until columns(0).numRows).map(i => numbers(i).toInt)
    }
    new Segment(tokens.result())
  }

  /** The tokens of a string that every string with it has. Other characters than those of ASCII are taken for ones that
    * are left out, as folding them depends on the writer.
    */
  private[scalar] def tokens(text: String): Seq[Int] = {
    val codes = text.map(code)
    codes.sliding(gramLength).filter(gram => gram.length == gramLength && !gram.contains(0)).map {
      gram => gram.foldLeft(0)(_ * numCharacters + _)
    }.toIndexedSeq.distinct
  }

  /** The number of a character, 0 for those that are left out. */
  private def code(c: Char): Int =
    if (c >= '0' && c <= '9') c - '0' + 1
    else if (c >= 'a' && c <= 'z') c - 'a' + 11
    else if (c >= 'A' && c <= 'Z') c - 'A' + 11
    else 0

  final private class Segment(tokens: Array[Int]) extends ScalarSegment {
    def valueType: Option[LogicalType] = None

    def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
      predicate match {
        case IndexPredicate.Contains(text) =>
          val wanted = NGram.tokens(text)
          if (wanted.isEmpty) None
          else {
            val found = wanted.map(java.util.Arrays.binarySearch(tokens, _))
            Some(SegmentAnswer.AtMost(if (found.exists(_ < 0)) RowSet.empty
            else common(files, found.sorted)))
          }
        case _ => None
      }

    /** The rows that all of some posting lists have. */
    private def common(files: IndexFiles, postings: Seq[Int]): RowSet = files.use(fileName) { file =>
      postings.foldLeft(Option.empty[RowSet]) { (rows, i) =>
        if (rows.exists(_.isEmpty)) rows
        else {
          var posting = RowSet.empty
          IndexFiles.foreachBatch(file, RowRange(i.toLong, i + 1L), "posting_list") { columns =>
            posting = RowSet.parseTreemap(Binaries.of(columns(0), "posting_list").head)
          }
          Some(rows.fold(posting)(_.intersect(posting)))
        }
      }.getOrElse(RowSet.empty)
    }

    def sizeInBytes: Long = tokens.length * 4L
  }
}
