// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._

/** Compiler options of Scala and Java. Every warning is an error. */
object Compiling {

  /** @param scala
    *   version of Scala
    * @param java
    *   release of Java that the classes are for
    */
  def settings(scala: String, java: String): Seq[Setting[_]] = Seq(
    scalaVersion := scala,
    scalacOptions ++= Seq("-encoding", "utf8", "-deprecation", "-feature", "-unchecked"),
    scalacOptions ++= Seq("-release", java) ++ warnings(scala),
    javacOptions ++= Seq("--release", java, "-encoding", "utf8", "-proc:none"),
    Compile / doc / scalacOptions --= Seq("-Werror", "-Xfatal-warnings"),
    Compile / doc / javacOptions           := Nil,
    autoScalaLibrary                       := false,
    dependencyOverrides += "org.scala-lang" % "scala-library" % scala, // as Spark ships it
    csrSameVersions := Nil, // libraries of Spark 3.5 depend on a later scala-reflect than Spark ships
    compileOrder := CompileOrder.JavaThenScala // the Java classes do not depend on Scala
  )

  private val generated = "-Wconf:src=.*/src_managed/.*:silent"

  private def warnings(scala: String): Seq[String] = scala match {
    // Scala 2.12 has fewer and different warnings. The sources are linted with 2.13.
    case s if s.startsWith("2.12") => Seq("-Xfatal-warnings", generated)
    // Scala 2.13.8 takes parameters of macros and of pattern matches for unused, and some results
    // with `: Unit` for discarded by mistake.
    case "2.13.8" =>
      Seq(
        "-Xlint:-unused,_",
        "-Wunused:imports,privates,locals,implicits",
        "-Wdead-code",
        "-Werror",
        generated
      )
    // Scala 2.13.16 warns about values that `: Unit` discards.
    case "2.13.16" => Seq("-Xlint", "-Wunused", "-Wdead-code", "-Werror", generated)
    case _ => Seq("-Xlint", "-Wunused", "-Wdead-code", "-Wvalue-discard", "-Werror", generated)
  }
}
