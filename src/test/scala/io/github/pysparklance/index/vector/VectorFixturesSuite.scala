// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import scala.collection.mutable
import scala.util.Using

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}
import io.github.pysparklance.testkit.{RecordedSearch, VectorCase, VectorFixtures}

/** Searches in vector indices of other writers find the rows and distances of the reference, after
  * any changes of the table.
  */
class VectorFixturesSuite extends AnyFunSuite {
  import VectorFixturesSuite._

  test("the fixtures contain every kind of vector index") {
    val families = VectorFixtures.kept.map(_.family).toSet
    assert(families == Set(
      "ivf_flat",
      "ivf_flat_multi",
      "ivf_pq",
      "ivf_rq",
      "ivf_sq",
      "hnsw_flat",
      "hnsw_pq",
      "hnsw_sq"
    ))
  }

  VectorFixtures.cases.foreach { c =>
    test(c.name) {
      val table = LanceTable.open(Storage.local, c.path.toString)
      val field = table.schema.field("v").get
      val metric = Metric.parse(c.metric)
      val indices = new VectorIndices(table, new IndexMeter, new IndexCache(64L << 20))
      if (isFirstGraphs(c)) {
        assert(indices.names.nonEmpty)
        assert(indices.find(field.id, None).isEmpty)
      } else {
        val index = indices.find(field.id, Some(metric)).get
        val rows = TableRows(table)
        c.queries.zipWithIndex.foreach { case (q, i) =>
          withClue(s"query $i: ") {
            val found = search(indices, index, rows, q)
            check(c, q, found)
            // again, from the cache
            val again = search(indices, index, rows, q)
            assert(again == found)
          }
        }
      }
    }
  }

  private def search(
      indices: VectorIndices,
      index: VectorIndex,
      rows: TableRows,
      q: RecordedSearch
  ): IndexedSeq[(Long, Float)] = {
    val vectors = q.vectors.map(index.column.query)
    val uncovered = indices.uncovered(index)
    val scale = index.segments.head._2.quantizer.scale
    val query = VectorQuery(
      k = q.k,
      nprobes = Some(q.nprobes),
      // Rows outside of the index have true distances.
      refineFactor =
        if (uncovered.isEmpty) q.refineFactor else Some(q.refineFactor.getOrElse(1)),
      ef = q.ef,
      // The reference takes bounds on the scale of the index.
      lowerBound = q.range.map(r => scale.toMetric(r._1)),
      upperBound = q.range.map(r => scale.toMetric(r._2))
    )
    val accepted = q.filter.map(rows.matching)
    val statistics = new SearchStatistics
    val answer = indices.search(index, vectors, query, accepted, statistics)
    assert(answer.uncovered == uncovered)
    val source = new TableVectors(rows.table, index.column)
    val known =
      if (query.refineFactor.isEmpty) answer
      else Refinement(answer, index.column, vectors, index.metric, query, source, statistics)
    val others = rows.addresses
      .filter(a => uncovered.contains((a >>> 32).toInt) && accepted.forall(_.contains(a)))
    val exact =
      if (others.isEmpty) FoundRows.empty
      else
        Refinement(
          new VectorResult(
            new FoundRows(others, new Array[Float](others.length)),
            others,
            DistanceScale.OfMetric,
            Nil,
            uncovered
          ),
          index.column,
          vectors,
          index.metric,
          query,
          source,
          statistics
        ).rows
    FoundRows.merge(
      Seq(new FoundRows(known.addresses, known.rows.distances), exact),
      q.k
    ) match {
      case found => found.rows.toIndexedSeq.map(rows.idOf).zip(found.distances)
    }
  }
}

