// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.vector.segment.VectorSegment
import io.github.pysparklance.testkit.{OtherJvm, TemporaryFolder}

/** Builds of vector indices in which an attempt of a task fails. */
class RepeatedTaskSuite extends AnyFunSuite with TemporaryFolder {

  test("a task of an index build that fails is repeated alone, and leaves no files") {
    val names = Seq(VectorSegment.codeFile, VectorSegment.indexFile)
    val process = OtherJvm.startSpark(
      RepeatedTask.getClass.getName.stripSuffix("$"),
      folder.toString +: names: _*
    )
    val lines =
      try
        OtherJvm.lines(process).filter(_.startsWith(RepeatedTask.mark))
          .map(_.stripPrefix(RepeatedTask.mark)).toIndexedSeq
      finally process.destroyForcibly(): Unit
    names.foreach { name =>
      def of(kind: String): Seq[String] =
        lines.filter(_.startsWith(s"$name $kind ")).map(_.stripPrefix(s"$name $kind "))
      withClue(lines.mkString("\n")) {
        val byTask = of("attempt").map(_.split(' ')).groupBy(a => (a(0), a(1)))
          .map { case (task, attempts) => task -> attempts.map(_(2)) }
        // The task that failed first and all others
        assert(byTask.values.count(_ == Seq("false", "true")) == 1)
        assert(byTask.values.count(_ == Seq("true")) == byTask.size - 1)
        assert(byTask.size > 4)
        val files = of("file")
        assert(files.map(_.split('/').head).distinct.length == 1)
        assert(files.map(_.split('/').last) == Seq(VectorSegment.codeFile, VectorSegment.indexFile))
        val Seq(byIndex, exact) = of("rows"): @unchecked
        assert(byIndex == exact && exact.split(',').length == 5)
      }
    }
  }
}
