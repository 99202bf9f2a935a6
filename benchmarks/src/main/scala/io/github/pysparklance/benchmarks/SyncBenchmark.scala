// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Path
import java.util.SplittableRandom

import io.github.pysparklance.core.{Field, LeafColumn, LogicalType, LongValues, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.local.{Durability, LocalFileStore, LocalFiles}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** The cost of syncing files to the local disk: appends to a table with syncs, and without.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.SyncBenchmark --work DIR --out FILE \
  *     [--mebibytes 0,1,64,512] [--iterations 20]"
  * }}}
  * An append writes one data file of random numbers (0: one row) and commits it. The two systems
  * run in turn.
  */
object SyncBenchmark {
  private val warmUps = 3
  private val batchRows = 1 << 16
  private val schema = Schema(
    IndexedSeq(Field(-1, "id", LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  private val unsynced = new Durability {
    def syncFile(file: Path): Unit = ()
    def syncFolder(folder: Path): Unit = ()
  }

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val work = Path.of(options("work")).toAbsolutePath
    val iterations = options.getOrElse("iterations", "20").toInt
    val sizes = options.getOrElse("mebibytes", "0,1,64,512").split(',').map(_.toInt).toSeq
    Runs.clear(work)
    val systems =
      Seq[(String, FileStore)]("unsynced" -> new LocalFiles(unsynced), "synced" -> LocalFileStore)
    val timings = sizes.flatMap { mebibytes =>
      val rows = if (mebibytes == 0) 1 else mebibytes << 17
      Runs.progress(s"$rows rows")
      val paths = systems.map { case (name, store) =>
        val path = work.resolve(s"$name-$mebibytes.lance").toString
        LanceTable.create(store, path, schema)
        path
      }
      val times = (1 to warmUps + iterations).map { _ =>
        systems.zip(paths).map { case ((_, store), path) => millis(append(store, path, rows)) }
      }.drop(warmUps).transpose
      val task = if (mebibytes == 0) "append 1 row" else s"append $mebibytes MiB"
      Runs.clear(work)
      systems.map(_._1).zip(times).map { case (name, t) => Timing(task, name, t) }
    }
    val head = Results.header(
      "Appends to a table on a local disk, with and without syncs",
      "iterations" -> s"$iterations, after $warmUps warm-ups"
    )
    val table = Results.table(timings, "unsynced", digits = 1)
    Results.write(Path.of(options("out")), head + "\n" + table)
    println(head + "\n" + table)
  }

  private def append(store: FileStore, path: String, rows: Int): Unit =
    LanceTable.open(store, path).append(IndexedSeq(write(store, path, rows))): Unit

  private def write(store: FileStore, path: String, rows: Int): Fragment = {
    val out = FragmentWriter.open(store, path, schema, FileVersion.default)
    val random = new SplittableRandom(rows.toLong)
    (0 until rows by batchRows).foreach { from =>
      val n = math.min(batchRows, rows - from)
      val values = new LongValues
      (0 until n).foreach(_ => values.append(random.nextLong()))
      out.write(IndexedSeq(LeafColumn(values, null)), n)
    }
    out.finish()
  }

  private def millis(run: => Unit): Double = {
    val start = System.nanoTime()
    run
    (System.nanoTime() - start) / 1e6
  }
}
