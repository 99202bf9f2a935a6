// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import scala.collection.mutable
import scala.reflect.ClassTag

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Optional, Place}
import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.text.analysis.{Granularity, TextColumn}
import io.github.pysparklance.index.text.query.TextQuery
import io.github.pysparklance.index.text.search.ScoredRows
import io.github.pysparklance.index.text.{
  FoundWords,
  ScannedRows,
  ShardResult,
  ShardTasks,
  TextIndices,
  TextSearch,
  TextShards
}
import io.github.pysparklance.spark.common.{SharedValue, SparkTasks}
import io.github.pysparklance.spark.scan.search.{
  AddedColumns,
  ColumnPaths,
  RankedRow,
  RowSearch,
  RowsAt,
  SearchLimits,
  SearchSource,
  SourceRows
}
import io.github.pysparklance.spark.scan.task.ScanMetrics

/** Finds the rows, or the list elements, whose text matches a query best. The driver searches the
  * indices, and reads their statistics once. Tasks search the partitions of large indices. Tasks
  * read the texts of the rows that the indices do not cover, or the driver if there are only a few.
  * A fuzzy search reads them twice. The filter runs first, as a Spark job.
  *
  * @param shared row selection that other searches of the same table share
  * @param docsOnDriver tasks search indices with this number of documents and more
  * @throws InvalidRequestException if a column of the query does not exist or does not contain text
  */
