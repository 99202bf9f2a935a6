// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, LanceException}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.distance.ElementType
import io.github.pysparklance.index.vector.search._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.testkit.{TemporaryFolder, VectorCase, VectorFixtures}

/** Reads damaged files of vector indices: each raises a Lance error, or the search returns rows. */
class VectorDamageSuite extends AnyFunSuite with TemporaryFolder {

  private def open(path: Path): IndexFiles =
    new IndexFiles(Storage.local, TablePath(path.toString), Array.emptyByteArray, 1, Map.empty)

  /** Searches all partitions. */
  private def search(path: Path, c: VectorCase): Int = {
    val files = open(path)
    val segment = VectorSegment.open(files)
    val element =
      if (c.metric == "hamming") ElementType.UInt8
      else if (c.name.contains("float16")) ElementType.Float16
      else ElementType.Float32
    val query = VectorQuery(nprobes = Some(1 << 20))
    val vector = QueryVector.of(element, c.queries.head.vectors.head)
    val run = new SegmentSearch(segment, vector, query, RowMask.All, new SearchStatistics)
    val top = new TopRows(query.numCandidates)
    (0 until run.initialProbes).foreach { rank =>
      val number = run.partition(rank)
      val partition = segment.load(files, IndexedSeq(number)).head
      run.probe(number, run.distance(rank), partition, partition.rows, top)
    }
    top.size
  }

  private def segments(c: VectorCase): IndexedSeq[Path] =
    Using.resource(Files.list(c.path.resolve("_indices")))(_.iterator.asScala.toIndexedSeq)
      .filter(p => Files.exists(p.resolve(VectorSegment.indexFile)))

  private def copy(from: Path): IndexedSeq[Path] =
    Using.resource(Files.list(from))(_.iterator.asScala.toIndexedSeq).map { file =>
      Files.copy(file, folder.resolve(file.getFileName))
    }

  VectorFixtures.kept.foreach { c =>
    test(s"${c.name}: cut files") {
      val files = copy(segments(c).head)
      assert(search(folder, c) == 10)
      val random = new Random(1)
      files.foreach { file =>
        val whole = Files.readAllBytes(file)
        val ends = Seq(0, 1, 8, 40, whole.length - 1, whole.length - 9) ++
          Seq.fill(6)(random.nextInt(whole.length))
        ends.filter(e => e >= 0 && e < whole.length).foreach { end =>
          Files.write(file, whole.take(end))
          withClue(s"${file.getFileName} of $end bytes: ")(
            intercept[LanceException](search(folder, c))
          )
        }
        Files.write(file, whole)
      }
    }

    test(s"${c.name}: changed bytes") {
      val files = copy(segments(c).head)
      val random = new Random(2)
      files.foreach { file =>
        val whole = Files.readAllBytes(file)
        for (round <- 0 until 60) {
          val bytes = whole.clone()
          // Metadata are at the end.
          val at =
            if (round % 2 == 0) random.nextInt(bytes.length)
            else bytes.length - 1 - random.nextInt(math.min(2000, bytes.length))
          (at until math.min(bytes.length, at + 1 + random.nextInt(4)))
            .foreach(i => bytes(i) = random.nextInt().toByte)
          Files.write(file, bytes)
          withClue(s"${file.getFileName}, byte $at: ") {
            try search(folder, c)
            catch { case _: LanceException => }
          }
        }
        Files.write(file, whole)
      }
    }
  }

  test("a graph with too many neighbors is rejected before it is extended") {
    def graph(m: Int) = IndexedSeq("", s"""{"params": {"m": $m}}""")
    assert(StoredSegment.parameters(graph(1024)).m == 1024)
    Seq(0, 1025, Int.MaxValue).foreach { m =>
      val e = intercept[CorruptFileException](StoredSegment.parameters(graph(m)))
      assert(e.getMessage.contains(s"m $m"))
    }
    Seq("ef_construction", "max_level").foreach { key =>
      Seq(0, Int.MaxValue).foreach { value =>
        val text = s"""{"params": {"m": 4, "$key": $value}}"""
        val e = intercept[CorruptFileException](StoredSegment.parameters(IndexedSeq(text)))
        assert(e.getMessage.contains(s"$key $value"))
      }
    }
  }

  test("errors name the file") {
    val c = VectorFixtures.kept.find(_.family == "ivf_sq").get
    val files = copy(segments(c).head)
    files.foreach { file =>
      val whole = Files.readAllBytes(file)
      Files.write(file, whole.take(whole.length / 2))
      val error = intercept[CorruptFileException](search(folder, c))
      assert(error.getMessage.contains(file.getFileName.toString))
      Files.write(file, whole)
    }
  }
}
