// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.Arrays

import scala.collection.mutable

import io.github.pysparklance.core.IntValues
import io.github.pysparklance.index.text.analysis.Analyzer
import io.github.pysparklance.index.text.query.CombinedFieldsQuery
import io.github.pysparklance.index.text.search._
import io.github.pysparklance.index.text.segment.LengthCode
import io.github.pysparklance.index.vector.search.TopRows

/** The rows that a scan found, without scores, which depend on the statistics of all tasks.
  *
  * Rows with the same frequencies and lengths have the same score, so only the first of these rows
  * are kept.
  *
  * @param keys frequencies of the terms and lengths of the texts, see [[TextCollector]]
  * @param rows ids of the first rows with each key, or numbers of [[ElementKeys]]
  * @param statistics statistics of each column
  */
final class ScannedRows private[text] (
    private[text] val keys: Array[Array[Int]],
    private[text] val rows: Array[Array[Long]],
    private[text] val statistics: Array[TextStatistics]
) extends Serializable

object ScannedRows {

  /** Returns the rows with the highest scores.
    *
    * @param parts results of all tasks
    */
  def best(scan: TextScan, parts: Seq[ScannedRows]): ScoredRows = {
    val statistics = scan.columns.indices.map { c =>
      parts.iterator.map(_.statistics(c)).foldLeft(scan.columns(c).indexed)(_ + _)
    }
    val scores = new KeyScores(scan, statistics)
    val top = new TopScores(scan.limit)
    for (part <- parts ++ scan.indexed; i <- part.keys.indices) {
      val score = scores(part.keys(i))
      if (!score.isNaN) part.rows(i).foreach(top.offer(_, score))
    }
    top.result()
  }

  /** Computes the scores of rows from their keys. Not thread-safe.
    *
    * @param statistics of each column, with the rows that its index does not cover
    */
  final private[text] class KeyScores(scan: TextScan, statistics: IndexedSeq[TextStatistics]) {
    private val layout = new KeyLayout(scan)

    // The statistics of a column do not count its scanned rows if the index of the column covers
    // the row. As in the reference, the statistics of list elements always count them.
    private val ofCovered = scan.leaves.indices.map { l =>
      val c = scan.columnOf(l)
      val column = scan.columns(c)
      val its = if (column.parameters.hasElements) statistics(c) else column.indexed
      new LeafScorer(scan, layout, l, its, column.roundsLengths)
    }
    private val ofOthers = scan.leaves.indices.map { l =>
      new LeafScorer(scan, layout, l, statistics(scan.columnOf(l)), roundsLengths = false)
    }
    private val combined = scan.query.combined().map { case (first, query) =>
      new CombinedScorer(scan, layout, first, query, statistics)
    }
    private val leafScores = new Array[Float](scan.leaves.length)

    /** Returns the score of the rows with a key; NaN if the query does not find them. */
    def apply(key: Array[Int]): Float = {
      scan.leaves.indices.foreach { leaf =>
        val scorers = if (layout.isCovered(key, scan.columnOf(leaf))) ofCovered else ofOthers
        leafScores(leaf) = if (layout.isFound(key, leaf)) scorers(leaf).score(key) else Float.NaN
      }
      combined.foreach { c =>
        leafScores(c.first) = if (c.isFound(key)) c.score(key) else Float.NaN
      }
      scan.query.score(leafScores)
    }
  }

  /** Scores a query of combined fields by BM25F, with frequencies and lengths that are weighted
    * sums over all columns.
    *
    * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond";
    * format page of indices, "Scoring and queries".
    */
  final private class CombinedScorer(
      scan: TextScan,
      layout: KeyLayout,
      val first: Int,
      query: CombinedFieldsQuery,
      statistics: IndexedSeq[TextStatistics]
  ) {
    private val leaves = query.fields.indices.map(first + _)
    private val weights = query.fields.map(_._2)
    private val ofLeaves = leaves.map(l => statistics(scan.columnOf(l)))
    private val terms = scan.leaves(first).terms
    private val numDocs = ofLeaves.map(_.numDocs).max
    private val average = (
      ofLeaves.zip(weights).map { case (s, w) => w.toDouble * s.totalTokens }.sum / numDocs
    ).toFloat
    private val idfs = terms.map { term =>
      val numWithTerm = ofLeaves.map(_.numWithTerm.getOrElse(term, 0L)).max
      if (numWithTerm == 0) 0f else Bm25.idf(numWithTerm, numDocs)
    }

    def isFound(key: Array[Int]): Boolean = layout.isFound(key, first, query)

    def score(key: Array[Int]): Float = {
      def weighted(at: Int => Int): Float =
        leaves.indices.map(i => weights(i) * key(at(leaves(i)))).sum
      val norm = Bm25.norm(weighted(l => layout.lengthAt(scan.columnOf(l))), average)
      terms.indices.map { t =>
        val frequency = weighted(l => layout.firstTerm(l) + t)
        if (frequency > 0) idfs(t) * Bm25.factor(frequency, norm) else 0f
      }.sum
    }
  }

  final private class LeafScorer(
      scan: TextScan,
      layout: KeyLayout,
      leaf: Int,
      statistics: TextStatistics,
      roundsLengths: Boolean
  ) {
    private val terms = scan.leaves(leaf)
    private val bm25 = new Bm25(statistics)
    // Uses the order of operations of index searches, so that the scores are equal.
    private val weights = terms.terms.indices.map { t =>
      statistics.idf(terms.terms(t)) * terms.counts(t) * terms.boost
    }

    def score(key: Array[Int]): Float = {
      val length = key(layout.lengthAt(scan.columnOf(leaf)))
      val norm =
        bm25.norm(if (roundsLengths) LengthCode.decode(LengthCode.encode(length)) else length)
      var sum = 0f
      weights.indices.foreach { t =>
        val frequency = key(layout.firstTerm(leaf) + t)
        if (frequency > 0) sum += weights(t) * Bm25.factor(frequency, norm)
      }
      sum
    }
  }
}

