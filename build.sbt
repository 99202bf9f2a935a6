// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Table of contents: the library (root, one jar), the benchmarks (not published), the checks. Versions, dependencies,
// tests and packaging are in project/*.scala. Another Spark: ./sbt -Dspark.version=...

val spark = SparkVersion.current

Global / onChangedBuildSource := ReloadOnSourceChanges
Global / concurrentRestrictions := Testing.concurrency

ThisBuild / organization := "io.github.pysparklance"
ThisBuild / organizationName := "the pyspark-lance authors"
ThisBuild / description := "Lance tables for Apache Spark, in pure JVM code"
ThisBuild / licenses := List(License.Apache2)
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / version := IO.read(file("version.txt")).trim
ThisBuild / scalaVersion := spark.scala
ThisBuild / semanticdbEnabled := false // what scalafix reads; check and lint turn it on, as it makes compiling slower
ThisBuild / semanticdbVersion := Versions.semanticdb

lazy val commonSettings = Seq(
  scalacOptions ++= Seq(
    "-release",
    Versions.java,
    "-encoding",
    "utf8",
    "-deprecation",
    "-feature",
    "-unchecked",
    "-Xlint",
    "-Wunused",
    "-Wdead-code",
    "-Wvalue-discard",
    "-Werror",
    "-Wconf:src=.*/src_managed/.*:silent"
  ),
  javacOptions ++= Seq("--release", Versions.java, "-encoding", "utf8", "-proc:none"),
  Compile / doc / scalacOptions -= "-Werror",
  dependencyOverrides += "org.scala-lang" % "scala-library" % spark.scala, // as Spark ships it
  compileOrder := CompileOrder.JavaThenScala // the generated messages know no Scala
)

lazy val root = (project in file("."))
  .settings(commonSettings, Testing.settings)
  .settings(Packaging.settings *)
  .settings(
    name := "pyspark-lance",
    moduleName := s"pyspark-lance-${spark.minor}",
    autoScalaLibrary := false,
    libraryDependencies ++= Dependencies.shaded ++ Dependencies.provided ++ Dependencies.test,
    Compile / unmanagedSourceDirectories += (Compile / sourceDirectory).value / spark.sourceFolder,
    Compile / resourceGenerators += versionResource,
    Compile / sourceGenerators += BitpackingSource.generate, // one method per bit width
    PB.protocVersion := Versions.protobuf,
    Compile / PB.targets := Seq(
      PB.gens.java(Versions.protobuf) -> (Compile / sourceManaged).value / "protobuf"
    )
  )

lazy val benchmarks = project
  .enablePlugins(JmhPlugin)
  .dependsOn(root)
  .settings(commonSettings, Testing.settings)
  .settings(
    publish / skip := true,
    libraryDependencies ++= Dependencies.benchmarks ++ Dependencies.test,
    // what is slow in tests is slow here, too
    Compile / unmanagedSources +=
      (root / Test / scalaSource).value / "io/github/pysparklance/testkit/SlowFileSystem.scala",
    run / fork := true,
    run / baseDirectory := (ThisBuild / baseDirectory).value,
    run / outputStrategy := Some(StdoutOutput),
    javaOptions ++= Testing.sparkJavaOptions ++ Seq("-Xmx4g", "-Duser.timezone=UTC"),
    Jmh / compileOrder := CompileOrder.Mixed
  )

/** Commits on HDFS, S3 and DynamoDB, with servers on this machine. */
lazy val storageTests = (project in file("storage-tests"))
  .dependsOn(root % "test->test;compile->compile")
  .settings(commonSettings, Testing.settings)
  .settings(
    publish / skip := true,
    libraryDependencies ++= Dependencies.storageTests ++ Dependencies.test,
    Test / baseDirectory := (ThisBuild / baseDirectory).value
  )

/** Suites that Spark publishes for catalogs and tables, run on ours. */
lazy val conformanceTests = (project in file("conformance-tests"))
  .dependsOn(root)
  .settings(commonSettings, Testing.settings)
  .settings(
    publish / skip := true,
    libraryDependencies ++= Dependencies.conformanceTests ++ Dependencies.test,
    Test / baseDirectory := (ThisBuild / baseDirectory).value,
    Test / javaOptions +=
      s"-Dlog4j2.configurationFile=${(root / Test / resourceDirectory).value / "log4j2.properties"}"
  )

/** The one version, and the line of Spark that the jar is for, for the code to read. */
lazy val versionResource = Def.task {
  val folder = (Compile / resourceManaged).value / "io/github/pysparklance"
  Seq("version.txt" -> version.value, "spark.txt" -> s"${spark.minor}_${scalaBinaryVersion.value}")
    .map { case (name, text) =>
      val out = folder / name
      IO.write(out, text)
      out
    }
}

addCommandAlias(
  "check",
  Seq(
    "set ThisBuild / semanticdbEnabled := true",
    "scalafmtSbtCheck",
    "scalafmtCheckAll",
    "benchmarks/scalafmtCheckAll",
    "storageTests/scalafmtCheckAll",
    "conformanceTests/scalafmtCheckAll",
    "Test/compile",
    "benchmarks/Test/compile",
    "storageTests/Test/compile",
    "conformanceTests/Test/compile",
    "scalafixAll --check",
    "benchmarks/scalafixAll --check",
    "storageTests/scalafixAll --check",
    "conformanceTests/scalafixAll --check"
  ).mkString("; ")
)
// scalafix compiles with other options, so it costs a whole compilation before and after
addCommandAlias(
  "fix",
  "scalafmtSbt; scalafmtAll; benchmarks/scalafmtAll; storageTests/scalafmtAll; conformanceTests/scalafmtAll"
)
addCommandAlias(
  "lint",
  "set ThisBuild / semanticdbEnabled := true; scalafixAll; benchmarks/scalafixAll; storageTests/scalafixAll; conformanceTests/scalafixAll; fix"
)
