// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import java.util.concurrent.atomic.AtomicInteger

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder, TestRun}

class RowIdIndexSuite extends AnyFunSuite with TemporaryFolder {

  private class Counted(id: Long, ids: Array[Long], deleted: Int*) {
    val reads = new AtomicInteger
    val deletionReads = new AtomicInteger
    val entry = new RowIdIndex.Entry(
      id,
      () => {
        reads.incrementAndGet()
        RowIdSequence.of(ids)
      },
      () => {
        deletionReads.incrementAndGet()
        DeletionVector.of(deleted.toArray)
      }
    )
  }

  test("sequences are read once, and deletion files only for repeated ids") {
    val first = new Counted(0, (0L until 10L).toArray, 3, 4)
    val second = new Counted(1, Array(3L, 20L, 4L))
    val third = new Counted(2, (30L until 40L).toArray, 0)
    val index = new RowIdIndex(IndexedSeq(first, second, third).map(_.entry))
    assert(index.select(Array(35L, 5L)).map(_.ranges) ==
      Seq(Seq(RowRange(5, 6)), Seq.empty, Seq(RowRange(5, 6))))
    assert(Seq(first, second, third).forall(_.deletionReads.get == 0))
    assert(index.select(Array(4L, 3L, 3L, 99L)).map(_.ranges) ==
      Seq(Seq.empty, Seq(RowRange(0, 1), RowRange(2, 3)), Seq.empty))
    assert(index.addressesOf(Array(20L, 30L, 3L)).toSeq ==
      Seq(RowAddress(1, 1), RowAddress.none, RowAddress(1, 0)))
    assert(Seq(first, second, third).forall(_.reads.get == 1))
    assert(Seq(first, second, third).forall(_.deletionReads.get <= 1))
    assert(index.addressesOf(Array.empty).isEmpty && index.select(Array.empty).forall(_.isEmpty))
  }

  test("random sequences equal a map") {
    val seed = TestRun.seed
    val random = new Random(seed)
    (0 until 40).foreach { _ =>
      val ids = random.shuffle((0L until 200L).toIndexedSeq).take(20 + random.nextInt(150))
      val parts = ids.grouped(1 + random.nextInt(40)).toIndexedSeq.map { some =>
        if (random.nextBoolean()) some.sorted.toArray else some.toArray
      }
      val expected = parts.zipWithIndex.flatMap { case (p, f) =>
        p.zipWithIndex.map { case (id, i) => id -> RowAddress(f.toLong, i.toLong) }
      }.toMap
      val index = new RowIdIndex(parts.zipWithIndex.map { case (p, f) =>
        new Counted(f.toLong, p).entry
      })
      val wanted = Array.fill(30)(random.nextInt(220).toLong)
      assert(
        index.addressesOf(wanted).toSeq == wanted.map(expected.getOrElse(_, RowAddress.none)).toSeq,
        s"seed $seed"
      )
    }
  }

  test(
    "rows keep their ids through updates of both writers, and are found at their current position"
  ) {
    val path = folder.resolve("t").toString
    Pylance.write(
      "{'a': list(range(20))}",
      path,
      "max_rows_per_file" -> 8,
      "enable_stable_row_ids" -> true
    )
    Pylance.run(
      """
      |ds = dataset(path)
      |ds.update({'a': 'a + 100'}, where='a % 5 = 0')
      |ds.delete('a = 7')
      |ds.optimize.compact_files(target_rows_per_fragment=100)
      |ds.update({'a': 'a + 100'}, where='a = 3')
      |result = 0
      """.stripMargin,
      "path" -> path
    )
    val t = LanceTable.open(Storage.local, path)
    val rows = Pylance.run(
      "result = dataset(path).scanner(columns=['_rowid', '_rowaddr']).to_table().to_pylist()",
      "path" -> path
    )
    val ids = Array.tabulate(rows.size)(i => rows.get(i).get("_rowid").asLong)
    val addresses = Seq.tabulate(rows.size)(i => rows.get(i).get("_rowaddr").asLong)
    assert(t.rowIdIndex.addressesOf(ids).toSeq == addresses && ids.length == 19)
    assert(t.rowIdIndex.addressesOf(Array(7L, 500L)).forall(_ == RowAddress.none))
    assert(t.rowIdIndex eq t.rowIdIndex)
  }
}
