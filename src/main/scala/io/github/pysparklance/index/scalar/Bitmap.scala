// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.postings.{KeyedLists, RowList}
import io.github.pysparklance.index.spi._

/** A bitmap index: the rows of each distinct value of a column.
  *
  * {{{
  *   bitmap_page_lookup.lance   keys: T?, bitmaps: binary    ascending, null first; a row address map for each key
  * }}}
  * A file without a null key has no nulls.
  *
  * Source: format page of indices, "Bitmap and label list".
  */
object Bitmap extends GatheredIndexKind {
  def name: String = "BITMAP"
  def detailsType: String = "lance.table.BitmapIndexDetails"
  def latestVersion: Int = 0
  def parameters: Seq[IndexParameter] = Nil
  def parametersOf(files: IndexFiles): Map[String, String] = Map.empty
  def supports(field: Field): Boolean = KeyType.of(field.logicalType).isDefined

  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder =
    new Builder(KeyedRows.file(field.logicalType), into)

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = KeyedRows.merge(sources, KeyedRows.file(field.logicalType), into)(_ => ())

  final private class Builder(file: PostingFile, into: NewSegment) extends SegmentBuilder {
    private val lists = KeyedLists(file.keyType.isNumber)
    private val runs = new PostingRuns(file, lists, into)
    private val slot = new KeySlot

    def add(batch: IndexBatch): Unit = {
      batch.values match {
        case LeafColumn(DictionaryValues(indices, items), _)
            if items.numItems <= maxDictionaryItems =>
          addIndices(batch, indices.array, items)
        case values =>
          val keys = file.keyType.keys(values)
          batch.foreachLive { row =>
            listOf(batch, row) {
              keys.read(row, slot)
              lists.of(slot)
            }.add(batch.ids(row))
          }
      }
      runs.spillIfFull()
    }

    /** Looks up each item of a dictionary once. */
    private def addIndices(batch: IndexBatch, indices: Array[Int], items: Values): Unit = {
      val keys = file.keyType.keys(LeafColumn(items, null))
      val found = new Array[RowList](items.numItems)
      batch.foreachLive { row =>
        listOf(batch, row) {
          val item = indices(row)
          if (found(item) == null) {
            keys.read(item, slot)
            found(item) = lists.of(slot)
          }
          found(item)
        }.add(batch.ids(row))
      }
    }

    @inline private def listOf(batch: IndexBatch, row: Int)(ofValue: => RowList): RowList =
      if (batch.isNull(row)) lists.ofNull else ofValue

    def finish(): Unit = runs.finish()
    def close(): Unit = runs.close()
  }

  private val maxDictionaryItems = 16384

  def open(files: IndexFiles): ScalarSegment = new Segment(KeyedRows.open(files))

  /** Runs `f` on each value of a segment, including null, with the rows that the segment stores for
    * it.
    *
    * @return `false`, without calling `f`, if the values have another type or are more than
    *   `maxKeys`
    */
  private[index] def foreachKey(files: IndexFiles, valueType: LogicalType, maxKeys: Int)(
      f: (Option[Key], RowSet) => Unit
  ): Boolean = KeyedRows.foreachKey(files, valueType, maxKeys)(f)

  final private class Segment(rows: KeyedRows) extends KeyedSegment {
    override def exactSegment: Option[String] = rows.exactSegment

    def valueType: Option[LogicalType] = Some(rows.logicalType)

    def keys(files: IndexFiles, isAscending: Boolean): Iterator[(Key, RowSet)] =
      rows.inOrder(files, isAscending)

    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
      predicate match {
        case IndexPredicate.IsNull =>
          Some(new SegmentResult.Exact(rows.ofNull(files), RowSet.empty))
        case IndexPredicate.Within(ranges, _) =>
          Some(new SegmentResult.Exact(rows.of(files, ranges), rows.ofNull(files)))
        case _ => None
      }

    override def size(files: IndexFiles, predicate: IndexPredicate): ResultSize =
      predicate match {
        case IndexPredicate.Within(ranges, _) => rows.size(files, ranges)
        case _ => ResultSize.small
      }

    override def prewarm(files: IndexFiles): Unit = rows.prewarm(files)

    def sizeInBytes: Long = rows.sizeInBytes
  }
}
