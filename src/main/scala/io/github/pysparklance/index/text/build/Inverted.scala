// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.text.analysis.{Analyzer, Granularity, TextColumn}
import io.github.pysparklance.index.text.search.{SegmentRows, TextPredicate}
import io.github.pysparklance.index.text.segment.{TextPartition, TextSegment}

/** A full-text index. Maps the terms of a column of strings, lists of strings, or JSON documents to
  * rows. Used by searches, and by filters with conditions on words.
  *
  * A segment has partitions. A task writes a partition as soon as its postings take too much
  * memory. A merge combines partitions.
  *
  * Source: format page of indices, "Inverted (full-text)".
  */
object Inverted extends PartitionedIndexKind {
  def name: String = "INVERTED"
  override def aliases: Seq[String] = Seq("FTS")
  def detailsType: String = "lance.table.InvertedIndexDetails"
  override def findsValues: Boolean = false
  def latestVersion: Int = 3

  override def versionOf(hasAddresses: Boolean, parameters: IndexParameters): Int =
    TextParameters.checked(parameters).format.indexVersion

  def parameters: Seq[IndexParameter] = TextParameters.all
  def parametersOf(files: IndexFiles): Map[String, String] = StoredParameters.of(files)

  override def detailsOf(parameters: IndexParameters): Array[Byte] =
    TextParameters.checked(parameters).details

  override def parametersOn(field: Field, parameters: IndexParameters): IndexParameters =
    TextParameters.on(field, parameters)

  /** Other segments use unsupported tokenizers. */
  override def isKnown(details: Array[Byte], way: IndexedSeq[Field]): Boolean =
    way.lastOption.exists(supports) &&
      TextColumn.of(way).exists(StoredParameters.isKnown(details, _))

  override def isWritable(files: IndexFiles, way: IndexedSeq[Field]): Boolean =
    try {
      val its = IndexParameters.of(name, parameters, parametersOf(files))
      TextParameters.checked(parametersOn(way.last, its)): Unit
      true
    } catch {
      case _: UnsupportedFeatureException | _: InvalidRequestException |
          _: CorruptFileException | _: NotFoundException =>
        false
    }

  /** Other writers may only mark strings as JSON, which pylance reads as JSON documents. */
  def supports(field: Field): Boolean = TextColumn.of(IndexedSeq(field)).isDefined &&
    (field.isJson || !field.extensionName.exists(_.endsWith("json")))

  override def checkField(field: Field, parameters: IndexParameters): Unit =
    if (
      TextParameters.checked(parameters).format.hasElements &&
      !TextColumn.of(IndexedSeq(field)).exists(_.isList)
    )
      throw new InvalidRequestException(
        s"${Granularity.option} is ${Granularity.ListElement}, but the column has no lists"
      )

  def checkBuild(parameters: IndexParameters): Unit =
    new Analyzer(TextParameters.checked(parameters).analyzer): Unit

  def partitions(
      field: Field,
      parameters: IndexParameters,
      firstId: Long,
      maxBytes: Long,
      into: NewSegment
  ): PartitionsBuilder = new Builder(
    TextColumn.of(IndexedSeq(field)).get,
    TextParameters.checked(parameters),
    firstId,
    maxBytes,
    into
  )

  def finish(parameters: IndexParameters, ids: Seq[Long], into: NewSegment): Unit = {
    val its = TextParameters.checked(parameters)
    finish(its, if (ids.isEmpty) empty(its, into) else ids, into)
  }

  private def finish(parameters: TextParameters, ids: Seq[Long], into: NewSegment): Unit =
    SegmentWriter.write(into, parameters.format, parameters.json, ids)

  /** Returns the ids of the partitions of a segment without documents. The reference learns from a
    * partition that the documents are list elements.
    */
  private def empty(parameters: TextParameters, into: NewSegment): Seq[Long] =
    if (!parameters.format.hasElements) Nil
    else {
      new PartitionBuilder(new Analyzer(parameters.analyzer), parameters.format).write(into, 0L)
      Seq(0L)
    }

