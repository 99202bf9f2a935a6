// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{OtherJvm, SparkLine => RunningLine, TemporaryFolder}

class PlainSessionSuite extends AnyFunSuite with TemporaryFolder {

  /** The results of all reads, with the beginning of errors. Spark has passed the options of a read
    * to catalogs since 4.3.
    */
  private val expected: Seq[(String, String)] = {
    val missing = "error: lake.t: readChangeFeed of a table by name requires the SQL extension"
    def from43(text: String): String = if (RunningLine.isFrom("4.3")) text else missing
    Seq(
      "batch" -> from43("1,insert,2 2,insert,3 3,insert,3"),
      "batch without start" -> from43("error: readChangeFeed needs the first version"),
      "batch of a stream" -> from43("error: the option maxRowsPerTrigger is for streams"),
      "all" -> from43("1,insert,3 2,insert,3 3,insert,3"),
      "from version 2" -> from43("1,insert,2 | 2,insert,3 3,insert,3"),
      "up to version 2" -> from43("error: the option endingVersion is for batch queries"),
      "from version 2" -> from43("4,insert,4"),
      "batch of removed versions" -> from43("error: the changes of version 2")
    )
  }

  test("changes by name without the SQL extension are the right rows or an error") {
    val process =
      OtherJvm.startSpark(PlainSession.getClass.getName.stripSuffix("$"), folder.toString)
    val found =
      try
        OtherJvm.lines(process).filter(_.startsWith(PlainSession.mark))
          .map(_.stripPrefix(PlainSession.mark)).toIndexedSeq
      finally process.destroyForcibly(): Unit
    assert(found.length == expected.length, found.mkString("\n"))
    found.zip(expected).foreach { case (line, (title, text)) =>
      if (text.startsWith("error: "))
        assert(line.startsWith(s"$title: error: ") && line.contains(text.drop(7)), line)
      else assert(line == s"$title: $text")
    }
  }
}
