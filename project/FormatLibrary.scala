// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._
import sbtprotoc.ProtocPlugin.autoImport._

/** The format library: all packages but `spark`. It does not depend on Spark, so it is compiled
  * once per version of Scala, for the oldest Java and against the oldest libraries of the Spark
  * releases from 3.5 on.
  */
object FormatLibrary {

  /** The project for a binary version of Scala. */
  def project(scalaBinary: String): Project = {
    val id = s"format${scalaBinary.filterNot(_ == '.')}"
    // The compiler plugin of scalafix has no release for these versions of Scala.
    compiled(id, file(s"target/format_$scalaBinary"), Versions.oldestScala(scalaBinary))
      .settings(semanticdbEnabled := false)
  }

  /** Compiles the same sources for scalafix, with the version of Scala of the primary line. */
  def lint: Project = compiled("formatLint", file("target/format_lint"), SparkLine.primary.scala)

  private def compiled(id: String, folder: File, scala: String): Project =
    Project(id, folder)
      .settings(Compiling.settings(scala, Versions.oldestJava))
      .settings(
        name            := "pyspark-lance-format",
        publish / skip  := true,
        Test / sources  := Nil, // the projects of the Spark layer have the tests
        sourceDirectory := (ThisBuild / baseDirectory).value / "src",
        libraryDependencies ++= Dependencies.shaded ++ Dependencies.format(scala),
        Compile / unmanagedSources := (Compile / unmanagedSources).value.filterNot(isOfSpark),
        Compile / unmanagedResources / excludeFilter := "*.DataSourceRegister",
        Compile / resourceGenerators += versionResource,
        Compile / resourceGenerators += Java17Classes.generate,
        Compile / sourceGenerators += BitpackingSource.generate, // one method per bit width
        PB.protocVersion     := Versions.protobuf,
        Compile / PB.targets := Seq(
          PB.gens.java(Versions.protobuf) -> (Compile / sourceManaged).value / "protobuf"
        )
      )

  /** Returns whether a source file belongs to the Spark layer. */
  private def isOfSpark(file: File): Boolean =
    file.getPath.replace(java.io.File.separatorChar, '/').contains("/pysparklance/spark/")

  /** Generates a resource with the version. */
  private lazy val versionResource = Def.task {
    val out = (Compile / resourceManaged).value / "io/github/pysparklance/version.txt"
    IO.write(out, version.value)
    Seq(out)
  }
}
