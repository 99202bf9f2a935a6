// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownLimit,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.{DataType, StructType}

import io.github.pysparklance.core.{Field, UnsupportedFeatureException}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.filter.{FieldPaths, PredicateTranslation, RowFilter}
import io.github.pysparklance.spark.scan.ScanStreams
import io.github.pysparklance.spark.scan.push.Projection
import io.github.pysparklance.spark.scan.task.{ReadOptions, ReadTask}
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.changes.Changes
import io.github.pysparklance.table.scan.{ChangeColumn, ComputedColumn}

/** Takes the columns and conditions of a query on changes. Conditions on the kind, version, and time of changes select
  * changes before anything is read of them.
  *
  * @param tableFields the columns in the types of the read
  * @param request the changes, for comparisons of scans
  * @param streams makes streams of the table
  */
final private[changes] class ChangeScanBuilder(
    changes: Changes,
    tableFields: IndexedSeq[Field],
    store: FileStore,
    options: ReadOptions,
    request: ChangeRequest,
    streams: ScanStreams
) extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownLimit {
  private val translation = new PredicateTranslation(typeOf)
  private var fields = tableFields
  private var computed: IndexedSeq[ComputedColumn] = ChangeColumn.all
  private var pushed = Seq.empty[(Predicate, Expression)]
  private var limit = Option.empty[Long]

  override def pruneColumns(required: StructType): Unit = {
    val (stored, made) = required.fields.partition(f => tableFields.exists(_.name == f.name))
    fields = Projection(tableFields, StructType(stored), isEverywhere)
    computed = made.toIndexedSeq.flatMap(f => ComputedColumn.byName(f.name))
  }

  private def isEverywhere(leaf: Int): Boolean =
    changes.parts.forall(_.fragment.files.exists(_.columnOf(leaf).isDefined))

  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] =
    predicates.filterNot { p =>
      val filter = if (options.pushFilters) translation(p) else None
      filter.foreach(f => pushed :+= p -> f)
      filter.isDefined
    }

  override def pushedPredicates(): Array[Predicate] = pushed.map(_._1).toArray

  /** Stops each task after `limit` rows. */
  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit.toLong)
    true
  }

  override def isPartiallyPushed: Boolean = limit.isDefined

  private def typeOf(path: Seq[String]): Option[DataType] =
    FieldPaths.find(tableFields, path) match {
      case Some(field) if field.flatten.exists(_.isBlob) => None
      case Some(field) =>
        try Some(SparkTypes.dataType(field, options.types))
        catch { case _: UnsupportedFeatureException => None }
      case None if path.length == 1 && !tableFields.exists(_.name == path.head) =>
        ComputedColumn.byName(path.head).map(MetadataFields.dataType)
      case None => None
    }

  override def build(): Scan = LanceErrors.translated {
    val selection = new ChangeSelection(translation.columns)
    val (selecting, filtering) = pushed.map(_._2).partition(selection.isOn)
    val filter = filtering.reduceOption(And(_, _)).map { all =>
      RowFilter(tableFields, translation.columns, all, options.types)
    }
    val read = ReadTask(fields, computed, filter, None, limit, None, isDistinct = false, options)
    val selected = changes.filter(selection(selecting))
    selected.checkReadable(fields ++ filter.fold(IndexedSeq.empty[Field])(_.fields))
    val scan = new ChangeScan(selected, store, read, request, selecting, streams)
    scan.readSchema(): Unit // columns that cannot be read fail now, and not in Spark's hands
    scan
  }
}
