// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.{Files, Path}
import java.util.UUID

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Opens tables of 1 to 10,000 fragments and appends a fragment, compared with pylance, and reports
  * the sizes of the manifests. Reads and writes only versions, no data.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.TableBenchmark --work DIR --out FILE \
  *     [--python INTERPRETER] [--fragments 1,100,1000,10000] [--iterations 20]"
  * }}}
  * Without an interpreter, pylance is skipped. pylance runs `python/benchmarks/table.py` on copies
  * of the same tables. Both append the same number of fragments, and then open the table. The first
  * rounds are warm-up.
  */
object TableBenchmark {
  private val store = Storage.local
  private val warmUps = 20

  private val schema = Schema(
    IndexedSeq("id", "value").map(Field(-1, _, LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val work = Path.of(options("work")).toAbsolutePath
    val iterations = options.getOrElse("iterations", "20").toInt
    val counts = options.getOrElse("fragments", "1,100,1000,10000").split(',').map(_.toInt).toSeq
    Runs.clear(work)
    val measured = counts.map { n =>
      Runs.progress(s"$n fragments")
      val path = work.resolve(s"$n.lance")
      create(path, n)
      val manifest = s"manifest, $n" -> f"${latestManifestBytes(path)}%,d bytes"
      val theirs = options.get("python").fold(Seq.empty[Timing]) { python =>
        val copy = work.resolve(s"$n-pylance.lance")
        Runs.copy(path, copy)
        pylance(python, copy, n, iterations)
      }
      manifest -> (theirs ++ ours(path, n, iterations))
    }
    val head = Results.header(
      "Versions of tables by their number of fragments",
      ("iterations" -> s"$iterations, after $warmUps warm-ups of ours") +: measured.map(_._1): _*
    )
    val table = Results.table(measured.flatMap(_._2), "pylance", digits = 2)
    Results.write(Path.of(options("out")), head + "\n" + table)
    println(head + "\n" + table)
  }

  private def fragment(): Fragment = Fragment.unassigned(
    Seq(DataFile(
      s"${UUID.randomUUID}-${UUID.randomUUID.toString.take(13)}.lance",
      IndexedSeq(0, 1),
      IndexedSeq(0, 1),
      FileVersion.default,
      123456
    )),
    1000
  )

  private def create(path: Path, fragments: Int): Unit =
    LanceTable.create(store, path.toString, schema, IndexedSeq.fill(fragments)(fragment())): Unit

  private def latestManifestBytes(path: Path): Long = {
    val files = Files.list(path.resolve("_versions"))
    // The latest version has the lowest name.
    try Files.size(files.iterator.asScala.filter(_.toString.endsWith(".manifest")).min)
    finally files.close()
  }

  private def ours(path: Path, n: Int, iterations: Int): Seq[Timing] = {
    var table = LanceTable.open(store, path.toString)
    def append(): Unit = table = table.append(IndexedSeq(fragment()))
    def open(): Unit = require(LanceTable.open(store, path.toString).fragments.length >= n)
    (1 to warmUps).foreach(_ => open())
    val appends = times(iterations, warmUps)(append())
    Seq(
      Timing(s"append a fragment to $n", "lance", appends),
      Timing(s"open $n fragments", "lance", times(iterations, warmUps)(open()))
    )
  }

  private def times(iterations: Int, warmUps: Int)(run: => Unit): IndexedSeq[Double] =
    (1 to warmUps + iterations).map { _ =>
      val start = System.nanoTime()
      run
      (System.nanoTime() - start) / 1e6
    }.drop(warmUps)

  /** Parses the times of pylance: a line for each task, a word for each time. */
  private def pylance(python: String, path: Path, n: Int, iterations: Int): Seq[Timing] = {
    val rounds = Seq(warmUps + iterations, iterations).map(_.toString)
    val lines = Runs.python(python, "benchmarks.table", path.toString +: rounds: _*)
    val tasks = Seq(s"append a fragment to $n", s"open $n fragments")
    tasks.zip(lines).map { case (task, line) =>
      Timing(task, "pylance", line.split(' ').map(_.toDouble).toIndexedSeq)
    }
  }
}