private[pysparklance] object VectorFixturesSuite {
  import org.scalatest.Assertions._

  /** The unsupported generation of HNSW. */
  def isFirstGraphs(c: VectorCase): Boolean =
    c.writtenBy == "0.10.18" && c.family.startsWith("hnsw")

  /** The first rows that the reference recorded. */
  private val recorded = 30

  def check(c: VectorCase, q: RecordedSearch, found: IndexedSeq[(Long, Float)]): Assertion =
    if (q.error.isDefined || c.family == "ivf_rq") checkRecall(q, found)
    else if (lacksRows(c) && c.family.endsWith("multi")) checkRecall(q, found)
    else if (lacksRows(c)) checkContained(q, found)
    else if (q.range.isDefined && c.family.endsWith("pq") && c.name.endsWith("-appended"))
      checkInRange(q, found)
    else {
      val (own, reference) = (inside(q, found), inside(q, q.reference))
      if (q.range.isEmpty) assert(found.length == q.count)
      val first = own.take(recorded)
      val wanted = reference.take(recorded)
      assert(first.length == wanted.length)
      first.zip(wanted).zipWithIndex.foreach { case (((id, d), (refId, refD)), i) =>
        assert(isNear(d, refD), s"row $i: $id at $d, not $refId at $refD")
      }
      // Rows at the last distance may differ.
      val last = if (first.isEmpty) 0f else first.last._2
      def inner(rows: IndexedSeq[(Long, Float)]): Set[Long] =
        rows.filter { case (_, d) => d < last && !isNear(d, last) }.map(_._1).toSet
      assert(inner(first) == inner(wanted))
    }

  /** Rows that are certainly within the range, because recorded bounds and distances are rounded.
    */
  private def inside(
      q: RecordedSearch,
      rows: IndexedSeq[(Long, Float)]
  ): IndexedSeq[(Long, Float)] =
    q.range.fold(rows) { case (from, until) =>
      rows.filter { case (_, d) => Seq(from, until).forall(b => math.abs(d - b) > 2e-6 * b) }
    }

  /** After a compaction with stable row ids, the reference finds deleted rows first, and removes
    * them afterwards.
    */
  private def lacksRows(c: VectorCase): Boolean = c.name.endsWith("-stable-compacted")

  /** Checks that all rows of the reference are found. Additional rows before the last of them must
    * be rows that the reference removed.
    */
  private def checkContained(q: RecordedSearch, found: IndexedSeq[(Long, Float)]): Assertion = {
    val distances = found.toMap
    assert(found.length == q.k || q.range.isDefined || q.k > 100)
    inside(q, q.reference).foreach { case (id, d) =>
      assert(distances.get(id).exists(isNear(_, d)), s"$id at $d is not in $found")
    }
    assert(found.length >= q.count || q.range.isDefined)
  }

  /** Checks that all rows of the reference are found, and that additional rows are within the
    * range. The reference drops rows whose codes are outside of the range before refinement.
    */
  private def checkInRange(q: RecordedSearch, found: IndexedSeq[(Long, Float)]): Assertion = {
    val (from, until) = q.range.get
    val exact = q.exact.toMap
    inside(q, found).foreach { case (id, d) =>
      assert(d >= from && d < until, s"$id at $d is not within $from to $until")
      assert(exact.get(id).forall(isNear(d, _)), s"$id at $d is at ${exact.get(id)}")
    }
    assert(found.map(_._2) == found.map(_._2).sorted)
    checkContained(q, found)
  }

  private def isNear(a: Float, b: Float): Boolean =
    math.abs(a - b) <= 1e-4 * math.max(math.abs(b), 1e-2)

  /** Distances of RaBitQ codes: the reference rounds inner products with the query to 8 bits, we do
    * not.
    */
  private def checkRecall(
      q: RecordedSearch,
      found: IndexedSeq[(Long, Float)]
  ): Assertion = {
    val wanted = q.exact.take(math.min(q.k, 20)).map(_._1).toSet
    def recall(rows: IndexedSeq[(Long, Float)]): Double =
      rows.take(recorded).count(r => wanted(r._1)).toDouble / math.max(wanted.size, 1)
    assert(found.map(_._1).distinct.length == found.length)
    assert(found.map(_._2) == found.map(_._2).sorted)
    if (q.range.isEmpty) {
      assert(found.length >= q.count)
      val least = if (q.error.isDefined) 0.5 else recall(q.reference) - 0.15
      if (q.nprobes > 1)
        assert(recall(found) >= least, s"${found.take(10)} for ${q.exact.take(10)}")
      if (q.error.isEmpty && q.vectors.length == 1) {
        val common = found.take(recorded).map(_._1).toSet.intersect(q.reference.map(_._1).toSet)
        assert(common.size >= q.reference.length * 0.7)
        val distances = found.toMap
        val errors = q.reference.flatMap { case (id, d) => distances.get(id).map(_ - d) }
        val scale = q.reference.map(r => math.abs(r._2)).sum / q.reference.length
        assert(math.abs(errors.sum / errors.length) <= 0.25 * scale + 0.1)
      }
    }
    succeed
  }

  /** The live rows of a table. */
  final case class TableRows(
      table: LanceTable,
      addresses: Array[Long],
      ids: Array[Long],
      groups: Array[Long]
  ) {
    val idOf: Map[Long, Long] = addresses.zip(ids).toMap

    /** Addresses of the rows that match a filter of the fixtures. */
    def matching(filter: String): AddressSet = {
      val keeps: Int => Boolean = filter match {
        case "id % 5 = 0" => ids(_) % 5 == 0
        case "g = 3" => groups(_) == 3
      }
      AddressSet.of(addresses.indices.filter(keeps).map(addresses(_)).toArray)
    }
  }

  object TableRows {
    def apply(table: LanceTable): TableRows = {
      val columns = IndexedSeq("id", "g").map(table.schema.field(_).get)
      val found = IndexedSeq.fill(3)(mutable.ArrayBuffer.empty[Long])
      table.fragments.indices.foreach { i =>
        val rows = RowRange(0, table.physicalRows(table.fragments(i)))
        val computed = IndexedSeq(MetadataColumn.RowAddr)
        val scan =
          FragmentScan(table, i, rows, None, FragmentScan.defaultGapRows, computed)
        Using.resource(FragmentReader.open(table.store, scan, columns, computed, 1024)) { reader =>
          while (reader.next())
            (0 until reader.numLive).foreach { l =>
              val row = if (reader.live == null) l else reader.live(l)
              Seq(2, 0, 1).zipWithIndex.foreach { case (c, to) =>
                found(to) += number(reader.columns(c), row)
              }
            }
        }
      }
      TableRows(table, found(0).toArray, found(1).toArray, found(2).toArray)
    }

    private def number(column: Column, row: Int): Long = column match {
      case LeafColumn(v: LongValues, _) => v.array(row)
      case LeafColumn(v: IntValues, _) => v.array(row).toLong
      case ConstantColumn(v: LongValues, _, _) => v.array(0)
      case ConstantColumn(v: IntValues, _, _) => v.array(0).toLong
      case other => fail(s"numbers in a ${other.getClass.getSimpleName}")
    }
  }
}
