// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.nio.file.{Files, Path, Paths}

import scala.util.{Random, Using}

import com.google.protobuf.{Any => ProtobufAny}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3.{PlanarLayout, StructuralPlane, ValuePlane}
import io.github.pysparklance.file.metadata.DataFileMetadata
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.{CountingStorage, TemporaryFolder, TestRun}

/** Files of version 2.3 with sparse pages, as written by `make_files.py`. */
class PlanarFileSuite extends AnyFunSuite with TemporaryFolder {
  import DataFileReaderSuite._
  import PlanarFileSuite._

  private val path = golden("sparse_v2_3")
  private val schema = schemaOf(path)

  private def column(name: String): Int = schema.fields.indexWhere(_.name == name)

  private def rows(
      names: Seq[String],
      rows: Seq[RowRange],
      batch: Int = 1 << 20,
      budget: ReadBudget = ReadBudget.default,
      storage: FileStore = Storage.local,
      file: String = path
  ): Seq[Seq[Any]] = {
    val all = projections(schema)
    read(storage, file, names.map(n => all(column(n))).toIndexedSeq, rows, batch, budget)
  }

  test("the file contains every layout without levels") {
    Using.resource(Storage.local.open(path)) { r =>
      val metadata = DataFileMetadata.read(r, None)
      val planes = schema.fields.indices.map { i =>
        val any = ProtobufAny.parseFrom(metadata.column(i).pages.head.encoding)
        val layout = PlanarLayout.parseFrom(any.getValue)
        assert(layout.getStructure.getCodecCase == StructuralPlane.CodecCase.SPARSE)
        schema.fields(i).name -> layout.getValues.getCodecCase
      }.toMap
      import ValuePlane.CodecCase._
      assert(
        planes == Map(
          "chunked" -> CHUNKED,
          "zipped" -> ZIPPED,
          "vectors" -> ZIPPED,
          "constant" -> CONSTANT,
          "none" -> NONE,
          "indexed" -> INDEXED,
          "deep" -> CHUNKED,
          "pairs" -> CHUNKED
        )
      )
    }
  }

  expected.foreach { case (name, values) =>
    test(s"column $name, whole, in batches, and in row ranges") {
      val ranges = Seq(
        Seq(RowRange(0, 200)),
        Seq(RowRange(0, 0), RowRange(3, 4)),
        Seq(RowRange(199, 200)),
        Seq(RowRange(10, 71), RowRange(71, 72), RowRange(150, 199)),
        (0 until 200 by 3).map(i => RowRange(i.toLong, i + 1L))
      )
      for {
        wanted <- ranges
        batch <- Seq(1 << 20, 33, 7, 1)
        budget <- Seq(ReadBudget.default, ReadBudget(1, 1))
      } {
        val found = rows(Seq(name), wanted, batch, budget)
        assert(
          found.map(_.head) == wanted.flatMap(r => r.from.toInt until r.until.toInt).map(values)
        )
      }
    }
  }

  test("all columns together") {
    val found = rows(expected.map(_._1), Seq(RowRange(0, 200)), batch = 19)
    assert(found == (0 until 200).map(i => expected.map(_._2(i))))
  }

  test("corrupt bytes anywhere return rows or raise Lance errors") {
    val whole = Files.readAllBytes(Paths.get(path))
    val random = new Random(23)
    val copy: Path = folder.resolve("sparse.lance")
    (1 to (if (TestRun.isLong) 400 else 150)).foreach { i =>
      val damaged = whole.clone()
      // Change the metadata at the end more often than the values.
      val at =
        if (random.nextBoolean()) random.nextInt(whole.length)
        else whole.length - 1 - random.nextInt(8000)
      damaged(at) = (damaged(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(copy, damaged)
      try rows(expected.map(_._1), Seq(RowRange(0, 200)), 64, file = copy.toString): Unit
      catch {
        case e: LanceException =>
          assert(e.place.path.contains(copy.toString), s"change $i at byte $at: $e")
      }
    }
  }

  test("a take reads the pages it needs once") {
    val storage = new CountingStorage
    assert(rows(Seq("constant"), Seq(RowRange(8, 9)), storage = storage).map(_.head) ==
      Seq(expected.toMap.apply("constant")(8)))
    assert(storage.reads.get <= 2)
  }
}

object PlanarFileSuite {
  private def text(s: String): Any = s.getBytes("UTF-8").toSeq

  private def lists(item: (Int, Int) => Any): Int => Any =
    i => if (i % 7 == 3) null else (0 until i * i % 5 % 4).map(k => item(i, k))

  /** Row i of each column of `sparse_v2_3`. */
  val expected: Seq[(String, Int => Any)] = Seq(
    "chunked" -> lists((i, k) => if (k == 1) null else i + k),
    "zipped" -> { i: Int =>
      if (i % 4 == 1) null else Seq(if (i % 6 == 1) text(f"$i%03d" * 100) else null)
    },
    "vectors" -> { i: Int => if (i % 9 == 4) (0 until 80).map(i * 80 + _) else null },
    "constant" -> lists((i, _) => if (i % 5 == 0) null else 7),
    "none" -> lists((_, _) => null),
    "indexed" -> { i: Int =>
      if (i % 3 == 2) null else Seq.fill(i % 3 + 1)(text(f"${i % 64}%04d" * 256))
    },
    "deep" -> { i: Int =>
      if (i % 10 == 9) null
      else
        (0 until i % 4).map { k =>
          if (k == 2) null else Seq(if (i % 4 == 0) null else Seq.fill(k)(text(s"s$i")))
        }
    },
    "pairs" -> { i: Int =>
      if (i % 8 == 7) null
      else
        (0 until i % 3).map { k =>
          if (k == 1) null else Seq(if (i % 5 == 0) null else Seq(i + k), Seq(null))
        }
    }
  )
}
