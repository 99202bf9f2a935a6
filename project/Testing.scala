// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._

/** Configuration of tests: forked JVMs with a heap limit, two at a time. Each runs one suite after
  * another.
  */
object Testing {

  /** JVM options of Spark's launcher for Java 17. */
  val sparkJavaOptions: Seq[String] = Seq(
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar"
  ).map(name => s"--add-opens=java.base/$name=ALL-UNNAMED") ++ Seq(
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-modules=jdk.incubator.vector",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true"
  )

  /** Set by `make test-long`: also runs suites and tests with the tag `Slow`. */
  private val long = sys.env.contains("PYSPARK_LANCE_LONG_TESTS")

  val settings: Seq[Setting[_]] = Seq(
    Test / fork               := true,
    Test / parallelExecution  := true, // of the JVMs
    Test / testForkedParallel := false,
    Test / javaOptions ++= sparkJavaOptions ++ Seq(
      "-Xmx2g",
      "-Xss4m",
      "-XX:+UseSerialGC", // two of these JVMs share two CPU cores
      "-Duser.timezone=UTC",
      "-Dfile.encoding=UTF-8",
      "-Dspark.ui.enabled=false",
      s"-Dpysparklance.tests.long=$long",
      s"-Djava.io.tmpdir=${(target.value / "tmp").getAbsolutePath}",
      s"-Dpysparklance.classes=${ourClasses.value.mkString(java.io.File.pathSeparator)}",
      s"-Dpysparklance.sources=${sources.value.mkString(java.io.File.pathSeparator)}"
    ),
    // durations, short stack traces, and a summary at the end
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDS"),
    Test / testOptions ++= {
      if (long) Nil
      else Seq(Tests.Argument(TestFrameworks.ScalaTest, "-l", "org.scalatest.tags.Slow"))
    },
    Test / test         := (Test / test).dependsOn(makeTemporaryFolder).value,
    Test / testOnly     := (Test / testOnly).dependsOn(makeTemporaryFolder).evaluated,
    Test / testGrouping := {
      val options            = (Test / forkOptions).value
      val (sessions, others) = (Test / definedTests).value.partition(needsSession)
      // Spark runs a lot of code only a few times, so optimized compilation pays off only for loops
      // over values. With one compiler, the JVM reserves only 48 MB for compiled code by default.
      val oneCompiler = Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
      val quick       = if (long) options
      else options.withRunJVMOptions(options.runJVMOptions ++ oneCompiler)
      // Spark takes long to start, but the last JVM runs alone, so its part must be small.
      split("sessions of Spark", sessions, 40, quick) ++ split("others", others, 120, options)
    }
  )

  /** Groups for as many JVMs as about `size` suites each need, with every n-th suite each. */
  private def split(name: String, tests: Seq[TestDefinition], size: Int, jvm: ForkOptions) = {
    val n = (tests.length + size / 2) / size max 1
    tests.sortBy(_.name).zipWithIndex.groupBy(_._2 % n).toSeq.sortBy(_._1).map { case (i, part) =>
      Tests.Group(s"$name ${i + 1}", part.map(_._1), Tests.SubProcess(jvm), Nil)
    }
  }

  /** The classes under test: of the project, and of the projects of this build that it depends on.
    */
  private lazy val ourClasses = Def.task {
    (Compile / classDirectory).value +: (Compile / internalDependencyClasspath).value.map(_.data)
  }

  /** The source folders of the project. */
  private lazy val sources = Def.task((Compile / unmanagedSourceDirectories).value)

  /** Groups suites that use Spark, so that they share the sessions of few JVMs. */
  private def needsSession(test: TestDefinition): Boolean =
    Seq(".spark.", ".conformance.").exists(test.name.contains(_))

  /** Concurrency limits: as many tasks as CPU cores, and two test JVMs. */
  val concurrency: Seq[Tags.Rule] = Seq(
    Tags.limitAll(java.lang.Runtime.getRuntime.availableProcessors),
    Tags.limit(Tags.ForkedTestGroup, 2),
    Tags.exclusiveGroup(Tags.Clean)
  )

  private lazy val makeTemporaryFolder = Def.task(IO.createDirectory(target.value / "tmp"))
}
