// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._

/** How tests run: in two JVMs of their own with a heap limit, in each one suite after another. */
object Testing {

  /** What Spark opens on Java 17, as its own launcher does. */
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

  /** Set by `make test-long`: runs the suites and tests tagged `Slow` as well. */
  private val long = sys.env.contains("PYSPARK_LANCE_LONG_TESTS")

  val settings: Seq[Setting[_]] = Seq(
    Test / fork              := true,
    Test / parallelExecution := false,
    Test / javaOptions ++= sparkJavaOptions ++ Seq(
      "-Xmx2g",
      "-Xss4m",
      "-XX:+UseSerialGC", // two of these JVMs share two processors
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
      // Spark runs much code a few times, which does not pay to compile well; loops over values do.
      // With one compiler, the JVM reserves 48 MB for compiled code unless told otherwise.
      val oneCompiler = Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
      val quick       = if (long) options
      else options.withRunJVMOptions(options.runJVMOptions ++ oneCompiler)
      Seq(("sessions of Spark", sessions, quick), ("others", others, options)).collect {
        case (name, tests, jvm) if tests.nonEmpty =>
          Tests.Group(name, tests, Tests.SubProcess(jvm), Nil)
      }
    }
  )

  /** The classes under test: those of the project and of the projects of this build that it uses. */
  private lazy val ourClasses = Def.task {
    (Compile / classDirectory).value +: (Compile / internalDependencyClasspath).value.map(_.data)
  }

  /** The folders with the project's own sources. */
  private lazy val sources = Def.task((Compile / unmanagedSourceDirectories).value)

  /** What uses Spark runs in one JVM, for the sake of its session. */
  private def needsSession(test: TestDefinition): Boolean =
    Seq(".spark.", ".conformance.").exists(test.name.contains(_))

  /** What may run at once: as many tasks as there are processors, and two such JVMs. */
  val concurrency: Seq[Tags.Rule] = Seq(
    Tags.limitAll(java.lang.Runtime.getRuntime.availableProcessors),
    Tags.limit(Tags.ForkedTestGroup, 2),
    Tags.exclusiveGroup(Tags.Clean)
  )

  private lazy val makeTemporaryFolder = Def.task(IO.createDirectory(target.value / "tmp"))
}
