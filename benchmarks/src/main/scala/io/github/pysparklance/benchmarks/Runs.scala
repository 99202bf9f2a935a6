// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.Comparator

import org.apache.spark.sql.SparkSession

/** Shared code of benchmarks that run in a separate process. */
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

  /** Runs a module of `python/` from the root of the checkout; returns the lines that it prints.
    *
    * @param python the interpreter
    */
  def python(python: String, module: String, arguments: String*): IndexedSeq[String] = {
    val builder = new ProcessBuilder(Seq(python, "-m", module) ++ arguments: _*)
      .redirectError(ProcessBuilder.Redirect.INHERIT)
    builder.environment.put("PYTHONPATH", Path.of("python").toAbsolutePath.toString)
    val process = builder.start()
    val printed =
      new String(process.getInputStream.readAllBytes(), UTF_8).linesIterator.toIndexedSeq
    require(process.waitFor() == 0, s"$python -m $module ends with ${process.exitValue}")
    printed
  }

  def progress(what: String): Unit = println(s"[bench] $what")
}
