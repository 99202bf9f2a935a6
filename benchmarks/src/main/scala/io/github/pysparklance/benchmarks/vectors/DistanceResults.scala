// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.vectors

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.openjdk.jmh.results.RunResult
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.{OptionsBuilder, VerboseMode}

import io.github.pysparklance.benchmarks.Results

/** Runs [[DistanceBenchmark]], and writes a table of the speeds relative to the memory bandwidth of
  * one core.
  *
  * `./sbt 'benchmarks/Jmh/runMain io.github.pysparklance.benchmarks.vectors.DistanceResults
  * out.txt'`
  */
object DistanceResults {
  private val target = 0.6
  private val bytes = (64 << 20).toDouble

  /** The speed of a kernel.
    *
    * @param kernels `vector` for the Vector API, `loops` for plain loops
    * @param computed bytes of vectors per nanosecond
    * @param read bytes per nanosecond of a loop that only reads
    */
  final private case class Line(
      kernels: String,
      metric: String,
      element: String,
      dimension: String,
      computed: Double,
      read: Double
  ) {
    def share: Double = computed / read

    def hasTarget: Boolean =
      kernels == "vector" && metric == "l2" && element == "float32"
  }

  def main(args: Array[String]): Unit = {
    val floats = lines(Seq("vector", "loops"), Seq("l2", "cosine", "dot"), Seq("float32"))
    val others = lines(
      Seq("vector", "loops"),
      Seq("l2"),
      DistanceBenchmark.elements.map(_.name).filter(_ != "float32")
    )
    val text = Results.header(
      "Distances of one query from vectors of 64 MB: one thread, medians",
      "read" -> "a loop that adds up as many bytes: the memory bandwidth of one core",
      "target" -> "0.60 of the bandwidth for L2 of float32 with the Vector API"
    ) + "\n" + table(floats ++ others)
    println(text)
    Results.write(Path.of(args(0)), text)
  }

  private def lines(
      kernels: Seq[String],
      metrics: Seq[String],
      elements: Seq[String]
  ): Seq[Line] = {
    val options = new OptionsBuilder()
      .include(s"\\.${classOf[DistanceBenchmark].getSimpleName}\\.")
      .param("kernels", kernels: _*)
      .param("metric", metrics: _*)
      .param("element", elements: _*)
      .shouldFailOnError(true)
      .verbosity(VerboseMode.SILENT)
      .build()
    val results = new Runner(options).run().asScala.toSeq
    val (computed, read) = results.partition(_.getPrimaryResult.getLabel == "compute")
    computed.map { c =>
      def parameter(of: RunResult, name: String) = of.getParams.getParam(name)
      val names = Seq("kernels", "metric", "element", "dimension")
      val same = read.find(r => names.forall(n => parameter(r, n) == parameter(c, n))).get
      val Seq(kernel, metric, element, dimension) = names.map(parameter(c, _)): @unchecked
      Line(kernel, metric, element, dimension, speed(c), speed(same))
    }
  }

  /** Bytes per nanosecond. */
  private def speed(result: RunResult): Double =
    bytes / (result.getPrimaryResult.getStatistics.getPercentile(50) * 1000)

  private def table(lines: Seq[Line]): String = {
    val head = f"${"kernels"}%-8s ${"metric"}%-8s ${"element"}%-9s ${"dimension"}%9s " +
      f"${"GB/s"}%8s ${"read"}%8s ${"/ read"}%8s  met"
    val rows = lines.map { l =>
      val met = if (!l.hasTarget) "" else if (l.share >= target) "yes" else "no"
      f"${l.kernels}%-8s ${l.metric}%-8s ${l.element}%-9s ${l.dimension}%9s " +
        f"${l.computed}%8.1f ${l.read}%8.1f ${l.share}%8.2f  $met"
    }
    (head +: "-" * head.length +: rows.map(_.replaceAll(" +$", ""))).mkString("\n") + "\n"
  }
}
