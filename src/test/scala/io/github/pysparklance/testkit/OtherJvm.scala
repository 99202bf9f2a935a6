// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.Path

import scala.io.Source

/** A JVM of its own with the class path of the tests. */
object OtherJvm {

  /** Starts a main class; its standard error goes to our standard error.
    *
    * @param main an object with a `main`
    */
  def start(main: String, arguments: String*): Process = {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val command = Seq(java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1") ++
      Seq("-Xshare:auto", "-cp", System.getProperty("java.class.path"), main) ++ arguments
    new ProcessBuilder(command: _*).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  }

  /** The lines that a process writes, until it ends or is killed. */
  def lines(process: Process): Iterator[String] =
    Source.fromInputStream(process.getInputStream, "UTF-8").getLines()
}
