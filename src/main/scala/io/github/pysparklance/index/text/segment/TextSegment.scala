// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{IndexFiles, LeafRows, RowSetBuilder}
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity}

/** A segment of a full-text index. Immutable and thread-safe.
  *
  * {{{
  *   metadata.lance   metadata partitions = JSON list of ids, params = JSON parameters,
  *                    token_set_format, posting_block_size, posting_tail_codec, positions_codec
  *                    [deleted_fragments: binary, a Roaring bitmap]
  * }}}
  *
  * Source: format page of indices, "Inverted (full-text)".
  *
  * @param parameters parameters of the analyzer
  * @param deletedFragments ids of fragments whose documents are ignored
  * @param exactSegment see [[IndexFiles.exactSegment]]
  */
final private[text] class TextSegment private (
    val parameters: AnalyzerParameters,
    val partitions: IndexedSeq[TextPartition],
    val deletedFragments: RoaringBitmap,
    exactSegment: Option[String]
) extends IndexCache.Part {

  /** Number of documents, including documents of deleted rows. */
  def numDocs: Long = partitions.iterator.map(_.numDocs.toLong).sum

  /** Number of tokens of all documents. */
  def totalTokens: Long = partitions.iterator.map(_.totalTokens).sum

  /** Whether the segment supports phrase queries. */
  def hasPositions: Boolean = partitions.forall(_.hasPositions)

  /** Whether no row has documents in several partitions. If it has, one of them is outdated. Reads
    * the rows of all documents, unless the files record that none is outdated.
    */
  def hasEachRowOnce(files: IndexFiles): Boolean =
    partitions.length < 2 || exactSegment.exists(files.path.endsWith) ||
      files.cache("text rows")(new TextSegment.Flag(areDisjoint(files))).value

  private def areDisjoint(files: IndexFiles): Boolean = {
    val all = mutable.HashMap.empty[Long, RoaringBitmap]
    partitions.forall { partition =>
      val rows = new RowSetBuilder
      partition.documents(files).rows.foreach(rows.add(_): Unit)
      val found = rows.result()
      val isNew =
        found.uppers.forall(u => !all.get(u).exists(RoaringBitmap.intersects(_, found.part(u))))
      found.uppers.foreach(u => all.getOrElseUpdate(u, new RoaringBitmap).or(found.part(u)))
      isNew
    }
  }

  val sizeInBytes: Long = partitions.iterator.map(_.sizeInBytes).sum + 256L
}

