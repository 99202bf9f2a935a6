// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import scala.util.Using

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.{IndexFiles, LeafRows}

/** The only partition of a segment of an early release. Documents get numbers in the order of their
  * rows.
  *
  * {{{
  *   tokens.lance   _token: utf8, _token_id: u32       metadata tokenizer = JSON parameters
  *   docs.lance     _rowid: u64, _num_tokens: u32      in any order
  *   invert.lance   _rowid: u64, _frequency: f32, [_position: list<i32>]   by token and row
  *                  metadata offsets = JSON list with the first row of each token
  * }}}
  *
  * Source: format page of indices, "Older generations".
  */
final private[segment] class LegacyPartition private (
    val tokens: TokenSet,
    docs: Documents,
    offsets: Array[Long],
    val hasPositions: Boolean
) extends TextPartition {
  import LegacyPartition._

  def id: String = "legacy"
  def numDocs: Int = docs.numDocs
  val totalTokens: Long = docs.lengths.iterator.map(_.toLong).sum
  def hasElements: Boolean = false
  def roundsLengths: Boolean = false
  def documents(files: IndexFiles): Documents = docs
  def sizeInBytes: Long = tokens.sizeInBytes + docs.sizeInBytes + 8L * offsets.length

  def numDocsOf(files: IndexFiles, ids: IndexedSeq[Int]): IndexedSeq[Int] = ids.map { token =>
    CorruptFileException.check(
      token >= 0 && token < offsets.length - 1,
      s"there are ${offsets.length - 1} posting lists, and none for the token $token"
    )
    Checked.int(offsets(token + 1) - offsets(token), "postings")
  }

  def numDocsOfTokens(files: IndexFiles): Array[Int] =
    numDocsOf(files, 0 until offsets.length - 1).toArray

  def postings(
      files: IndexFiles,
      ids: IndexedSeq[Int],
      withPositions: Boolean
  ): IndexedSeq[PostingList] = ids.map { token =>
    files.cache[PostingList](("postings", token, withPositions))(read(files, token, withPositions))
  }

  private def read(files: IndexFiles, token: Int, withPositions: Boolean): PostingList =
    Place.in(Place(path = Some(s"${files.path}/$postingFile"))) {
      CorruptFileException.check(
        token >= 0 && token < offsets.length - 1,
        s"there are ${offsets.length - 1} posting lists, and none for the token $token"
      )
      val found = new PlainPostings.Builder(numDocs, withPositions)
      files.use(postingFile) { file =>
        val columns = Seq(Documents.rowColumn, "_frequency") ++
          (if (withPositions) Seq("_position") else Nil)
        val rows = RowRange(offsets(token), offsets(token + 1))
        IndexFiles.foreachBatch(file, rows, columns: _*)(append(_, found))
      }
      found.result()
    }

  private def append(columns: IndexedSeq[Column], to: PlainPostings.Builder): Unit = {
    val rows = LeafRows.of(columns(0))
    val frequencies = LeafRows.of(columns(1))
    (rows.values, frequencies.values) match {
      case (r: LongValues, f: IntValues) if !rows.hasNulls && !frequencies.hasNulls =>
        (0 until rows.numRows).foreach { i =>
          val row = r.array(rows.at(i))
          val doc = java.util.Arrays.binarySearch(docs.rows, row)
          CorruptFileException.check(doc >= 0, s"row $row is not a document of the index")
          to.add(doc, java.lang.Float.intBitsToFloat(f.array(frequencies.at(i))).toInt)
          columns.lift(2).foreach(positions(_, i, to))
        }
      case _ => throw new CorruptFileException("postings of an index are not numbers")
    }
  }

  private def positions(column: Column, row: Int, to: PlainPostings.Builder): Unit = column match {
    case ListColumn(_, offsets, items, _) =>
      val values = LeafRows.of(items)
      values.values match {
        case v: IntValues if !values.hasNulls =>
          (offsets(row) until offsets(row + 1)).foreach(i => to.addPosition(v.array(values.at(i))))
        case _ => throw new CorruptFileException("positions of an index are not numbers")
      }
    case _ => throw new CorruptFileException("positions of an index are not lists")
  }
}