/** Reads the texts of rows, and collects the rows that match the query. Not thread-safe. Hot code.
  */
final class TextCollector(scan: TextScan) {
  import TextCollector._

  private val layout = new KeyLayout(scan)
  private val readers = scan.columns.indices.map(new ColumnReader(_))
  private val found = mutable.HashMap.empty[Key, TopRows]
  private var key = new Array[Int](layout.size)

  /** Whether the query finds a row.
    *
    * @param text returns the text of a column by its number, or null
    * @param fragmentId id of the fragment of the row
    */
  def finds(fragmentId: Long)(text: Int => String): Boolean = {
    Arrays.fill(key, 0)
    var hasTerm = false
    readers.indices.foreach(c => hasTerm |= readers(c).read(text(c), fragmentId, key))
    hasTerm && layout.isFound(key)
  }

  /** Adds a row, or a list element.
    *
    * @param rowId id of the row, or number of the element
    * @param text returns the text of a column by its number, or null
    * @param fragmentId id of the fragment of the row
    */
  def add(rowId: Long, fragmentId: Long)(text: Int => String): Unit =
    if (finds(fragmentId)(text)) {
      val rows = found.get(new Key(key)) match {
        case Some(known) => known
        case None =>
          val added = new TopRows(scan.limit)
          found(new Key(key)) = added
          key = new Array[Int](layout.size)
          added
      }
      rows.offer(0f, rowId)
    }

  def result(): ScannedRows = {
    val all = found.toArray
    new ScannedRows(
      all.map(_._1.values),
      all.map(_._2.result().rows),
      readers.map(_.statistics).toArray
    )
  }

  /** Counts the terms of the leaves of a column. */
  final private class ColumnReader(column: Int) {
    private val analyzer = new Analyzer(scan.columns(column).parameters)
    private val uncovered = scan.columns(column).uncovered
    // The reference counts list elements without terms, but not rows.
    private val countsEmpty = scan.columns(column).parameters.hasElements
    private val leaves = scan.leaves.indices.filter(scan.columnOf(_) == column)

    /** The distinct terms. */
    private val terms = leaves.flatMap(scan.leaves(_).terms).distinct
    private val numberOf = {
      val numbers = new java.util.HashMap[String, Integer]
      terms.indices.foreach(i => numbers.put(terms(i), i))
      numbers
    }

    /** For each term, the positions of its frequency in keys. */
    private val targets: Array[Array[Int]] = terms.map { term =>
      leaves.flatMap { leaf =>
        val at = scan.leaves(leaf).terms.indexOf(term)
        if (at < 0) None else Some(layout.firstTerm(leaf) + at)
      }.toArray
    }.toArray
    private val phrases = leaves.filter(scan.leaves(_).slop.isDefined).map(new Phrase(_))
    private val positions = if (phrases.isEmpty) null else Array.fill(terms.length)(new IntValues)
    private val frequencies = new Array[Int](terms.length)
    private val numWithTerm = new Array[Long](terms.length)
    private var numDocs = 0L
    private var totalTokens = 0L
    private var length = 0

    /** Counts the terms of a text in a key. Returns whether the text has any of them. */
    def read(text: String, fragmentId: Long, key: Array[Int]): Boolean = text != null && {
      length = 0
      Arrays.fill(frequencies, 0)
      if (positions != null) positions.foreach(_.clear())
      analyzer(text) { (term, position) =>
        length += 1
        val number = numberOf.get(term)
        if (number != null) {
          frequencies(number) += 1
          if (positions != null) positions(number).append(position)
        }
      }
      val isCovered = uncovered.exists(!_.contains(fragmentId.toInt))
      val isCounted = !isCovered && (length > 0 || countsEmpty)
      if (isCounted) {
        numDocs += 1
        totalTokens += length
      }
      key(layout.lengthAt(column)) = length
      key(layout.coveredAt(column)) = if (isCovered) 1 else 0
      var hasTerm = false
      var t = 0
      while (t < frequencies.length) {
        if (frequencies(t) > 0) {
          hasTerm = true
          if (isCounted) numWithTerm(t) += 1
          targets(t).foreach(key(_) = frequencies(t))
        }
        t += 1
      }
      if (hasTerm) phrases.foreach(_.read(key))
      hasTerm
    }

    final private class Phrase(leaf: Int) {
      private val groups = scan.leaves(leaf).groups
      private val numbers = groups.map(_.terms.map(terms.indexOf(_)).toArray).toArray
      private val matching =
        new PhraseMatch(numbers, groups.map(_.position).toArray, scan.leaves(leaf).slop.get)

      def read(key: Array[Int]): Unit =
        if (numbers.nonEmpty && numbers.forall(_.exists(frequencies(_) > 0))) {
          val isThere = matching(positions(_: Int).array, positions(_: Int).numItems)
          key(layout.phraseAt(leaf)) = if (isThere) 1 else 0
        }
    }

    def statistics: TextStatistics = TextStatistics(
      numDocs,
      totalTokens,
      terms.zip(numWithTerm).toMap
    )
  }
}

private[text] object TextCollector {

  /** An array with equality by elements. */
  final class Key(val values: Array[Int]) {
    override def equals(other: Any): Boolean = other match {
      case k: Key => Arrays.equals(values, k.values)
      case _ => false
    }
    override val hashCode: Int = Arrays.hashCode(values)
  }
}