final private[scan] class TextRowSearch(
    session: SparkSession,
    source: SearchSource,
    request: TextRequest,
    shared: Option[SourceRows],
    docsOnDriver: Long = TextRowSearch.docsOnDriver
) extends RowSearch {
  import source.table

  private val place = Place(path = Some(table.path), version = Some(table.version))
  private val meter = new IndexMeter
  private val indices = new TextIndices(table, meter)

  /** The query, with a column in each leaf. */
  private val query: TextQuery = {
    val columns = request.columns.getOrElse(indices.columns.map(c => quoteNameParts(c.path)).sorted)
    if (columns.isEmpty && request.query.leaves.exists(_.column.isEmpty))
      throw new InvalidRequestException(
        "the table has no full-text index: name the columns to search with search_columns",
        place
      )
    request.query.onColumns(columns)
  }

  /** As in pylance, a search of all columns searches rows. */
  private val granularity: Option[Granularity] = Optional.when(
    request.columns.isEmpty && request.query.leaves.exists(_.column.isEmpty)
  )(Granularity.Row)

  private val search = new TextSearch(indices, query, column, granularity)

  private val rows = shared.getOrElse(
    new SourceRows(
      session,
      source,
      s"lance ${table.path}: full-text search in ${search.columns.map(_.name).mkString(", ")}"
    )
  )

  private def column(name: String): TextColumn = Place.in(place) {
    val way = ColumnPaths.required(source.fields, name, "columns with text") {
      ColumnPaths.all(source.fields).flatMap(TextColumn.of(_)).map(_.name)
    }
    TextColumn.of(way).getOrElse(
      throw new InvalidRequestException(
        s"column $name is ${LogicalType.text(way.last.logicalType)}; a full-text search reads " +
          "strings, lists of strings, and JSON"
      )
    )
  }

  /** Whether the search finds list elements. */
  def findsElements: Boolean = search.elements.isDefined

  /** Throws if the filter is not a condition on columns of the table. */
  def checkFilter(): Unit = request.filter.foreach(f => rows.where(f): Unit)

  override def run(): IndexedSeq[RankedRow] =
    // Without rows, there are no similar words.
    if (request.isComplete && table.rowCount.contains(0L)) IndexedSeq.empty else best()

  private def best(): IndexedSeq[RankedRow] = source.context.run {
    val before = request.filter.filter(_ => request.prefilter).map(rows.matching)
    val after = request.filter.filterNot(_ => request.prefilter)
    val similar = search.wordScan(request.fastSearch, request.useIndex).map { scan =>
      read(scan.columns, None, scan.fragments)(TextTask.words(scan))
        .foldLeft(FoundWords.empty)(_ ++ _)
    }
    def ranked(limit: Int) = this.ranked(find(limit, before, similar))
    val found =
      if (request.ofRows && findsElements) rowsOf(ranked) else ranked(request.numCandidates)
    if (request.isComplete && found.length == request.k && !table.rowCount.exists(_ <= request.k))
      failWithMore("rows")
    after.fold(found) { filter =>
      val selects = rows.matching(filter, found.map(_.address))
      found.filter(r => selects(r.address))
    }.drop(request.offset)
  }

  /** Returns rows with their best list elements. Finds more elements until there are enough rows.
    *
    * @param ranked finds a number of elements
    */
  private def rowsOf(ranked: Int => IndexedSeq[RankedRow]): IndexedSeq[RankedRow] = {
    val wanted = request.numCandidates
    var limit = wanted
    var elements = ranked(limit)
    var found = TextRowSearch.distinct(elements)
    while (found.length < wanted && elements.length == limit && limit < SearchLimits.maxRows) {
      limit = math.min(4L * limit, SearchLimits.maxRows.toLong).toInt
      elements = ranked(limit)
      found = TextRowSearch.distinct(elements)
    }
    if (request.isComplete && found.length < wanted && elements.length == limit)
      failWithMore("list elements")
    found.take(wanted)
  }

  private def failWithMore(documents: String): Nothing = throw new InvalidRequestException(
    s"more $documents match than a search with the column ${AddedColumns.score} returns, at most " +
      s"${SearchLimits.maxRows}: search for rarer words, or select the best rows with ORDER BY " +
      s"${AddedColumns.score} DESC LIMIT n, without other conditions",
    place
  )

  /** Finds documents.
    *
    * @param before addresses of rows that may be found; `None` for all
    * @param similar similar words in rows that the indices do not cover
    */
  private def find(
      limit: Int,
      before: Option[AddressSet],
      similar: Option[FoundWords]
  ): ScoredRows = {
    val result = search.run(
      limit,
      before,
      request.fastSearch,
      request.useIndex,
      similar,
      Some(ShardTasks(docsOnDriver, inTasks))
    )
    result.scan.fold(result.rows) { scan =>
      val work = TextTask.rows(scan.ofTasks)
      val columns = scan.columns.map(_.column)
      val parts = read(columns, before, scan.fragments)(work) ++
        scan.candidates.toSeq.flatMap(rows => read(columns, Some(rows), None)(work))
      ScoredRows.best(Seq(result.rows, ScannedRows.best(scan, parts)), limit)
    }
  }

  private def ranked(found: ScoredRows): IndexedSeq[RankedRow] = search.elements match {
    case None =>
      val addresses = search.addresses(found.rows)
      addresses.indices.map { i =>
        new RankedRow(found.rows(i), addresses(i), Array(found.scores(i)))
      }
    case Some(keys) =>
      val ids = found.rows.map(keys.row).distinct
      val addressOf = ids.zip(search.addresses(ids)).toMap
      found.rows.indices.map { i =>
        val id = keys.row(found.rows(i))
        val element = keys.element(found.rows(i))
        new RankedRow(id, addressOf(id), Array(found.scores(i)), element = element)
      }
  }

  /** Searches partitions of indices in tasks. */
  private def inTasks(shards: TextShards): IndexedSeq[ShardResult] = {
    val store = source.scan(IndexedSeq.empty[Field]).store
    val search = SharedValue(session, new ShardSearch(table.handle(store), shards))
    val numbers = (0 until shards.size).map(Integer.valueOf(_))
    SparkTasks.run(session, rows.description, numbers)(ShardSearch.work(search))(_ => ())
  }

  /** Reads the texts of rows.
    *
    * @param selected addresses of the rows; `None` for all
    * @param fragments ids of the fragments; `None` for all
    */
  private def read[A <: AnyRef: ClassTag](
      columns: IndexedSeq[TextColumn],
      selected: Option[AddressSet],
      fragments: Option[IndexedSeq[Long]]
  )(work: TextTask.Work[A]): IndexedSeq[A] = {
    val all = source.scan(columns.map(_.pruned))
    val some = selected.isDefined || fragments.isDefined
    rows.overFragments(
      all.copy(condition = Optional.when(some)(RowsAt(selected, fragments))),
      math.min(TextRowSearch.driverRows, TextRowSearch.driverBytes / all.estimate.rowBytes)
    )(work)
  }

  override def shape: Seq[String] = {
    val columns = search.columns.zip(search.found).map { case (column, index) =>
      column.name + index.filter(_ => request.useIndex).fold("")(i => s" by index ${i.name}")
    }
    val limit = if (request.isComplete) "all rows" else s"k ${request.k}"
    Seq(s"full-text search in ${columns.mkString(", ")} ($limit)") ++
      request.filter.map(f => (if (request.prefilter) "prefilter " else "postfilter ") + f)
  }

  override def metrics: Array[CustomMetric] = Array.empty

  override def metricValues: Array[CustomTaskMetric] = ScanMetrics.ofIndex(meter)
}

private[text] object TextRowSearch {

  /** Tasks search indices with this number of documents and more. The driver searches a million
    * documents in about a millisecond for each frequent term.
    */
  val docsOnDriver: Long = 64L << 20

  /** Returns the first element of each row. */
  private def distinct(elements: IndexedSeq[RankedRow]): IndexedSeq[RankedRow] = {
    val seen = mutable.HashSet.empty[Long]
    elements.filter(e => seen.add(e.address))
  }

  /** Maximum number of rows whose texts are read on the driver. */
  val driverRows: Long = 50000

  /** Maximum size of these texts in the files. */
  val driverBytes: Long = 2L << 20
}