private[segment] object LegacyPartition {
  val tokenFile: String = "tokens.lance"
  private val docsFile = "docs.lance"
  val postingFile: String = "invert.lance"
  private val json = new ObjectMapper

  def open(files: IndexFiles): LegacyPartition = {
    val tokens = TokenSet.read(files, tokenFile, isFst = false)
    val docs = sorted(Documents.read(files, docsFile))
    files.use(postingFile) { file =>
      val text = file.schema.metadata.getOrElse(
        "offsets",
        throw new CorruptFileException(s"$postingFile has no offsets of posting lists")
      )
      val starts = numbers(text)
      val ends = starts.drop(1) :+ file.numRows
      CorruptFileException.check(
        starts.indices.forall(i => starts(i) >= 0 && starts(i) <= ends(i)),
        "the offsets of posting lists are not in order"
      )
      new LegacyPartition(
        tokens,
        docs,
        starts :+ file.numRows,
        file.schema.field("_position").isDefined
      )
    }
  }

  private def sorted(docs: Documents): Documents = {
    val order = docs.rows.indices.sortBy(docs.rows(_)).toArray
    new Documents(order.map(docs.rows(_)), order.map(docs.lengths(_)))
  }

  private def numbers(text: String): Array[Long] =
    try
      Using.resource(json.getFactory.createParser(text)) { parser =>
        json.readValue(parser, classOf[Array[Long]])
      }
    catch {
      case e: JsonProcessingException =>
        throw new CorruptFileException(
          "the offsets of posting lists are not a JSON list",
          cause = e
        )
    }
}

/** A posting list in memory. */
final private[segment] class PlainPostings private (
    docs: Array[Int],
    frequencies: Array[Int],
    positionStarts: Array[Int],
    positions: Array[Int]
) extends PostingList {
  import PlainPostings._

  def numDocs: Int = docs.length
  def numBlocks: Int = (docs.length + blockSize - 1) / blockSize
  def firstDoc(block: Int): Int = docs(block * blockSize)
  def impacts: Option[Impacts] = None

  def readFrequencies(block: Int, into: PostingBlock): Unit = ()

  def readDocs(block: Int, into: PostingBlock): Unit = {
    val from = block * blockSize
    into.size = math.min(blockSize, docs.length - from)
    System.arraycopy(docs, from, into.docs, 0, into.size)
    System.arraycopy(frequencies, from, into.frequencies, 0, into.size)
  }

  def hasPositions: Boolean = positions != null

  def readPositions(block: Int, of: PostingBlock, into: PositionBlock): Unit = {
    into.reset(of, positions.length.toLong)
    val from = positionStarts(block * blockSize)
    CorruptFileException.check(
      (0 to of.size).forall(i => positionStarts(block * blockSize + i) - from == into.starts(i)),
      "a document has other positions than its frequency says"
    )
    System.arraycopy(positions, from, into.values, 0, into.starts(of.size))
  }

  def sizeInBytes: Long = 8L * docs.length +
    (if (positions == null) 0L else 4L * (positions.length + positionStarts.length)) + 96L
}

private[segment] object PlainPostings {
  private val blockSize = 128

  /** Collects a posting list.
    *
    * @param numDocs number of documents of the partition
    */
  final class Builder(numDocs: Int, withPositions: Boolean) {
    private val docs = new IntValues
    private val frequencies = new IntValues
    private val starts = new IntValues
    private val positions = new IntValues

    def add(doc: Int, frequency: Int): Unit = {
      CorruptFileException.check(
        doc < numDocs && (docs.numItems == 0 || doc > docs.array(docs.numItems - 1)),
        "the documents of a posting list are not in order"
      )
      docs.append(doc)
      frequencies.append(frequency)
      starts.append(positions.numItems)
    }

    /** Adds a position in the last document. */
    def addPosition(position: Int): Unit = positions.append(position)

    def result(): PlainPostings = {
      starts.append(positions.numItems)
      new PlainPostings(
        trimmed(docs),
        trimmed(frequencies),
        trimmed(starts),
        if (withPositions) trimmed(positions) else null
      )
    }

    private def trimmed(v: IntValues): Array[Int] = java.util.Arrays.copyOf(v.array, v.numItems)
  }
}
