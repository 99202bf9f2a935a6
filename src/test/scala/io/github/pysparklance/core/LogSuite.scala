// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.LogCapture

class LogSuite extends AnyFunSuite {
  test("names and messages of exceptions add no lines to the log") {
    val log = Log(getClass)
    val name = "t\n26/01/01 00:00:00 ERROR Forged: \u001b[31mred"
    val lines = LogCapture {
      log.info(s"$name: committed")
      log.warn(s"$name: not removed", new IOException(s"no file $name", new IOException(name)))
      log.debug(s"$name: planned")
    }
    assert(lines.map(_.level) == Seq("INFO", "WARN", "DEBUG"))
    lines.foreach { line =>
      assert(line.text.linesIterator.length == 1 && !line.text.contains('\u001b'), line.text)
      assert(line.text.contains("t\\n26/01/01"))
    }
  }
}