private[text] object TextSegment {

  /** The file that describes a segment. */
  val metadataFile: String = "metadata.lance"
  private val json = new ObjectMapper

  final private class Flag(val value: Boolean) extends IndexCache.Part {
    def sizeInBytes: Long = 64
  }

  /** Returns a segment from the cache, or opens it. */
  def cached(files: IndexFiles): TextSegment = files.cache("text")(open(files))

  /** Opens a segment.
    *
    * @throws CorruptFileException if its files violate the format
    * @throws UnsupportedFeatureException if a later format or an unknown language is used
    */
  def open(files: IndexFiles): TextSegment =
    if (files.names.contains(metadataFile)) Place.in(Place(path = Some(files.path)))(current(files))
    else Place.in(Place(path = Some(files.path)))(legacy(files))

  private def current(files: IndexFiles): TextSegment = {
    val (metadata, deleted, exact) = files.use(metadataFile) { file =>
      (file.schema.metadata, deletedFragments(file), IndexFiles.exactSegment(file))
    }
    val recorded = parametersOf(files, metadata)
    val partitions =
      ids(entry(metadata, "partitions")).map(StoredPartition.open(files, _, metadata))
    // A segment that is not committed yet has no details.
    val hasElements =
      if (files.details.isEmpty) partitions.exists(_.hasElements) else recorded.hasElements
    CorruptFileException.check(
      partitions.forall(_.hasElements == hasElements),
      "the partitions of a full-text index have other documents than the manifest records"
    )
    val granularity = if (hasElements) Granularity.ListElement else Granularity.Row
    new TextSegment(recorded.copy(granularity = granularity), partitions, deleted, exact)
  }

  /** Returns the parameters of the analyzer. Reads no partitions.
    *
    * @throws CorruptFileException if they violate the format
    * @throws UnsupportedFeatureException if a later format or an unknown language is used
    */
  def parametersOf(files: IndexFiles): AnalyzerParameters =
    Place.in(Place(path = Some(files.path)))(
      parametersOf(files, files.use(metadataFile)(_.schema.metadata))
    )

  private def parametersOf(files: IndexFiles, metadata: Map[String, String]) = {
    val granularity = TextDetails.parse(files.details).granularity.getOrElse(
      throw new UnsupportedFeatureException("a full-text index with an unknown kind of documents")
    )
    AnalyzerParameters.parse(entry(metadata, "params")).copy(granularity = granularity)
  }

  private def entry(metadata: Map[String, String], key: String): String = metadata.getOrElse(
    key,
    throw new CorruptFileException(s"the metadata of a full-text index lack $key")
  )

  /** Column of the bitmap. */
  val deletedColumn: String = "deleted_fragments"

  /** Reads the ids of the fragments of a segment whose documents are ignored. */
  def deletedFragments(files: IndexFiles): RoaringBitmap =
    files.use(metadataFile)(deletedFragments(_))

  private def deletedFragments(file: DescribedFile): RoaringBitmap = {
    val deleted = new RoaringBitmap
    if (file.schema.field(deletedColumn).isDefined)
      IndexFiles.foreachBatch(file, deletedColumn)(columns => deleted.or(bitmap(columns(0))))
    deleted
  }

  private def bitmap(column: Column): RoaringBitmap = {
    val rows = LeafRows.of(column)
    val all = new RoaringBitmap
    rows.values match {
      case v: BinaryValues =>
        (0 until rows.numRows).filterNot(rows.isNull).foreach { row =>
          val at = rows.at(row)
          val bytes = new Buffer(v.bytes, v.offsets(at), v.offsets(at + 1) - v.offsets(at))
          if (bytes.length > 0) all.or(parsed(bytes))
        }
      case _ => throw new CorruptFileException("the deleted fragments of an index are not bytes")
    }
    all
  }

  private def parsed(bytes: Buffer): RoaringBitmap =
    try {
      val found = new RoaringBitmap
      found.deserialize(bytes.toByteBuffer)
      found
    } catch {
      case e @ (_: java.io.IOException | _: java.nio.BufferUnderflowException |
          _: IllegalArgumentException | _: IndexOutOfBoundsException | _: NegativeArraySizeException) =>
        throw new CorruptFileException(
          "the deleted fragments of an index are not a bitmap",
          cause = e
        )
    }

  /** Parses the ids of partitions, which are unsigned 64-bit numbers. */
  private def ids(text: String): IndexedSeq[String] = {
    def corrupt(cause: Throwable): Nothing = throw new CorruptFileException(
      s"the partitions of a full-text index are not a JSON list: ${Printable.line(text.take(40))}",
      cause = cause
    )
    val node =
      try json.readTree(text)
      catch { case e: JsonProcessingException => corrupt(e) }
    if (node == null || !node.isArray || !node.elements.asScala.forall(_.isIntegralNumber))
      corrupt(null)
    node.elements.asScala.map(_.bigIntegerValue.toString).toIndexedSeq
  }

  private def legacy(files: IndexFiles): TextSegment = {
    val parameters = files.use(LegacyPartition.tokenFile)(_.schema.metadata.get("tokenizer"))
    new TextSegment(
      parameters.fold(AnalyzerParameters.default)(AnalyzerParameters.parse),
      IndexedSeq(LegacyPartition.open(files)),
      new RoaringBitmap,
      None
    )
  }
}
