// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.Arrays

import scala.collection.mutable

import io.github.pysparklance.core.IntValues
import io.github.pysparklance.index.text.analysis.Analyzer
import io.github.pysparklance.index.text.search._
import io.github.pysparklance.index.vector.search.TopRows

/** Rows that a scan found, before their scores are known: those depend on the statistics of all tasks.
  *
  * Rows with the same frequencies and lengths have the same score, so that only the first of them are
  * kept.
  *
  * @param keys frequencies of the terms and lengths of the texts, see [[TextCollector]]
  * @param rows ids of the first rows with each key
  * @param statistics of each column
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
    val layout = new KeyLayout(scan)
    val indexed = scan.columns.map(_.indexed)
    val all = scan.columns.indices.map { c =>
      parts.iterator.map(_.statistics(c)).foldLeft(indexed(c))(_ + _)
    }
    // The statistics of a column do not count its scanned rows if the index of the column covers the row.
    val ofCovered = scan.leaves.indices.map(l => new LeafScorer(scan, layout, l, indexed(scan.columnOf(l))))
    val ofOthers = scan.leaves.indices.map(l => new LeafScorer(scan, layout, l, all(scan.columnOf(l))))
    val top = new TopScores(scan.limit)
    val leafScores = new Array[Float](scan.leaves.length)
    for (part <- parts; i <- part.keys.indices) {
      val key = part.keys(i)
      scan.leaves.indices.foreach { leaf =>
        val scorers = if (layout.isCovered(key, scan.columnOf(leaf))) ofCovered else ofOthers
        leafScores(leaf) = if (layout.isFound(key, leaf)) scorers(leaf).score(key) else Float.NaN
      }
      val score = scan.query.score(leafScores)
      if (!score.isNaN) part.rows(i).foreach(top.offer(_, score))
    }
    top.result()
  }

  final private class LeafScorer(scan: TextScan, layout: KeyLayout, leaf: Int, statistics: TextStatistics) {
    private val terms = scan.leaves(leaf)
    private val bm25 = new Bm25(statistics)
    // The same order of operations as in searches of indices, for the same scores.
    private val weights = terms.terms.indices.map { t =>
      statistics.idf(terms.terms(t)) * terms.counts(t) * terms.boost
    }

    def score(key: Array[Int]): Float = {
      val norm = bm25.norm(key(layout.lengthAt(scan.columnOf(leaf))))
      var sum = 0f
      weights.indices.foreach { t =>
        val frequency = key(layout.firstTerm(leaf) + t)
        if (frequency > 0) sum += weights(t) * Bm25.factor(frequency, norm)
      }
      sum
    }
  }
}

/** Where the numbers of a key are: the length of the text of each column, whether the index of each
  * column covers the row, then for each leaf whether the row has the phrase, and the frequencies of
  * the terms.
  */
final private[text] class KeyLayout(scan: TextScan) {
  private val starts =
    scan.leaves.scanLeft(2 * scan.columns.length)((at, leaf) => at + 1 + leaf.terms.length)

  def size: Int = starts.last
  def lengthAt(column: Int): Int = column
  def coveredAt(column: Int): Int = scan.columns.length + column
  def phraseAt(leaf: Int): Int = starts(leaf)
  def firstTerm(leaf: Int): Int = starts(leaf) + 1

  private val groups: IndexedSeq[IndexedSeq[IndexedSeq[Int]]] = scan.leaves.indices.map { leaf =>
    val terms = scan.leaves(leaf).terms
    scan.leaves(leaf).groups.map(_.terms.map(t => firstTerm(leaf) + terms.indexOf(t)))
  }

  def isCovered(key: Array[Int], column: Int): Boolean = key(coveredAt(column)) != 0

  /** Whether a leaf finds the rows with a key. */
  def isFound(key: Array[Int], leaf: Int): Boolean = {
    val terms = scan.leaves(leaf)
    def has(group: IndexedSeq[Int]): Boolean = group.exists(key(_) > 0)
    if (terms.slop.isDefined) key(phraseAt(leaf)) > 0
    else if (terms.needsAll) groups(leaf).nonEmpty && groups(leaf).forall(has)
    else groups(leaf).exists(has)
  }
}

/** Reads the texts of rows, and keeps the rows that the query finds. Not thread-safe. Hot code. */
final class TextCollector(scan: TextScan) {
  import TextCollector._

  private val layout = new KeyLayout(scan)
  private val readers = scan.columns.indices.map(new ColumnReader(_))
  private val found = mutable.HashMap.empty[Key, TopRows]
  private var key = new Array[Int](layout.size)
  private val leafScores = new Array[Float](scan.leaves.length)

  /** Adds a row.
    *
    * @param text returns the text of a column by its number, or null
    * @param fragmentId of the row
    */
  def add(rowId: Long, fragmentId: Long)(text: Int => String): Unit = {
    Arrays.fill(key, 0)
    var hasTerm = false
    readers.indices.foreach(c => hasTerm |= readers(c).read(text(c), fragmentId, key))
    if (hasTerm && isFound) {
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
  }

  /** Whether the query finds rows with the key, whatever their score. */
  private def isFound: Boolean = {
    leafScores.indices.foreach { leaf =>
      leafScores(leaf) = if (layout.isFound(key, leaf)) 1f else Float.NaN
    }
    !scan.query.score(leafScores).isNaN
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
    private val leaves = scan.leaves.indices.filter(scan.columnOf(_) == column)

    /** The distinct terms. */
    private val terms = leaves.flatMap(scan.leaves(_).terms).distinct
    private val numberOf = {
      val numbers = new java.util.HashMap[String, Integer]
      terms.indices.foreach(i => numbers.put(terms(i), i))
      numbers
    }

    /** For each term, where keys have its frequency. */
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

    /** Reads a text into a key. Returns whether it has a term. */
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
      val isCounted = !isCovered && length > 0
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

private object TextCollector {

  /** An array that is equal to others with the same numbers. */
  final class Key(val values: Array[Int]) {
    override def equals(other: Any): Boolean = other match {
      case k: Key => Arrays.equals(values, k.values)
      case _ => false
    }
    override val hashCode: Int = Arrays.hashCode(values)
  }
}
