// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.lang.management.ManagementFactory
import java.nio.file.Path

import scala.io.Source
import scala.jdk.CollectionConverters._

/** Starts a separate JVM with the class path of the tests. */
object OtherJvm {

  /** Starts a main class; its standard error goes to our standard error.
    *
    * @param main an object with a `main`
    */
  def start(main: String, arguments: String*): Process =
    run(Seq("-Xmx256m", "-XX:TieredStopAtLevel=1"), main, arguments)

  /** Starts a main class that runs Spark. */
  def startSpark(main: String, arguments: String*): Process = {
    val ours = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq
    val open = ours.filter(a => a.startsWith("--add-") || a.startsWith("-Dlog4j"))
    run("-Xmx1g" +: open, main, arguments)
  }

  private def run(options: Seq[String], main: String, arguments: Seq[String]): Process = {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val command = (java +: options) ++ Seq("-XX:+UseSerialGC", "-Xshare:auto") ++
      Seq("-cp", System.getProperty("java.class.path"), main) ++ arguments
    new ProcessBuilder(command: _*).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  }

  /** Returns the output lines of a process until it ends or is killed. */
  def lines(process: Process): Iterator[String] =
    Source.fromInputStream(process.getInputStream, "UTF-8").getLines()
}
