// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import javax.tools.ToolProvider

import sbt._
import sbt.Keys._

/** Classes of the format library that need Java 17 and a module which a process may lack: those in
  * `src/main/java-17`. They are compiled apart from the others, which are for an older Java, and
  * loaded by name. The superclasses are compiled with the library itself.
  */
object Java17Classes {

  /** Returns the class files as resources of the library. */
  lazy val generate = Def.task {
    val main    = (ThisBuild / baseDirectory).value / "src" / "main"
    val out     = (Compile / resourceManaged).value
    val log     = streams.value.log
    val cache   = streams.value.cacheDirectory / "java-17"
    val sources = (main / "java-17" ** "*.java").get.sorted
    // the superclasses as well, whose members may be compiled into them
    val folders = sources.map(_.getParentFile).distinct
    val supers  =
      folders.flatMap(f => IO.listFiles(main / "scala" / IO.relativize(main / "java-17", f).get))
    val compiled = FileFunction.cached(cache, FileInfo.hash) { _ =>
      compile(sources, main / "scala", out, log)
      folders.flatMap { f =>
        (out / IO.relativize(main / "java-17", f).get * "*.class").get
      }.toSet
    }
    compiled((sources ++ supers.filter(_.name.endsWith(".java"))).toSet).toSeq.sorted
  }

  private def compile(sources: Seq[File], library: File, out: File, log: Logger): Unit = {
    val messages = new java.io.ByteArrayOutputStream
    val options  = Seq(
      "-source",
      "17",
      "-target",
      "17",
      "-encoding",
      "utf8",
      "-proc:none",
      "-nowarn",
      "--add-modules",
      "jdk.incubator.vector",
      "-implicit:none",
      "-sourcepath",
      library.getPath,
      "-d",
      out.getPath
    ) ++ sources.map(_.getPath)
    val failed = ToolProvider.getSystemJavaCompiler.run(null, null, messages, options: _*) != 0
    if (failed) sys.error(s"src/main/java-17 does not compile:\n$messages")
    log.debug(messages.toString)
  }
}
