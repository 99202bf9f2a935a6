// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.vector.search._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{VectorCase, VectorFixtures}

/** The work of the tasks of a search. */
class ProbeTasksSuite extends AnyFunSuite {

  private def opened(c: VectorCase): (VectorIndices, VectorIndex) = {
    val table = LanceTable.open(Storage.local, c.path.toString)
    val indices = new VectorIndices(table, new IndexMeter, new IndexCache(64L << 20))
    (indices, indices.find(table.schema.field("v").get.id, None).get)
  }

  private def vectorsOf(c: VectorCase): IndexedSeq[Array[Double]] =
    c.queries.map(_.vectors.head).distinct

  test("a task searches the partitions that it receives, in any order of their distances") {
    val some =
      VectorFixtures.kept.filter(c => c.name.endsWith("plain-fresh") && !c.name.contains("multi"))
    assert(some.nonEmpty)
    some.foreach { c =>
      val (indices, index) = opened(c)
      index.segments.foreach { case (segment, open) =>
        val numbers = (0 until open.numPartitions).filter(open.numVectors(_) > 0)
        numbers.foreach { number =>
          val probes = new VectorProbes(vectorsOf(c).head, Array(number), Array(1f))
          val work = new ProbeWork(
            segment.uuid,
            indices.covered(segment),
            VectorQuery(k = 100000),
            IndexedSeq(probes),
            comparesAll = false
          )
          val statistics = new SearchStatistics
          val found = indices.probe(index, work, None, statistics).get
          val stored = open.load(indices.filesOf(segment), IndexedSeq(number)).head.rows
          withClue(s"${c.name}, partition $number: ") {
            assert(found.map(_.rows.toSet) == IndexedSeq(stored.toSet))
            assert(statistics.partitionsProbed == 1)
          }
        }
      }
    }
  }

  test("a task carries only the vectors that probe its partitions, and no partition twice") {
    val c = VectorFixtures.kept.find(_.name.endsWith("ivf_flat-plain-compacted")).get
    val (indices, index) = opened(c)
    val vector = vectorsOf(c).head
    // as rounded to the type of the column
    val near = index.column.query(vector).values
    val far = index.column.query(vector.map(_ + 1e4)).values
    val works = mutable.ArrayBuffer.empty[ProbeWork]
    val tasks = new ProbeTasks {
      def bytesHere: Long = -1
      def parallelism: Int = 2
      def run(work: IndexedSeq[ProbeWork]): IndexedSeq[Option[IndexedSeq[FoundRows]]] = {
        works ++= work
        work.map(indices.probe(index, _, None, new SearchStatistics))
      }
    }
    // The first vector has enough rows in one partition. The second one has none within the bound.
    val query = VectorQuery(k = 3, searchEffort = Some(0.0), upperBound = Some(1e5f))
    val queries = IndexedSeq(near, far).map(v => Seq(index.column.query(v)))
    val found = indices.searchAll(index, queries, query, tasks = Some(tasks))
    val here = indices.searchAll(index, queries, query)
    assert(found.map(_.rows.numRows) == IndexedSeq(3, 0))
    assert(found.head.rows.rows.toSeq == here.head.rows.rows.toSeq)
    assert(works.head.vectors.map(_.vector.head).toSet == Set(near.head, far.head))
    assert(works.length > 2)
    assert(works.tail.forall(_.vectors.map(_.vector.head) == IndexedSeq(far.head)))
    val probed = for {
      work <- works
      its <- work.vectors
      number <- its.partitions
    } yield (work.segment, its.vector.head, number)
    assert(probed.distinct == probed)
    val numPartitions = index.segments.map { case (_, open) =>
      (0 until open.numPartitions).count(open.numVectors(_) > 0)
    }.sum
    assert(probed.count(_._2 == far.head) == numPartitions)
  }
}
