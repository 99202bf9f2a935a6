// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._
import sbtprotoc.ProtocPlugin.autoImport._

import scala.sys.process.Process

/** The `spark` package: compiled once per Spark version, with the folders for differences between
  * versions.
  */
object SparkLayer {

  /** The libraries of a Spark version that come from PySpark. */
  val sparkJars =
    taskKey[Seq[File]]("The jars of the PySpark release, if the Spark version uses them.")

  /** The projects of all Spark versions except the primary one, which is the root of the build. */
  def projects(formats: Map[String, Project]): Seq[Project] =
    SparkLine.all.filterNot(_ == SparkLine.primary).map { line =>
      Project(line.project, file(s"target/lines/${line.artifact}"))
        .dependsOn(formats(line.scalaBinary))
        .settings(settings(line), Testing.settings)
        .settings(Test / baseDirectory := (ThisBuild / baseDirectory).value)
    }

  /** The sbt configuration of a Spark version. */
  def settings(line: SparkLine): Seq[Setting[_]] =
    Compiling.settings(line.scala, line.java) ++ Packaging.settings(line) ++
      Seq(
        name                      := s"pyspark-lance-${line.name}",
        sourceDirectory           := (ThisBuild / baseDirectory).value / "src",
        Compile / PB.protoSources := Nil, // the messages belong to the format library
        libraryDependencies ++=
          Dependencies.provided(line) ++ Dependencies.test,
        Compile / unmanagedSourceDirectories := sources((Compile / sourceDirectory).value, line),
        Test / unmanagedSourceDirectories    := sources((Test / sourceDirectory).value, line),
        Compile / unmanagedSourceDirectories ~=
          (_.map(f => if (f.name == "scala") f / "io/github/pysparklance/spark" else f)),
        Compile / resourceGenerators += lineResource(line),
        sparkJars := installed(line, streams.value.log),
        Compile / unmanagedJars ++= sparkJars.value.classpath
      )

  /** The folder `scala`, and the folders of this Spark version and Scala version. */
  private def sources(folder: File, line: SparkLine): Seq[File] = {
    val shims = IO.listFiles(folder).filter(_.name.startsWith("scala-spark-")).sorted
    Seq(folder / "scala") ++ shims.filter(f => line.has(f.name))
  }

  private def installed(line: SparkLine, log: Logger): Seq[File] =
    if (!line.fromPySpark) Nil
    else {
      val folder = Process(Seq("scripts/install-pyspark", line.spark)).!!(
        scala.sys.process.ProcessLogger(log.info(_))
      )
      (file(folder.trim) / "pyspark" / "jars" * "*.jar").get
    }

  /** Generates a resource with the Spark version of the jar. */
  private def lineResource(line: SparkLine) = Def.task {
    val out = (Compile / resourceManaged).value / "io/github/pysparklance/spark/common/line.txt"
    IO.write(out, line.artifact)
    Seq(out)
  }

  /** `onLines TASK` runs a task in the project of each Spark version. Skips versions without
    * libraries.
    */
  val onLines: Command = Command.args("onLines", "<task>") { (state, task) =>
    val (ready, missing) = SparkLine.all.partition { line =>
      !line.fromPySpark || Process(Seq("scripts/install-pyspark", line.spark)).! == 0
    }
    missing.foreach { line =>
      state.log.warn(s"Spark ${line.name} is skipped: PySpark ${line.spark} cannot be installed")
    }
    ready.map(line => s"${line.project}/${task.mkString(" ")}").toList ::: state
  }
}
