// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, LanceException}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.segment._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.testkit.{TemporaryFolder, TextCase, TextFixtures}

/** Damaged files of full-text indices raise Lance errors, or the undamaged parts are read. */
class TextDamageSuite extends AnyFunSuite with TemporaryFolder {

  /** Reads everything, and returns the number of documents in all posting lists. */
  private def read(path: Path): Long = {
    val files =
      new IndexFiles(Storage.local, TablePath(path.toString), Array.emptyByteArray, 3, Map.empty)
    val segment = TextSegment.open(files)
    val (block, positions) = (new PostingBlock, new PositionBlock)
    segment.partitions.map { partition =>
      partition.documents(files)
      val found = new java.util.ArrayList[String]
      partition.tokens.similar(new SimilarWord("fox", 3, 0), 100, found)
      found.asScala.foreach(token => assert(partition.tokens.id(token) >= 0))
      val ids = 0 until partition.tokens.numTokens
      partition.postings(files, ids, partition.hasPositions).map { list =>
        (0 until list.numBlocks).foreach { b =>
          list.read(b, block)
          if (list.hasPositions) list.readPositions(b, block, positions)
          val factors: ImpactFactors = (frequency, code) => (frequency + code).toFloat
          list.impacts.foreach(_.bounds(factors).ofBlock(b, factors): Unit)
        }
        list.numDocs.toLong
      }.sum
    }.sum
  }

  private def segments(c: TextCase): IndexedSeq[Path] =
    Using.resource(Files.list(c.path.resolve("_indices")))(_.iterator.asScala.toIndexedSeq)
      .filter { p =>
        Files.exists(p.resolve("metadata.lance")) || Files.exists(p.resolve("invert.lance"))
      }

  private def copy(from: Path): IndexedSeq[Path] =
    Using.resource(Files.list(from))(_.iterator.asScala.toIndexedSeq).map { file =>
      Files.copy(file, folder.resolve(file.getFileName))
    }

  TextFixtures.kept.foreach { c =>
    test(s"${c.name}: cut files") {
      val files = copy(segments(c).head)
      assert(read(folder) > 1000)
      val random = new Random(1)
      files.foreach { file =>
        val whole = Files.readAllBytes(file)
        val ends = Seq(0, 1, 8, 40, whole.length - 1, whole.length - 9) ++
          Seq.fill(4)(random.nextInt(whole.length))
        ends.filter(e => e >= 0 && e < whole.length).foreach { end =>
          Files.write(file, whole.take(end))
          withClue(s"${file.getFileName} of $end bytes: ")(intercept[LanceException](read(folder)))
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
            try read(folder)
            catch { case _: LanceException => }
          }
        }
        Files.write(file, whole)
      }
    }
  }

  test("errors name the damaged file") {
    TextFixtures.kept.foreach { c =>
      val files = copy(segments(c).head)
      files.foreach { file =>
        val whole = Files.readAllBytes(file)
        Files.write(file, whole.take(whole.length / 2))
        val error = intercept[CorruptFileException](read(folder))
        assert(error.getMessage.contains(file.getFileName.toString), c.name)
        Files.write(file, whole)
      }
      files.foreach(Files.delete(_))
    }
  }
}
