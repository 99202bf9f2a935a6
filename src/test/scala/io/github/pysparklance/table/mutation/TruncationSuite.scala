// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.mutation

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.testkit.{MemoryStorage, TestRun}

/** Truncated files raise a Lance error with their path: all small data files of the fixtures and of
  * this source tree, and manifests of some of their tables (of all in `make test-long`).
  */
class TruncationSuite extends AnyFunSuite {
  private val step = 64
  private val mostBytes = 64L << 10
  private val isLong = TestRun.isLong

  private def dataFiles(name: String): Seq[Path] = {
    val folder = SourceTable.folder(name).resolve("data")
    if (!Files.isDirectory(folder)) Seq.empty
    else
      Using.resource(Files.list(folder)) {
        _.iterator.asScala
          .filter(f => f.toString.endsWith(".lance") && Files.size(f) <= mostBytes)
          .toIndexedSeq
      }
  }

  SourceTable.names.groupBy(
    SourceTable.versionOf
  ).filter(_._1.nonEmpty).toSeq.sortBy(_._1).foreach {
    case (version, names) =>
      test(s"data files of version $version truncated at every $step bytes") {
        var cuts = 0
        names.flatMap(dataFiles).distinct.foreach { file =>
          val path = file.toString
          val bytes = Files.readAllBytes(file)
          (0 until bytes.length by step).foreach { length =>
            val cut = MemoryStorage.reader(path, bytes, length.toLong)
            val e = intercept[LanceException](DataFiles.open(cut, IndexedSeq(0), IndexedSeq(0), 1))
            if (!e.place.path.contains(path)) fail(s"$path cut at $length: $e")
            cuts += 1
          }
        }
        info(s"$cuts cuts")
      }

      test(s"manifests of tables of version $version truncated at every $step bytes") {
        var cuts = 0
        val some = names.zipWithIndex.collect {
          case (name, i) if isLong || SourceTable.isOwn(name) || i % 12 == 0 => name
        }
        some.flatMap(SourceTable.load(_)).foreach { table =>
          val bytes = table.storage.bytes(table.manifestPath)
          (0 until bytes.length by step).foreach { length =>
            val cut = Mutation(Room.Manifests, table.manifestPath, bytes.take(length), "")
            val e = intercept[LanceException](table.read(cut))
            if (!e.getMessage.contains(table.root)) fail(s"${table.name} cut at $length: $e")
            cuts += 1
          }
        }
        info(s"$cuts cuts")
      }
  }
}
