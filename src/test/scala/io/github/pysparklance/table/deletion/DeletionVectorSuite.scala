// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.deletion

import java.nio.file.Files

import scala.util.Random

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Buffer, CorruptFileException, LanceException, RowRange}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.DeletionFile
import io.github.pysparklance.testkit.{GoldenTables, PropertyChecks, TemporaryFolder, TestRun}

class DeletionVectorSuite extends AnyFunSuite with TemporaryFolder with PropertyChecks {

  private val offsets =
    Gen.listOf(Gen.frequency(5 -> Gen.choose(0, 300), 1 -> Gen.choose(0, 70000)))

  test("live ranges and deleted rows agree with single rows") {
    forAll(offsets, Gen.choose(0L, 400L), Gen.choose(0L, 70000L)) { (deleted, from, count) =>
      val v = DeletionVector.of(deleted.toArray)
      val rows = RowRange(from, from + count)
      val set = deleted.toSet
      val expected = (from until rows.until).filter(i => set(i.toInt)).map(i => (i - from).toInt)
      assert(v.deletedIn(rows).toSeq == expected)
      assert(v.numDeletedIn(rows) == expected.length)
      val live = v.liveRanges(rows).toSeq
      assert(live.forall(!_.isEmpty))
      assert(live.flatMap(r => r.from until r.until) == (from until rows.until).filterNot(i =>
        v.isDeleted(i)
      ))
      live.zip(live.drop(1)).foreach { case (a, b) => assert(a.until < b.from) }
    }
  }

  test("offsets are unsigned") {
    val v = DeletionVector.of(Array(-1, 5))
    assert(v.isDeleted(0xffffffffL) && !v.isDeleted(-1L) && v.numDeletedRows == 2)
    assert(v.deletedIn(RowRange(0xfffffff0L, 0x100000000L)).toSeq == Seq(15))
  }

  private val golden = LanceTable.open(Storage.local, GoldenTables.path("deletions.lance").toString)

  test("a pylance deletion file in Arrow format") {
    val f = golden.fragments(0)
    assert(f.deletionFile.get.fileType == DeletionFile.ArrowArray)
    val v = golden.deletionVector(f)
    assert(v.deletedIn(RowRange(0, 8000)).toSeq == Seq(3, 7999))
  }

  test("a pylance deletion file in Roaring format") {
    val f = golden.fragments(1)
    assert(f.deletionFile.get.fileType == DeletionFile.Bitmap)
    val v = golden.deletionVector(f)
    assert(v.numDeletedRows == 6000)
    assert((0L until 8000L).forall(i => v.isDeleted(i) == (i % 4 != 0)))
  }

  test("corrupt files raise Lance errors or contain other rows") {
    val seed = TestRun.seed
    val random = new Random(seed)
    golden.fragments.foreach { f =>
      val bytes = Files.readAllBytes(java.nio.file.Paths.get(golden.deletionPath(f).get))
      val path = folder.resolve("x")
      def read(damaged: Array[Byte]): DeletionVector = {
        Files.write(path, damaged)
        DeletionVector.read(Storage.local, path.toString, f.deletionFile.get, f.physicalRows)
      }
      Seq.tabulate(100)(i => i * bytes.length / 100).foreach { n =>
        val e = intercept[CorruptFileException](read(bytes.take(n)))
        assert(e.place.path.contains(path.toString) && e.getMessage.contains("corrupt"))
      }
      (0 until 1000).foreach { i =>
        val damaged = bytes.clone()
        (0 to random.nextInt(3)).foreach { _ =>
          damaged(random.nextInt(damaged.length)) = random.nextInt(256).toByte
        }
        try assert(read(damaged).numDeletedRows == f.deletionFile.get.numDeletedRows)
        catch {
          case _: LanceException => ()
          case e: Throwable => fail(s"seed $seed, round $i: $e", e)
        }
      }
    }
  }

  test("a number of rows that no writer stores in Arrow format is rejected before allocation") {
    val (few, many) = (4660L, 1L << 29)
    val bytes = ArrowDeletionFile.encode(Array.tabulate(few.toInt)(identity))
    (0 to bytes.length - 8).filter(Buffer.longAt(bytes, _) == few).foreach {
      Buffer.putLong(bytes, _, many)
    }
    val e = intercept[CorruptFileException](ArrowDeletionFile.decode(bytes))
    assert(e.getMessage.contains(s"its batch has $many rows"))
  }

  test("a file that does not match the fragment is corrupt") {
    val f = golden.fragments(0)
    val d = f.deletionFile.get
    val path = golden.deletionPath(f).get
    val many = intercept[CorruptFileException](
      DeletionVector.read(Storage.local, path, d.copy(numDeletedRows = 3), f.physicalRows)
    )
    assert(many.getMessage.contains("it has 2 rows, but the manifest declares 3"))
    val short = intercept[CorruptFileException](
      DeletionVector.read(Storage.local, path, d, Some(7999L))
    )
    assert(short.getMessage.contains("row 7999 of a fragment of 7999 rows"))
  }
}
