// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.postings.NumberedLists
import io.github.pysparklance.index.spi._

/** An n-gram index: the rows of each sequence of three characters in a string column. Strings are
  * converted to lower case and folded to ASCII. Sequences with characters other than `0` to `9` and
  * `a` to `z` are skipped.
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
  def latestVersion: Int = 0

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
          new String(slot.bytes, slot.from, slot.numBytes, UTF_8)
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

  /** Runs `f` on the tokens of ASCII text, like [[foreachStoredToken]]. */
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

  /** Codes of all ASCII characters. */
  private val asciiCodes: Array[Int] = Array.tabulate(128)(c => code(c.toChar))

  /** Runs `f` on the tokens under which a string is stored. Tokens may repeat. */
  private[scalar] def foreachStoredToken(text: String)(f: Int => Unit): Unit = {
    val folded = AsciiFolding.lower(text)
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

  /** Exclusive upper bound of stored tokens. Codes take a byte, see [[storedCode]]. */
  private val numStoredTokens = 0x100 * (numCharacters * numCharacters + numCharacters + 1)

  /** Lance computes the code of a letter as an unsigned byte, even for the few capital letters. */
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

  /** Returns tokens that every string with this substring has. Skips tokens with non-ASCII
    * characters, because their folding depends on the writer.
    */
  private[scalar] def tokens(text: String): Seq[Int] = {
    val codes = text.map(code)
    codes.sliding(gramLength).filter(gram => gram.length == gramLength && !gram.contains(0)).map {
      gram => gram.foldLeft(0)(_ * numCharacters + _)
    }.toIndexedSeq.distinct
  }

  /** The code of a character; 0 for characters that are skipped. */
  private def code(c: Char): Int =
    if (c >= '0' && c <= '9') c - '0' + 1
    else if (c >= 'a' && c <= 'z') c - 'a' + 11
    else if (c >= 'A' && c <= 'Z') c - 'A' + 11
    else 0

  final private class Segment(tokens: Array[Int]) extends ScalarSegment {
    def valueType: Option[LogicalType] = None

    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
      textOf(predicate) match {
        case Some(text) =>
          val wanted = NGram.tokens(text)
          if (wanted.isEmpty) None
          else {
            val found = wanted.map(java.util.Arrays.binarySearch(tokens, _))
            Some(SegmentResult.AtMost(if (found.exists(_ < 0)) RowSet.empty
            else common(files, found.sorted)))
          }
        case _ => None
      }

    /** Returns a substring of all strings for which a predicate is true. */
    private def textOf(predicate: IndexPredicate): Option[String] = predicate match {
      case IndexPredicate.Contains(text) => Some(text)
      case IndexPredicate.Within(ranges, _) if ranges.ranges.length == 1 =>
        ranges.ranges.head.commonPrefix.map(new String(_, UTF_8))
      case _ => None
    }

    override def size(files: IndexFiles, predicate: IndexPredicate): ResultSize =
      (textOf(predicate), files.sizeOf(fileName)) match {
        case (Some(text), Some(bytes)) if tokens.nonEmpty =>
          val read = NGram.tokens(text).length.toLong
          ResultSize(bytes / tokens.length * read / KeyedRows.rowBytes, 0L, 0L)
        case _ => ResultSize.small
      }

    /** Returns the intersection of posting lists. */
    private def common(files: IndexFiles, postings: Seq[Int]): RowSet = files.use(fileName) { file =>
      postings.foldLeft(Option.empty[RowSet]) { (rows, i) =>
        if (rows.exists(_.isEmpty)) rows
        else {
          val posting = files.cache(i)(read(file, i))
          Some(rows.fold(posting)(_.intersect(posting)))
        }
      }.getOrElse(RowSet.empty)
    }

    private def read(file: DescribedFile, i: Int): RowSet = {
      var posting = RowSet.empty
      IndexFiles.foreachBatch(file, RowRange(i.toLong, i + 1L), "posting_list") { columns =>
        posting = RowSet.parseTreemap(Binaries.of(columns(0), "posting_list").head)
      }
      posting
    }

    override def prewarm(files: IndexFiles): Unit = files.use(fileName) { file =>
      var i = 0
      IndexFiles.foreachBatch(file, "posting_list") { columns =>
        Binaries.of(columns(0), "posting_list").foreach { bytes =>
          files.cache(i)(RowSet.parseTreemap(bytes)): Unit
          i += 1
        }
      }
    }

    def sizeInBytes: Long = tokens.length * 4L
  }
}
