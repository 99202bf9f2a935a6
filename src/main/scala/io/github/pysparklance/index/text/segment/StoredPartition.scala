// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{IndexFiles, LeafRows}

/** A partition that is stored in three files.
  *
  * {{{
  *   part_<id>_tokens.lance   see TokenSet
  *   part_<id>_docs.lance     _rowid: u64, _num_tokens: u32, [_doc_index_0: u32]       see Documents
  *                            metadata total_tokens
  *   part_<id>_invert.lance   _posting: list<large_binary>, _length: u32, [_impacts: list<large_binary>]
  *                            [_position: list<list<large_binary>>, or
  *                             _compressed_position: large_binary, _position_block_offset: list<u32>]
  *                            row = id of the token
  * }}}
  *
  * Source: format page of indices, "Inverted (full-text)".
  */
final private[segment] class StoredPartition private (
    val id: String,
    val tokens: TokenSet,
    val numDocs: Int,
    val totalTokens: Long,
    val hasElements: Boolean,
    format: PostingFormat,
    layout: StoredPartition.Layout
) extends TextPartition {
  import StoredPartition._

  def hasPositions: Boolean = layout.positions != NoPositions
  def roundsLengths: Boolean = format.blockSize == 256
  def sizeInBytes: Long = tokens.sizeInBytes + 256L

  def documents(files: IndexFiles): Documents =
    files.cache(("documents", id)) {
      val found = Place.in(Place(path = Some(s"${files.path}/${docsFile(id)}")))(
        Documents.read(files, docsFile(id))
      )
      CorruptFileException.check(
        found.numDocs == numDocs,
        s"partition $id has ${found.numDocs} documents, not $numDocs"
      )
      found
    }

  def numDocsOfTokens(files: IndexFiles): Array[Int] =
    Place.in(Place(path = Some(s"${files.path}/${postingFile(id)}"))) {
      val lengths = new IntValues
      files.use(postingFile(id)) { file =>
        IndexFiles.foreachBatch(file, "_length") { columns =>
          val rows = LeafRows.of(columns(0))
          (0 until rows.numRows).foreach(i => lengths.append(numDocsOf(rows, i)))
        }
      }
      CorruptFileException.check(
        lengths.numItems == tokens.numTokens,
        s"${lengths.numItems} posting lists of ${tokens.numTokens} tokens"
      )
      java.util.Arrays.copyOf(lengths.array, lengths.numItems)
    }

  def numDocsOf(files: IndexFiles, ids: IndexedSeq[Int]): IndexedSeq[Int] =
    cached(files, ids)(("length", id, _))(loadLengths(files, _)).map(_.numDocs)

  /** Returns parts of tokens from the cache. Loads the missing ones together.
    *
    * @param load loads the parts of tokens with ascending ids
    */
  private def cached[A <: IndexCache.Part](files: IndexFiles, ids: IndexedSeq[Int])(
      key: Int => Any
  )(load: IndexedSeq[Int] => Map[Int, A]): IndexedSeq[A] = {
    val missing = ids.distinct.filterNot(token => files.isCached(key(token))).sorted
    val loaded = if (missing.isEmpty) Map.empty[Int, A] else load(missing)
    ids.map { token =>
      files.cache[A](key(token))(loaded.getOrElse(token, load(IndexedSeq(token))(token)))
    }
  }

  private def loadLengths(files: IndexFiles, ids: IndexedSeq[Int]): Map[Int, Length] =
    read(files, ids, IndexedSeq("_length")) { columns =>
      new Length(numDocsOf(LeafRows.of(columns.head), 0))
    }

  /** Reads the rows of tokens.
    *
    * @param ids of the tokens, ascending
    * @param parse parses the columns of a row
    */
  private def read[A](files: IndexFiles, ids: IndexedSeq[Int], columns: IndexedSeq[String])(
      parse: IndexedSeq[Column] => A
  ): Map[Int, A] = Place.in(Place(path = Some(s"${files.path}/${postingFile(id)}"))) {
    files.use(postingFile(id)) { file =>
      checkIds(file, ids)
      Using.resource(file.read(columns, rowsOf(ids))) { reader =>
        ids.map(token => token -> parse(reader.read(1))).toMap
      }
    }
  }

  /** @param ids of tokens, ascending */
  private def checkIds(file: DescribedFile, ids: IndexedSeq[Int]): Unit =
    CorruptFileException.check(
      ids.last < file.numRows,
      s"there are ${file.numRows} posting lists, and none for the token ${ids.last}"
    )

  private def rowsOf(ids: IndexedSeq[Int]): IndexedSeq[RowRange] =
    RowRange.merged(ids.iterator.map(token => RowRange(token.toLong, token + 1L)), 0)

  private def numDocsOf(lengths: LeafRows, row: Int): Int = lengths.values match {
    case v: IntValues if !lengths.isNull(row) => v.array(lengths.at(row))
    case _ => throw new CorruptFileException("the length of a posting list is not a number")
  }

  def postings(
      files: IndexFiles,
      ids: IndexedSeq[Int],
      withPositions: Boolean
  ): IndexedSeq[PostingList] = {
    val columns = IndexedSeq("_posting", "_length") ++
      (if (layout.hasImpacts) Seq("_impacts") else Nil) ++
      (if (withPositions) layout.positions.columns else Nil)
    cached[PostingList](files, ids)(("postings", id, _, withPositions)) { missing =>
      read(files, missing, columns)(parse(_, withPositions))
    }
  }

  private def parse(columns: IndexedSeq[Column], withPositions: Boolean): PostingList = {
    val numDocs = numDocsOf(LeafRows.of(columns(1)), 0)
    val impacts =
      if (!layout.hasImpacts || columns(2).isNull(0)) None
      else Some(new Impacts(strings(columns(2))))
    val rest = columns.drop(if (layout.hasImpacts) 3 else 2)
    val positions = Optional.when(withPositions)(layout.positions match {
      case Shared(isPacked) => sharedPositions(rest(0), rest(1), isPacked)
      case _ => documentPositions(rest(0))
    })
    new CompressedPostings(format, numDocs, strings(columns(0)), impacts, positions)
  }

  private def sharedPositions(
      stream: Column,
      starts: Column,
      isPacked: Boolean
  ): StoredPositions = {
    val bytes = LeafRows.of(stream)
    val (offsets, first, last) = items(starts)
    val blocks = LeafRows.of(offsets)
    (bytes.values, blocks.values) match {
      case (b: BinaryValues, o: IntValues) if !bytes.hasNulls && !blocks.hasNulls =>
        val at = bytes.at(0)
        val from = b.offsets(at)
        val until = b.offsets(at + 1)
        val ends = (first until last).map(i => o.array(blocks.at(i))).toArray :+ (until - from)
        CorruptFileException.check(
          ends.head == 0 && (1 until ends.length).forall(i => ends(i) >= ends(i - 1)),
          "positions of posting blocks out of order"
        )
        new SharedPositions(
          new ByteStrings(java.util.Arrays.copyOfRange(b.bytes, from, until), ends),
          isPacked
        )
      case _ => throw new CorruptFileException("the positions of a posting list are not bytes")
    }
  }

  private def documentPositions(column: Column): StoredPositions = {
    val (docs, first, last) = items(column)
    docs match {
      case ListColumn(_, offsets, parts, _) =>
        val from = offsets(first)
        val until = offsets(last)
        val starts = (first to last).map(i => offsets(i) - from).toArray
        new DocumentPositions(copied(parts, from, until), starts)
      case _ if first == last =>
        new DocumentPositions(new ByteStrings(Array.emptyByteArray, Array(0)), Array(0))
      case _ => throw new CorruptFileException("the positions of a posting list are not lists")
    }
  }

  private def strings(column: Column): ByteStrings = {
    val (values, first, last) = items(column)
    copied(values, first, last)
  }

  /** Returns the items of the list of a single row: their column, first position, and end. */
  private def items(column: Column): (Column, Int, Int) = column match {
    case ListColumn(_, offsets, items, _) => (items, offsets(0), offsets(1))
    case _ => throw new CorruptFileException("a posting list is not stored as a list")
  }

  private def copied(column: Column, from: Int, until: Int): ByteStrings =
    if (from == until) new ByteStrings(Array.emptyByteArray, Array(0))
    else {
      val rows = LeafRows.of(column)
      rows.values match {
        case v: BinaryValues if !rows.hasNulls =>
          val copy = new BinaryValues
          (from until until).foreach(i => copy.appendFrom(v, rows.at(i), 1))
          new ByteStrings(
            java.util.Arrays.copyOf(copy.bytes, copy.numBytes),
            java.util.Arrays.copyOf(copy.offsets, copy.numItems + 1)
          )
        case _ => throw new CorruptFileException("the blocks of a posting list are not bytes")
      }
    }
}

