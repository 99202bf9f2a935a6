// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Projects: the format library, the Spark layer of each Spark version (the primary one is the root
// and has the tests), the benchmarks (not published), and the checks. Spark versions are in
// project/spark-lines.txt. Versions, dependencies, tests, and packaging are in project/*.scala.

Global / onChangedBuildSource := ReloadOnSourceChanges
Global / concurrentRestrictions := Testing.concurrency

ThisBuild / organization := "io.github.pysparklance"
ThisBuild / organizationName := "the pyspark-lance authors"
ThisBuild / description := "Lance tables for Apache Spark, in pure JVM code"
ThisBuild / licenses := List(License.Apache2)
ThisBuild / homepage := Some(url(Packaging.repository))
ThisBuild / organizationHomepage := (ThisBuild / homepage).value
ThisBuild / developers := List(
  Developer("pyspark-lance", "the pyspark-lance authors", "", url(Packaging.repository))
)
ThisBuild / scmInfo := Some(
  ScmInfo(url(Packaging.repository), s"scm:git:${Packaging.repository}.git")
)
ThisBuild / publishTo := localStaging.value // target/sona-staging, see RELEASING.md
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / version := IO.read(file("version.txt")).trim
ThisBuild / scalaVersion := SparkLine.primary.scala
ThisBuild / semanticdbEnabled := false // for scalafix; turned on by check and lint, because it makes compilation slower
ThisBuild / semanticdbVersion := Versions.semanticdb

commands += SparkLayer.onLines

lazy val format212 = FormatLibrary.project("2.12")
lazy val format213 = FormatLibrary.project("2.13")
lazy val formatLint = FormatLibrary.lint

lazy val lines = new CompositeProject {
  val componentProjects = SparkLayer.projects(Map("2.12" -> format212, "2.13" -> format213))
}

lazy val root = (project in file("."))
  .dependsOn(format213)
  .settings(SparkLayer.settings(SparkLine.primary), Testing.settings)

lazy val commonSettings = Compiling.settings(SparkLine.primary.scala, SparkLine.primary.java)

lazy val benchmarks = project
  .enablePlugins(JmhPlugin)
  .dependsOn(root)
  .settings(commonSettings, Testing.settings)
  .settings(
    publish / skip := true,
    libraryDependencies ++= Dependencies.benchmarks ++ Dependencies.test,
    // the same JVM options as the tests
    Compile / unmanagedSources +=
      (root / Test / scalaSource).value / "io/github/pysparklance/testkit/SlowFileSystem.scala",
    run / fork := true,
    run / baseDirectory := (ThisBuild / baseDirectory).value,
    Test / baseDirectory := (ThisBuild / baseDirectory).value,
    run / outputStrategy := Some(StdoutOutput),
    javaOptions ++= Testing.sparkJavaOptions ++ Seq("-Xmx4g", "-Duser.timezone=UTC"),
    Jmh / compileOrder := CompileOrder.Mixed
  )

/** Tests of commits on HDFS, S3, and DynamoDB, with local servers. */
lazy val storageTests = (project in file("storage-tests"))
  .dependsOn(root % "test->test;compile->compile")
  .settings(commonSettings, Testing.settings)
  .settings(
    publish / skip := true,
    libraryDependencies ++= Dependencies.storageTests ++ Dependencies.test,
    Test / baseDirectory := (ThisBuild / baseDirectory).value
  )

/** Spark's published suites for catalogs and tables, run on our catalogs and tables. */
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

addCommandAlias(
  "check",
  Seq(
    "set ThisBuild / semanticdbEnabled := true",
    "scalafmtSbtCheck",
    "scalafmtCheckAll",
    "format213/scalafmtCheckAll",
    "benchmarks/scalafmtCheckAll",
    "storageTests/scalafmtCheckAll",
    "conformanceTests/scalafmtCheckAll",
    "Test/compile",
    "benchmarks/Test/compile",
    "storageTests/Test/compile",
    "conformanceTests/Test/compile",
    "formatLint/compile",
    "formatLint/scalafix --check",
    "scalafixAll --check",
    "benchmarks/scalafixAll --check",
    "storageTests/scalafixAll --check",
    "conformanceTests/scalafixAll --check"
  ).mkString("; ")
)
// scalafix compiles with other options, so everything is compiled again before and after
addCommandAlias(
  "fix",
  "scalafmtSbt; scalafmtAll; format213/scalafmtAll; benchmarks/scalafmtAll; " +
    "storageTests/scalafmtAll; conformanceTests/scalafmtAll"
)
addCommandAlias(
  "lint",
  "set ThisBuild / semanticdbEnabled := true; formatLint/scalafix; scalafixAll; benchmarks/scalafixAll; " +
    "storageTests/scalafixAll; conformanceTests/scalafixAll; fix"
)
