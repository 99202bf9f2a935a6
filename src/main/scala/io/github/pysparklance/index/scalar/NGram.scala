// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.postings.NumberedLists
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
object NGram extends GatheredIndexKind {
  def name: String = "NGRAM"
  def detailsType: String = "lance.table.NGramIndexDetails"
  override def findsValues: Boolean = false
  def newestVersion: Int = 0

  private val fileName = "ngram_postings.lance"
  private val numCharacters = 37
  private val gramLength = 3

  def parameters: Seq[IndexParameter] = Nil
  def parametersOf(files: IndexFiles): Map[String, String] = Map.empty

  def supports(field: Field): Boolean = field.logicalType match {
    case LogicalType.Utf8(_) => true
    case _ => false
  }

  private val file: PostingFile = PostingFile(
    fileName,
    Field(0, "tokens", LogicalType.Integer(32, signed = false), nullable = true),
    Field(0, "posting_list", LogicalType.Binary(large = false), nullable = false),
    isTreemap = true
  )

  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder =
    new Builder(into)

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = KeyedRows.merge(sources, file, into)(_ => ())

  final private class Builder(into: NewSegment) extends SegmentBuilder {
    private val lists = new NumberedLists(numStoredTokens)
    private val runs = new PostingRuns(file, lists, into)
    private val slot = new KeySlot

    def add(batch: IndexBatch): Unit = {
      val keys = KeyType.of(LogicalType.Utf8(large = false)).get.keys(batch.values)
      batch.foreachLive { row =>
        if (!batch.isNull(row)) {
          keys.read(row, slot)
          add(batch.ids(row))
          runs.spillIfFull()
        }
      }
    }

    private def add(row: Long): Unit =
      if (isAscii) {
        val rows = lists
        foreachAsciiToken(slot.bytes, slot.from, slot.until)(rows.of(_).add(row))
      } else {
        val text =
          new String(slot.bytes, slot.from, slot.numBytes, java.nio.charset.StandardCharsets.UTF_8)
        foreachStoredToken(text)(lists.of(_).add(row))
      }

    private def isAscii: Boolean = {
      var at = slot.from
      while (at < slot.until && slot.bytes(at) >= 0) at += 1
      at == slot.until
    }

    def finish(): Unit = runs.finish()
    def close(): Unit = runs.close()
  }

  /** Runs `f` on the tokens of ASCII characters, as [[foreachStoredToken]] does. */
  private[scalar] def foreachAsciiToken(bytes: Array[Byte], from: Int, until: Int)(
      f: Int => Unit
  ): Unit = {
    var (first, second) = (0, 0)
    var at = from
    while (at < until) {
      val third = asciiCodes(bytes(at).toInt)
      if (first != 0 && second != 0 && third != 0)
        f((first * numCharacters + second) * numCharacters + third)
      first = second
      second = third
      at += 1
    }
  }

  /** The numbers of all characters of ASCII. */
  private val asciiCodes: Array[Int] = Array.tabulate(128)(c => code(c.toChar))

  /** Runs `f` on the tokens under which a string is stored, repeated or not. */
  private[scalar] def foreachStoredToken(text: String)(f: Int => Unit): Unit = {
    val folded = AsciiFolding(text)
    var run = 0
    var i = 0
    while (i < folded.length) {
      val c = folded.charAt(i)
      val isUsed = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
      run = if (isUsed) run + 1 else 0
      if (run >= gramLength)
        f((0 until gramLength).foldLeft(0) { (sum, k) =>
          sum * numCharacters + storedCode(folded.charAt(i - gramLength + 1 + k))
        })
      i += 1
    }
  }

  /** Stored tokens are below: codes take a byte, see [[storedCode]]. */
  private val numStoredTokens = 0x100 * (numCharacters * numCharacters + numCharacters + 1)

  /** The reference computes the number of a letter as an unsigned byte, also for the few capital letters. */
  private def storedCode(c: Char): Int =
    if (c >= '0' && c <= '9') c - '0' + 1 else (c - 'a' + 11) & 0xff

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
