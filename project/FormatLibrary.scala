// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._
import sbtassembly.AssemblyPlugin.autoImport._
import sbtprotoc.ProtocPlugin.autoImport._

/** The format library: all packages but `spark`. Depends on no Spark, so it is compiled once per version of Scala, against
  * the oldest libraries among the lines of Spark.
  */
object FormatLibrary {

  /** Its project for a binary version of Scala. */
  def project(scalaBinary: String): Project = {
    val line = SparkLine.oldest(scalaBinary)
    val id   = s"format${scalaBinary.filterNot(_ == '.')}"
    Project(id, file(s"target/format_$scalaBinary"))
      .settings(Compiling.settings(line.scala, line.java))
      .settings(Packaging.shading, Packaging.formatJar)
      .settings(
        name            := "pyspark-lance-format",
        publish / skip  := true,
        Test / sources  := Nil, // the tests are those of the Spark layer's projects
        sourceDirectory := (ThisBuild / baseDirectory).value / "src",
        libraryDependencies ++= Dependencies.shaded ++ Dependencies.format(line),
        Compile / unmanagedSources := (Compile / unmanagedSources).value.filterNot(isOfSpark),
        Compile / unmanagedResources / excludeFilter := "*.DataSourceRegister",
        Compile / resourceGenerators += versionResource,
        Compile / sourceGenerators += BitpackingSource.generate, // one method per bit width
        PB.protocVersion   := Versions.protobuf,
        Compile / PB.targets := Seq(
          PB.gens.java(Versions.protobuf) -> (Compile / sourceManaged).value / "protobuf"
        )
      )
  }

  /** Whether a source file belongs to the Spark layer. */
  private def isOfSpark(file: File): Boolean =
    file.getPath.replace(java.io.File.separatorChar, '/').contains("/pysparklance/spark/")

  /** The one version, for the code to read. */
  private lazy val versionResource = Def.task {
    val out = (Compile / resourceManaged).value / "io/github/pysparklance/version.txt"
    IO.write(out, version.value)
    Seq(out)
  }
}