private[segment] object StoredPartition {

  /** @param positions layout of the positions */
  final case class Layout(hasImpacts: Boolean, positions: PositionLayout)

  sealed abstract class PositionLayout(val columns: Seq[String])
  case object NoPositions extends PositionLayout(Nil)

  /** See [[DocumentPositions]]. */
  case object PerDocument extends PositionLayout(Seq("_position"))

  /** See [[SharedPositions]]. */
  final case class Shared(isPacked: Boolean)
      extends PositionLayout(Seq("_compressed_position", "_position_block_offset"))

  /** The length of a posting list, without the list. */
  final private class Length(val numDocs: Int) extends IndexCache.Part {
    def sizeInBytes: Long = 256L
  }

  private def docsFile(id: String): String = s"part_${id}_docs.lance"
  private def postingFile(id: String): String = s"part_${id}_invert.lance"

  /** Opens a partition.
    *
    * @param metadata metadata of the segment; the posting file has metadata with the same keys
    */
  def open(files: IndexFiles, id: String, metadata: Map[String, String]): StoredPartition = {
    val isFst = metadata.getOrElse("token_set_format", "arrow") match {
      case "fst" => true
      case "arrow" => false
      case other => unsupported("token set format", other)
    }
    val tokenFile = s"part_${id}_tokens.lance"
    val tokens = Place.in(Place(path = Some(s"${files.path}/$tokenFile")))(
      TokenSet.read(files, tokenFile, isFst)
    )
    val (numDocs, totalTokens, hasElements) = files.use(docsFile(id)) { file =>
      (
        Checked.int(file.numRows, "documents of a partition"),
        IndexFiles.number(file, "total_tokens"),
        Documents.areElements(file)
      )
    }
    files.use(postingFile(id)) { file =>
      val keys = metadata ++ file.schema.metadata
      val format = PostingFormat(blockSize(keys), hasVarintTail(keys), numDocs)
      val layout = Layout(has(file, "_impacts"), positions(file, keys))
      new StoredPartition(
        id,
        tokens,
        numDocs,
        totalTokens.getOrElse(Documents.read(
          files,
          docsFile(id)
        ).lengths.iterator.map(_.toLong).sum),
        hasElements,
        format,
        layout
      )
    }
  }

  private def has(file: DescribedFile, column: String): Boolean =
    file.schema.field(column).isDefined

  private def blockSize(keys: Map[String, String]): Int =
    keys.getOrElse("posting_block_size", "128") match {
      case "128" => 128
      case "256" => 256
      case other => unsupported("block size", other)
    }

  private def hasVarintTail(keys: Map[String, String]): Boolean =
    keys.getOrElse("posting_tail_codec", "fixed32_v1") match {
      case "fixed32_v1" => false
      case "varint_delta_v1" => true
      case other => unsupported("posting codec", other)
    }

  private def positions(file: DescribedFile, keys: Map[String, String]): PositionLayout =
    if (has(file, "_compressed_position"))
      keys.getOrElse("positions_codec", "varint_doc_delta_v2") match {
        case "packed_delta_v1" => Shared(isPacked = true)
        case "varint_doc_delta_v2" => Shared(isPacked = false)
        case other => unsupported("position codec", other)
      }
    else if (has(file, "_position")) PerDocument
    else NoPositions

  private def unsupported(what: String, value: String): Nothing =
    throw new UnsupportedFeatureException(
      s"a full-text index with the $what '${Printable.line(value.take(40))}'"
    )
}
