// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.{Files, Path}

/** Times of one task on one system in milliseconds, in the order of the runs. */
final case class Timing(task: String, system: String, millis: IndexedSeq[Double]) {
  private lazy val sorted = millis.sorted
  def median: Double = {
    val middle = sorted.length / 2
    if (sorted.length % 2 == 1) sorted(middle) else (sorted(middle - 1) + sorted(middle)) / 2
  }
  def min: Double = sorted.head
  def max: Double = sorted.last
}

/** Results of one run as text: machine, JVM, and one table, relative to the first system of each
  * task.
  */
object Results {

  /** Header lines about the machine, such as the load, which help to judge the results. */
  def header(title: String, facts: (String, String)*): String = {
    val runtime = Runtime.getRuntime
    val lines = Seq(
      "jvm" -> s"${System.getProperty("java.vm.name")} ${System.getProperty("java.vm.version")}",
      "os" -> s"${System.getProperty("os.name")} ${System.getProperty("os.arch")}",
      "cpu" -> s"$cpuModel, ${runtime.availableProcessors} cores",
      "heap" -> s"${runtime.maxMemory >> 20} MiB",
      "load" -> loadAverage
    ) ++ facts
    s"$title\n" + lines.map { case (k, v) => f"  $k%-12s $v" }.mkString("\n") + "\n"
  }

  /** Formats one row for each task and system.
    *
    * @param baseline the system whose median is 1.00
    * @param digits decimal places of milliseconds
    */
  def table(timings: Seq[Timing], baseline: String, digits: Int = 0): String = {
    def time(millis: Double): String = s"%10.${digits}f".format(millis)
    val rows = for {
      task <- timings.map(_.task).distinct
      base = timings.find(t => t.task == task && t.system == baseline)
      timing <- timings.filter(_.task == task)
    } yield {
      val ratio = base.fold("")(b => f"${timing.median / b.median}%.2f")
      f"$task%-44s ${timing.system}%-11s ${time(timing.median)} ${time(timing.min)} ${time(timing.max)} $ratio%9s"
    }
    val head =
      f"${"task"}%-44s ${"system"}%-11s ${"median ms"}%10s ${"min ms"}%10s ${"max ms"}%10s ${s"/ $baseline"}%9s"
    (head +: "-" * head.length +: rows).mkString("\n") + "\n"
  }

  def write(file: Path, text: String): Unit = {
    Files.createDirectories(file.toAbsolutePath.getParent)
    Files.writeString(file, text)
    ()
  }

  private def cpuModel: String = {
    val info = Path.of("/proc/cpuinfo")
    val names =
      if (Files.isReadable(info))
        Files.readString(info).linesIterator.filter(_.startsWith("model name"))
      else Iterator.empty
    names.map(_.split(":", 2).last.trim).find(_ => true).getOrElse("unknown")
  }

  private def loadAverage: String =
    f"${java.lang.management.ManagementFactory.getOperatingSystemMXBean.getSystemLoadAverage}%.1f at the end"
}
