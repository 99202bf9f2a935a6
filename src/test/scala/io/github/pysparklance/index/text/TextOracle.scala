// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import io.github.pysparklance.index.text.analysis.{Analyzer, AnalyzerParameters}
import io.github.pysparklance.index.text.query._

/** A document of a column.
  *
  * @param isIndexed whether an index counts the document, even if it is deleted
  * @param isLive whether the row can be found
  */
final case class OracleDocument(id: Long, text: String, isIndexed: Boolean, isLive: Boolean)

/** Finds rows by reading every document. Uses only the analyzer of the engine.
  *
  * @param vocabulary terms that fuzzy queries search; `None`: the terms of documents that are
  *   indexed or live
  */
final class TextOracle(
    documents: Map[String, IndexedSeq[OracleDocument]],
    parameters: AnalyzerParameters,
    vocabulary: Option[Set[String]] = None
) {
  import TextOracle._

  private type Terms = IndexedSeq[(String, Int)]

  private def terms(analyzer: Analyzer, text: String): Terms =
    if (text == null) IndexedSeq.empty else analyzer.terms(text)

  private val analyzer = new Analyzer(parameters)

  private val columns: Map[String, IndexedSeq[(OracleDocument, Terms)]] = documents.map {
    case (name, docs) =>
      name -> docs.map(d => d -> terms(analyzer, d.text)).filter(_._2.nonEmpty)
  }

  /** Returns the rows of a query with their scores. */
  def search(query: TextQuery): Map[Long, Float] = query match {
    case leaf: LeafQuery => searchLeaf(leaf)
    case MultiMatchQuery(queries) =>
      queries.flatMap(searchLeaf(_).toSeq).groupBy(_._1).map { case (id, all) =>
        id -> all.map(_._2).max
      }
    case BoostQuery(positive, negative, factor) =>
      val others = search(negative)
      search(positive).map { case (id, score) => id -> (score - factor * others.getOrElse(id, 0f)) }
    case combined: CombinedFieldsQuery => searchCombined(combined)
    case BooleanQuery(must, should, mustNot) =>
      val (needed, optional) = (must.map(search(_)), should.map(search(_)))
      val excluded = mustNot.flatMap(search(_).keySet).toSet
      val candidates =
        if (must.nonEmpty) needed.map(_.keySet).reduce(_ & _) else optional.flatMap(_.keySet).toSet
      (candidates -- excluded).iterator
        .map(id => id -> (needed ++ optional).map(_.getOrElse(id, 0f)).sum).toMap
  }

  private def searchLeaf(leaf: LeafQuery): Map[Long, Float] = {
    val docs = columns(leaf.column.get)
    val wanted = groups(leaf, docs)
    val (boost, slop, needsAll) = leaf match {
      case m: MatchQuery => (m.boost, None, m.operator == Operator.And)
      case p: PhraseQuery => (1f, Some(p.slop), true)
    }
    val (indexed, scanned) =
      (docs.filter(_._1.isIndexed), docs.filter(d => !d._1.isIndexed && d._1.isLive))
    docs.filter(_._1.isLive).filter { case (_, of) =>
      def has(group: Group): Boolean = of.exists(t => group.terms(t._1))
      if (slop.isDefined) hasPhrase(wanted, of, slop.get)
      else if (needsAll) wanted.nonEmpty && wanted.forall(has)
      else wanted.exists(has)
    }.map { case (d, of) =>
      val corpus = (if (d.isIndexed) indexed else indexed ++ scanned).map(_._2)
      d.id -> score(wanted, of, corpus) * boost
    }.toMap
  }

  private def searchCombined(query: CombinedFieldsQuery): Map[Long, Float] = {
    val wanted = terms(analyzer, query.text).map(_._1).distinct
    val fields = query.fields.map { case (name, weight) =>
      (columns(name).filter(d => d._1.isIndexed || d._1.isLive), weight)
    }
    val numDocs = fields.map(_._1.length).max
    val average = fields.map { case (docs, w) => w * docs.map(_._2.length).sum }.sum / numDocs
    val byId = fields.map { case (docs, w) =>
      docs.filter(
        _._1.isLive
      ).map(d => d._1.id -> d._2).toMap.withDefaultValue(IndexedSeq.empty) -> w
    }
    byId.flatMap(_._1.keys).distinct.map { id =>
      def sum(count: Terms => Int): Float = byId.map { case (docs, w) => w * count(docs(id)) }.sum
      val found = wanted.map(term => sum(_.count(_._1 == term)))
      val norm = 1.2f * (0.25f + 0.75f * sum(_.length) / average)
      val scores = wanted.zip(found).collect {
        case (term, f) if f > 0 =>
          val n = fields.map(_._1.count(_._2.exists(_._1 == term))).max
          math.log(1 + (numDocs - n + 0.5) / (n + 0.5)).toFloat * 2.2f * f / (f + norm)
      }
      val needed = if (query.operator == Operator.And) wanted.length else 1
      (id, scores.sum, scores.length >= math.max(needed, 1))
    }.collect { case (id, score, true) => id -> score }.toMap
  }

  private def score(wanted: IndexedSeq[Group], doc: Terms, corpus: IndexedSeq[Terms]): Float = {
    val average = corpus.map(_.length.toLong).sum.toFloat / corpus.length
    wanted.flatMap(_.terms.toSeq).map { term =>
      val f = doc.count(_._1 == term).toFloat
      val n = corpus.count(_.exists(_._1 == term))
      if (f == 0) 0f
      else {
        val idf = math.log(1 + (corpus.length - n + 0.5) / (n + 0.5)).toFloat
        idf * 2.2f * f / (f + 1.2f * (0.25f + 0.75f * doc.length / average))
      }
    }.sum
  }

  private def groups(
      leaf: LeafQuery,
      docs: IndexedSeq[(OracleDocument, Terms)]
  ): IndexedSeq[Group] =
    leaf match {
      case m: MatchQuery if m.isFuzzy =>
        val known = vocabulary.getOrElse(
          docs.filter(d => d._1.isIndexed || d._1.isLive).flatMap(_._2.map(_._1)).toSet
        ).toIndexedSeq.sortWith(isBefore)
        val words = if (m.fuzziness.isEmpty) analyzer else new Analyzer(plain)
        grouped(terms(words, m.text)).scanLeft(Group(0, Set.empty) -> m.maxExpansions) {
          case ((_, left), Group(position, alternatives)) =>
            val found = known.filter(t => alternatives.exists(isSimilar(m, _, t))).take(left)
            Group(position, found.toSet) -> (left - found.length)
        }.drop(1).map(_._1)
      case _ => grouped(terms(analyzer, leaf.text))
    }
}