  final private class Builder(
      column: TextColumn,
      parameters: TextParameters,
      firstId: Long,
      maxBytes: Long,
      into: NewSegment
  ) extends PartitionsBuilder {
    private val analyzer = new Analyzer(parameters.analyzer)
    private val ids = mutable.ArrayBuffer.empty[Long]
    private var partition = new PartitionBuilder(analyzer, parameters.format)

    def add(batch: IndexBatch): Unit =
      if (parameters.format.hasElements) {
        val elements = column.elements(batch.values)
        batch.foreachLive { row =>
          if (!batch.isNull(row)) partition.addAll(batch.ids(row), elements(row))
          if (partition.numBytes > maxBytes) write()
        }
      } else {
        val texts = column.texts(batch.values)
        batch.foreachLive { row =>
          if (!batch.isNull(row)) partition.add(batch.ids(row), texts(row))
          if (partition.numBytes > maxBytes) write()
        }
      }

    private def write(): Unit = if (!partition.isEmpty) {
      val id = firstId + ids.length
      partition.write(into, id)
      ids += id
      partition = new PartitionBuilder(analyzer, parameters.format)
    }

    def finish(): Seq[Long] = {
      write()
      ids.toList
    }
  }

  /** Segments with ignored fragments are not merged, because these fragments are indexed again. */
  override def isMergeable(files: IndexFiles): Boolean = ignoredFragments(files).isEmpty

  override def ignoredFragments(files: IndexFiles): RoaringBitmap =
    if (files.names.contains(TextSegment.metadataFile)) TextSegment.deletedFragments(files)
    else new RoaringBitmap

  /** Segments with other terms, or in another format, cannot be merged. */
  override def areMergeable(segments: Seq[IndexFiles]): Boolean =
    segments.map(parametersOf).distinct.length <= 1 && super.areMergeable(segments) &&
      !segments.exists(StoredParameters.isEarly)

  override def isOutdated(files: IndexFiles): Boolean =
    !TextSegment.open(files).hasEachRowOnce(files)

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = {
    val its = TextParameters.checked(parameters)
    val segments = sources.map(s => s -> TextSegment.open(s.files))
    val groups = grouped(segments.flatMap { case (source, segment) =>
      val rows = withoutFragments(source.rows, segment.deletedFragments)
      segment.partitions.map(p => (source.files, p, rows))
    })
    var numPartitions = 0L
    groups.foreach { group =>
      val merged = new PartitionMerge(group, its.format)
      if (!merged.isEmpty) {
        merged.write(into, numPartitions)
        numPartitions += 1
      }
    }
    finish(its, if (numPartitions == 0) empty(its, into) else 0L until numPartitions, into)
  }

  /** Drops the documents of fragments. Rows are addresses here, because other segments with ignored
    * fragments are not merged, see [[isMergeable]].
    */
  private def withoutFragments(rows: RowTransfer, fragments: RoaringBitmap): RowTransfer =
    if (fragments.isEmpty) rows
    else
      new RowTransfer {
        def apply(row: Long): Long =
          if (fragments.contains((row >>> 32).toInt)) RowTransfer.none else rows(row)
        def keepsFragment(fragmentId: Long): Boolean =
          !fragments.contains(fragmentId.toInt) && rows.keepsFragment(fragmentId)
      }

  private type Source = (IndexFiles, TextPartition, RowTransfer)

  /** Groups adjacent partitions to merge. */
  private def grouped(partitions: Seq[Source]): IndexedSeq[IndexedSeq[Source]] = {
    val groups = mutable.ArrayBuffer.empty[mutable.ArrayBuffer[Source]]
    var numDocs = 0L
    partitions.foreach { source =>
      numDocs += source._2.numDocs
      if (groups.isEmpty || numDocs > maxMergedDocs) {
        groups += mutable.ArrayBuffer.empty
        numDocs = source._2.numDocs.toLong
      }
      groups.last += source
    }
    groups.iterator.map(_.toIndexedSeq).toIndexedSeq
  }

  /** Maximum number of documents of a merged partition. Each takes about 30 bytes of memory. */
  private val maxMergedDocs = 16L << 20

  def open(files: IndexFiles): ScalarSegment = Segment

  /** A segment. Its files are read when a query needs them. */
  private object Segment extends ScalarSegment {
    private def rows(files: IndexFiles, predicate: IndexPredicate): Option[SegmentRows] =
      predicate match {
        case p: TextPredicate => Some(new SegmentRows(files, TextSegment.cached(files), p))
        case _ => None
      }

    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
      rows(files, predicate).flatMap(_.result)

    override def size(files: IndexFiles, predicate: IndexPredicate): ResultSize =
      rows(files, predicate).fold(ResultSize.small)(_.size)

    override def undetermined(files: IndexFiles, predicate: IndexPredicate): RoaringBitmap =
      predicate match {
        case _: TextPredicate => TextSegment.cached(files).deletedFragments
        case other => super.undetermined(files, other)
      }

    override def prewarm(files: IndexFiles): Unit = TextSegment.cached(files): Unit
    def valueType: Option[LogicalType] = None
    def sizeInBytes: Long = 64L
  }
}
