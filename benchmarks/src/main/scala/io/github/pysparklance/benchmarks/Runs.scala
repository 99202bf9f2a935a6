// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.{Files, Path}
import java.util.Comparator

import org.apache.spark.sql.SparkSession

/** What the benchmarks through Spark share. */
private[benchmarks] object Runs {

  /** `--name value` pairs of a command line. */
  def options(args: Array[String]): Map[String, String] =
    args.grouped(2).collect { case Array(k, v) => k.stripPrefix("--") -> v }.toMap

  def session(name: String, cores: String): SparkSession = {
    val spark = SparkSession
      .builder()
      .master(s"local[$cores]")
      .appName(name)
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "4")
      .config("spark.sql.session.timeZone", "UTC")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark
  }

  /** Every system once in each round, so that a drift of the machine meets all of them. */
  def measure(task: String, systems: Seq[(String, () => Unit)], iterations: Int): Seq[Timing] = {
    progress(task)
    (1 to 2).foreach(_ => systems.foreach(_._2()))
    val rounds = (1 to iterations).map { _ =>
      systems.map { case (_, run) =>
        val start = System.nanoTime()
        run()
        (System.nanoTime() - start) / 1e6
      }
    }
    systems.map(_._1).zip(rounds.transpose).map { case (system, millis) =>
      Timing(task, system, millis)
    }
  }

  /** Bytes of all files below a folder. */
  def sizeOf(root: Path): Long = {
    val files = Files.walk(root)
    try files.filter(Files.isRegularFile(_)).mapToLong(Files.size(_)).sum()
    finally files.close()
  }

  /** Copies a folder. */
  def copy(from: Path, to: Path): Unit = {
    val files = Files.walk(from)
    try files.forEach(f => Files.copy(f, to.resolve(from.relativize(f))): Unit)
    finally files.close()
  }

  /** Removes a folder. */
  def clear(root: Path): Unit =
    if (Files.exists(root)) {
      val files = Files.walk(root)
      try files.sorted(Comparator.reverseOrder[Path]).forEach(Files.delete(_))
      finally files.close()
    }

  def progress(what: String): Unit = println(s"[bench] $what")
}
