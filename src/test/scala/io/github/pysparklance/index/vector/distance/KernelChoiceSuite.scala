// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.vector.VectorIndices
import io.github.pysparklance.index.vector.search.VectorQuery
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{OtherJvm, VectorFixtures}

/** The choice of kernels in a JVM without the module of the Vector API. */
class KernelChoiceSuite extends AnyFunSuite {

  test("a JVM without the module of the Vector API searches with loops") {
    val process = OtherJvm.start(KernelChoice.getClass.getName.stripSuffix("$"), "10")
    val lines =
      try OtherJvm.lines(process).toIndexedSeq
      finally process.destroyForcibly(): Unit
    assert(lines.head == Kernels.loops.name)
    val found = lines.tail.map(KernelChoice.parse)
    val here = KernelChoice.search(10)
    assert(found.map(_._1) == here.map(_._1) && here.length >= 8)
    found.zip(here).foreach { case ((name, rows), (_, wanted)) =>
      withClue(s"$name: ") {
        assert(rows.length == wanted.length && rows.nonEmpty)
        // Kernels round differently, so the bounds of RQ may skip other rows.
        if (name.contains("ivf_rq"))
          assert(rows.toMap.keySet.intersect(wanted.toMap.keySet).size >= 8)
        else
          rows.zip(wanted).foreach { case ((_, a), (_, b)) =>
            assert(math.abs(a - b) <= 1e-4f * math.max(1f, math.abs(b)))
          }
      }
    }
  }
}

/** Prints the name of the kernels and the results of searches. */
private object KernelChoice {

  /** `K`: number of rows to search for. */
  def main(arguments: Array[String]): Unit = {
    println(Kernels.best.name)
    search(arguments.head.toInt).foreach { case (name, rows) =>
      println(name + rows.map { case (row, distance) => s" $row $distance" }.mkString)
    }
  }

  /** Searches all partitions of the stored indices. Returns row ids and distances. */
  def search(k: Int): IndexedSeq[(String, Seq[(Long, Float)])] =
    for {
      c <- VectorFixtures.kept
      if c.name.endsWith("plain-fresh") && !c.family.endsWith("multi")
    } yield {
      val table = LanceTable.open(Storage.local, c.path.toString)
      val indices = new VectorIndices(table, new IndexMeter, new IndexCache(16L << 20))
      val index = indices.find(table.schema.field("v").get.id, None).get
      val vector = index.column.query(c.queries.head.vectors.head)
      val query = VectorQuery(k, nprobes = Some(1000), ef = Some(200))
      val rows = indices.searchAll(index, IndexedSeq(Seq(vector)), query).head.rows
      c.name -> rows.rows.indices.map(i => rows.rows(i) -> rows.distances(i))
    }

  def parse(line: String): (String, Seq[(Long, Float)]) = {
    val words = line.split(' ').toSeq
    words.head -> words.tail.grouped(2).map(pair => pair.head.toLong -> pair.last.toFloat).toSeq
  }
}
