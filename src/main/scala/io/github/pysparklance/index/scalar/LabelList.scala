// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.postings.KeyedLists
import io.github.pysparklance.index.spi._

/** A label list index: the rows of each distinct element of a list column. The file is a bitmap
  * index over the elements. Its null key has the lists with a null element. The metadata entry
  * `lance:label_list_nulls` names the global buffer with the null lists. Version 0 has no such
  * buffer.
  *
  * Source: format page of indices, "Bitmap and label list".
  */
object LabelList extends GatheredIndexKind {
  def name: String = "LABEL_LIST"
  def detailsType: String = "lance.table.LabelListIndexDetails"
  override def findsValues: Boolean = false
  def latestVersion: Int = 1

  def parameters: Seq[IndexParameter] = Nil
  def parametersOf(files: IndexFiles): Map[String, String] = Map.empty
  override def versionOf(hasAddresses: Boolean, parameters: IndexParameters): Int = 1

  private val nullLists = "lance:label_list_nulls"

  /** Version 0 does not record null lists. */
  override def isMergeable(files: IndexFiles): Boolean =
    files.use(KeyedRows.fileName)(_.schema.metadata.contains(nullLists))

  def supports(field: Field): Boolean = elements(field).exists(KeyType.of(_).isDefined)

  private def elements(field: Field): Option[LogicalType] = field.logicalType match {
    case _: LogicalType.List => field.children.headOption.filter(_.isLeaf).map(_.logicalType)
    case _ => None
  }

  private def file(field: Field): PostingFile =
    KeyedRows.file(elements(field).getOrElse(field.logicalType))

  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder =
    new Builder(file(field), into)

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = KeyedRows.merge(sources, file(field), into) { writer =>
    val nulls = new RowSetBuilder
    sources.foreach { source =>
      val before = source.files.use(KeyedRows.fileName)(IndexFiles.rowSet(_, nullLists))
      nulls.add(source.rows(before.getOrElse(
        throw new UnsupportedFeatureException(
          "merging a LABEL_LIST index of an early release, which does not record null lists; create it again"
        )
      )))
    }
    writer.describe(nullLists, nulls.result())
  }

  final private class Builder(file: PostingFile, into: NewSegment) extends SegmentBuilder {
    private val elements = KeyedLists(file.keyType.isNumber)
    private val runs = new PostingRuns(file, elements, into)
    private val slot = new KeySlot
    private val nulls = new RowSetBuilder

    def add(batch: IndexBatch): Unit = {
      val lists = batch.lists
      val keys = lists.map(l => file.keyType.keys(l.items))
      batch.foreachLive { row =>
        if (batch.isNull(row)) nulls.add(batch.ids(row)): Unit
        else
          for (l <- lists; items <- keys) {
            var item = l.offsets(row)
            while (item < l.offsets(row + 1)) {
              val rows =
                if (items.isNull(item)) elements.ofNull
                else {
                  items.read(item, slot)
                  elements.of(slot)
                }
              rows.add(batch.ids(row))
              item += 1
            }
            runs.spillIfFull()
          }
      }
    }

    def finish(): Unit = runs.finish(_.describe(nullLists, nulls.result()))
    def close(): Unit = runs.close()
  }

  def open(files: IndexFiles): ScalarSegment = {
    val nulls = files.use(KeyedRows.fileName)(IndexFiles.rowSet(_, nullLists))
    new Segment(KeyedRows.open(files), nulls)
  }

  final private class Segment(rows: KeyedRows, nullLists: Option[RowSet]) extends ScalarSegment {
    override def exactSegment: Option[String] = rows.exactSegment

    def valueType: Option[LogicalType] = Some(rows.logicalType)

    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
      predicate match {
        case IndexPredicate.HasAny(values) =>
          val trues = rows.of(files, values)
          Some(nullLists match {
            case Some(nulls) =>
              new SegmentResult.Exact(trues, rows.ofNull(files).minus(trues).union(nulls))
            case None => SegmentResult.Trues(trues)
          })
        case IndexPredicate.IsNull =>
          nullLists.map(new SegmentResult.Exact(_, RowSet.empty))
        case _ => None
      }

    override def size(files: IndexFiles, predicate: IndexPredicate): ResultSize =
      predicate match {
        case IndexPredicate.HasAny(values) => rows.size(files, values)
        case _ => ResultSize.small
      }

    override def prewarm(files: IndexFiles): Unit = rows.prewarm(files)

    def sizeInBytes: Long = rows.sizeInBytes + nullLists.fold(0L)(_.sizeInBytes)
  }
}
