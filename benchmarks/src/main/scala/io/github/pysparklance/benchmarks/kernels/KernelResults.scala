// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.results.RunResult
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.{OptionsBuilder, VerboseMode}

import io.github.pysparklance.benchmarks.Results
import io.github.pysparklance.benchmarks.kernels.Target.{GigaBytes, GigaValues, OfCopy}

/** Runs the kernels and writes a table of their speed, relative to a copy of their output.
  *
  * `./sbt 'benchmarks/Jmh/runMain io.github.pysparklance.benchmarks.kernels.KernelResults out.txt
  * bitpacking-u8 fsst'`: the arguments are the file, and the encodings (all by default).
  */
object KernelResults {

  /** Measurement of a kernel.
    *
    * @param nanos of one run, the median
    * @param copyNanos nanoseconds of the copy, if it is long enough to be timed
    */
  final case class Result(
      kernels: Kernels,
      of: String,
      numValues: Int,
      outBytes: Int,
      nanos: Double,
      copyNanos: Option[Double]
  ) {
    def gigaValues: Double = numValues / nanos
    def gigaBytes: Double = outBytes / nanos
    def copyGigaBytes: Option[Double] = copyNanos.map(outBytes / _)
    def ofCopy: Option[Double] = copyNanos.map(_ / nanos)

    def isMet: Option[Boolean] = kernels.target.map {
      case OfCopy(share) => ofCopy.exists(_ >= share)
      case GigaValues(perSecond) => gigaValues >= perSecond
      case GigaBytes(perSecond) => gigaBytes >= perSecond
    }
  }

  def main(args: Array[String]): Unit = {
    val chosen = if (args.length == 1) Kernels.all
    else args.tail.toSeq.map(n =>
      Kernels.all.find(_.name == n).getOrElse(throw new IllegalArgumentException(
        s"no kernels of $n, but of ${Kernels.all.map(_.name).mkString(", ")}"
      ))
    )
    val results = chosen.flatMap(measure)
    val text = Results.header(
      "Kernels: one thread, the median of all runs in 0.6 s",
      "copy" -> "System.arraycopy of the output size of the kernel"
    ) + "\n" + table(results)
    println(text)
    Results.write(Path.of(args(0)), text)
  }

  /** The kernels of one encoding, and a copy for each output size. */
  private def measure(kernels: Kernels): Seq[Result] = {
    val made = kernels.cases.map(of => of -> Kernels.make(s"${kernels.name} $of"))
    val decodes = run("decode", made.map { case (of, _) => s"${kernels.name} $of" })
    val sizes = made.filter(_._2.outBytes >= fewestCopied).groupBy(_._2.outBytes).map {
      case (size, cases) => size -> s"${kernels.name} ${cases.head._1}"
    }
    val copies = run("copy", sizes.values.toSeq)
    made.map { case (of, kernel) =>
      Result(
        kernels,
        of,
        kernel.numValues,
        kernel.outBytes,
        decodes(s"${kernels.name} $of"),
        sizes.get(kernel.outBytes).map(copies)
      )
    }
  }

  /** Smaller copies are too short to be timed. */
  private val fewestCopied = 32768

  /** Nanoseconds of one run, by kernel. */
  private def run(method: String, names: Seq[String]): Map[String, Double] = if (names.isEmpty)
    Map.empty
  else {
    val options = new OptionsBuilder()
      .include(s"\\.${classOf[KernelBenchmark].getSimpleName}\\.$method$$")
      .mode(Mode.SampleTime)
      .param("kernel", names: _*)
      .shouldFailOnError(true)
      .verbosity(VerboseMode.SILENT)
      .build()
    new Runner(options).run().asScala.map(median).toMap
  }

  private def median(result: RunResult): (String, Double) = {
    val nanos = result.getPrimaryResult.getStatistics.getPercentile(50)
    val name = result.getParams.getParam("kernel")
    println(f"[bench] ${result.getPrimaryResult.getLabel}%-8s $name%-24s $nanos%10.0f ns")
    name -> nanos
  }

  /** The results, and the number of met targets. */
  def table(results: Seq[Result]): String = {
    val head = f"${"kernel"}%-18s ${"of"}%-14s ${"G values/s"}%10s ${"GB/s"}%8s ${"copy"}%8s " +
      f"${"/ copy"}%7s  ${"target"}%-12s met"
    val rows = results.map { r =>
      val target = r.kernels.target.fold("")(_.text)
      val met = r.isMet.fold("")(if (_) "yes" else "no")
      f"${r.kernels.name}%-18s ${r.of}%-14s ${r.gigaValues}%10.2f ${r.gigaBytes}%8.1f " +
        f"${number(r.copyGigaBytes, 1)}%8s ${number(r.ofCopy, 2)}%7s  $target%-12s $met"
    }
      .map(_.replaceAll(" +$", ""))
    val requested = results.flatMap(_.isMet)
    val groups =
      results.groupBy(_.kernels.name).toSeq.sortBy(g => results.indexWhere(_.kernels.name == g._1))
        .collect {
          case (name, rs) if rs.exists(_.isMet.isDefined) =>
            f"$name%-18s ${rs.count(_.isMet.contains(true))}%3d of ${rs.length}%3d met, " +
              s"lowest ${number(rs.flatMap(_.ofCopy).reduceOption(_ min _), 2)} x copy, " +
              f"${rs.map(_.gigaValues).min}%.2f G values/s"
        }
    ((head +: "-" * head.length +: rows) ++ ("" +: groups) :+
      s"${requested.count(identity)} of ${requested.length} targets met").mkString("\n") + "\n"
  }

  private def number(value: Option[Double], digits: Int): String =
    value.fold("-")(v => s"%.${digits}f".format(v))
}