private object TextOracle {

  /** Returns the terms at a position of a query. */
  final case class Group(position: Int, terms: Set[String])

  private def grouped(found: IndexedSeq[(String, Int)]): IndexedSeq[Group] =
    found.map(_._2).distinct.sorted.map(p => Group(p, found.filter(_._2 == p).map(_._1).toSet))

  private val plain = AnalyzerParameters(
    maxTokenLength = None,
    lowerCase = false,
    stem = false,
    removeStopWords = false,
    asciiFolding = false
  )

  private def isBefore(a: String, b: String): Boolean =
    java.util.Arrays.compareUnsigned(a.getBytes("UTF-8"), b.getBytes("UTF-8")) < 0

  private def isSimilar(query: MatchQuery, word: String, term: String): Boolean = {
    val (a, b) = (word.codePoints.toArray.toList, term.codePoints.toArray.toList)
    val most = query.maxEdits(word)
    val equal = math.min(query.prefixLength, a.length)
    b.take(equal) == a.take(equal) && edits(a.drop(equal), b.drop(equal), most) <= most
  }

  /** Returns the number of edits between two words, or a number greater than `most`. */
  private def edits(a: List[Int], b: List[Int], most: Int): Int = (a, b) match {
    case _ if most < 0 => 1
    case (Nil, rest) => rest.length
    case (rest, Nil) => rest.length
    case (x :: as, y :: bs) if x == y => edits(as, bs, most)
    case (_ :: as, _ :: bs) =>
      1 + Seq(edits(as, bs, most - 1), edits(as, b, most - 1), edits(a, bs, most - 1)).min
  }

  /** Whether a document contains the groups in order, each at most `slop` positions late. */
  private def hasPhrase(
      groups: IndexedSeq[Group],
      doc: IndexedSeq[(String, Int)],
      slop: Int
  ): Boolean = {
    def continues(from: Int, rest: Seq[(Group, Group)]): Boolean = rest.headOption.forall {
      case (previous, group) =>
        val first = from + group.position - previous.position
        doc.exists { case (term, at) =>
          group.terms(term) && at >= first && at <= first + slop && continues(at, rest.tail)
        }
    }
    groups.nonEmpty && doc.exists { case (term, at) =>
      groups.head.terms(term) && continues(at, groups.zip(groups.tail))
    }
  }
}
