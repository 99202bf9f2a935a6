// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.collection.mutable
import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.text.analysis.TextColumn
import io.github.pysparklance.index.text.query.TextQuery
import io.github.pysparklance.index.text.search.ScoredRows
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{
  ComputedColumn,
  FragmentReader,
  FragmentScan,
  MetadataColumn
}

/** A table whose rows are searched without Spark. Rows have the column `id`. */
final private[text] class SearchedTable(path: String) {
  import SearchedTable._

  val table: LanceTable = LanceTable.open(Storage.local, path)
  val indices: TextIndices = new TextIndices(table, new IndexMeter, new IndexCache(64L << 20))

  private val byRowId: Map[Long, (Long, Long)] = {
    val found = mutable.HashMap.empty[Long, (Long, Long)]
    read(IndexedSeq(table.schema.field("id").get)) { (columns, row, rowId, address) =>
      found(rowId) = (numbers(columns.head)(row), address)
    }
    found.toMap
  }

  def column(name: String): TextColumn =
    table.schema.ways.find(_.map(_.name).mkString(".") == name).flatMap(TextColumn.of(_)).get

  /** The rows of a query with their scores, best first. */
  def search(
      query: TextQuery,
      limit: Option[Int] = None,
      keeps: Option[Long => Boolean] = None,
      useIndex: Boolean = true,
      inTasks: Boolean = false
  ): IndexedSeq[(Long, Float)] = {
    val (found, _) = this.found(query, limit, keeps, useIndex, inTasks)
    found.rows.toIndexedSeq.map(byRowId(_)._1).zip(found.scores)
  }

  /** The list elements of a query with their positions and scores, best first. */
  def elements(
      query: TextQuery,
      limit: Option[Int] = None,
      useIndex: Boolean = true,
      inTasks: Boolean = false
  ): IndexedSeq[((Long, Int), Float)] = {
    val (found, keys) = this.found(query, limit, None, useIndex, inTasks)
    found.rows.toIndexedSeq.map(n => byRowId(keys.get.row(n))._1 -> keys.get.element(n))
      .zip(found.scores)
  }

  private def found(
      query: TextQuery,
      limit: Option[Int],
      keeps: Option[Long => Boolean],
      useIndex: Boolean,
      inTasks: Boolean
  ): (ScoredRows, Option[ElementKeys]) = {
    val accepted = keeps.map { keep =>
      AddressSet.of(byRowId.values.collect { case (id, address) if keep(id) => address }.toArray)
    }
    val most = limit.getOrElse(100 * byRowId.size)
    val search = new TextSearch(indices, query, column)
    val words = search.wordScan(useIndex = useIndex).map(similarWords)
    val tasks = Optional.when(inTasks)(ShardTasks(
      0L,
      shards => (0 until shards.size).map(shards.search(new TextIndices(table), _))
    ))
    val answer = search.run(most, accepted, useIndex = useIndex, words = words, tasks = tasks)
    val all = ScoredRows.best(Seq(answer.rows) ++ answer.scan.map(scanned(_, accepted)), most)
    (all, search.elements)
  }

  private def similarWords(scan: WordScan): FoundWords = {
    val collector = new WordCollector(scan)
    read(scan.columns.map(_.pruned)) { (columns, row, _, address) =>
      if (scan.fragments.forall(_.contains(RowAddress.fragmentId(address))))
        if (scan.hasElements)
          scan.columns.head.elements(columns.head)(row).foreach(e => collector.add(_ => e))
        else collector.add(c => scan.columns(c).texts(columns(c))(row))
    }
    collector.result()
  }

  private def scanned(scan: TextScan, accepted: Option[AddressSet]): ScoredRows = {
    val collectors = mutable.HashMap.empty[Long, TextCollector]
    read(scan.columns.map(_.column.pruned)) { (columns, row, rowId, address) =>
      val fragment = RowAddress.fragmentId(address)
      if (scan.fragments.forall(_.contains(fragment)) && accepted.forall(_.contains(address))) {
        val to = collectors.getOrElseUpdate(fragment, new TextCollector(scan))
        scan.elements match {
          case None => to.add(rowId, fragment)(c => scan.columns(c).column.texts(columns(c))(row))
          case Some(keys) =>
            scan.columns.head.column.elements(columns.head)(row).zipWithIndex.foreach {
              case (text, i) => to.add(keys(rowId, i), fragment)(_ => text)
            }
        }
      }
    }
    ScannedRows.best(scan, collectors.values.map(_.result()).toSeq)
  }

  /** Runs `f` on the columns of all live rows, with the position of the row, its id, and its
    * address.
    */
  def read(fields: IndexedSeq[Field])(f: (IndexedSeq[Column], Int, Long, Long) => Unit): Unit = {
    val computed: IndexedSeq[ComputedColumn] =
      if (table.hasStableRowIds) IndexedSeq(MetadataColumn.RowId, MetadataColumn.RowAddr)
      else IndexedSeq(MetadataColumn.RowAddr)
    table.fragments.indices.foreach { i =>
      val rows = RowRange(0, table.physicalRows(table.fragments(i)))
      val scan = FragmentScan(table, i, rows, None, FragmentScan.defaultGapRows, computed)
      Using.resource(FragmentReader.open(table.store, scan, fields, computed, 1024)) { reader =>
        while (reader.next()) (0 until reader.numLive).foreach { l =>
          val row = if (reader.live == null) l else reader.live(l)
          val columns = reader.columns
          f(
            columns.take(fields.length),
            row,
            numbers(columns(fields.length))(row),
            numbers(columns(columns.length - 1))(row)
          )
        }
      }
    }
  }
}

private[text] object SearchedTable {

  /** Reads a column of numbers. */
  def numbers(column: Column): Int => Long = column match {
    case LeafColumn(v: LongValues, _) => v.array(_)
    case LeafColumn(v: IntValues, _) => v.array(_).toLong
    case ConstantColumn(v: LongValues, _, _) => _ => v.array(0)
    case ConstantColumn(v: IntValues, _, _) => _ => v.array(0).toLong
    case other =>
      throw new IllegalArgumentException(s"numbers in a ${other.getClass.getSimpleName}")
  }
}
