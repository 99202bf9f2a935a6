// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.testkit.Pylance

class CloneJobSuite extends JobSuite {
  private def at(path: String): TableLocation = TableLocation(path, Map.empty[String, String])

  private def source(): String = {
    val path = numbers(20, 5)
    delete(path, "id = 3")
    path
  }

  test("a shallow clone references the files of its source") {
    val (from, to) = (source(), fresh())
    val outcome = CloneJob.shallow(on(from), at(to))
    assert(outcome.row.toSeq == Seq(2L, 4L, 0L) && dataFiles(to).isEmpty)
    assert(Pylance.rows(to) == Pylance.rows(from) && Pylance.validate(to) == 19)
    delete(to, "id > 5")
    assert(ids(from).length == 19 && read(to).count() == 5)
  }

  test("tasks copy the files of a deep clone") {
    val (from, to) = (source(), fresh())
    var outcome: CloneOutcome = null
    val descriptions = jobs { outcome = CloneJob.deep(on(from), at(to)) }
    assert(outcome.row.toSeq == Seq(2L, 4L, 5L))
    assert(outcome.row.length == outcome.schema.length)
    assert(descriptions == Seq(s"copying 5 files of $from to ${at(to).path}"))
    assert(dataFiles(to) == dataFiles(from))
    assert(Pylance.rows(to) == Pylance.rows(from) && Pylance.validate(to) == 19)
  }

  test("an existing table is not replaced by a clone") {
    val (from, to) = (source(), numbers(3, 3))
    Seq[() => Any](() => CloneJob.deep(on(from), at(to)), () => CloneJob.shallow(on(from), at(to)))
      .foreach { clone =>
        val e = intercept[AnalysisException](clone())
        assert(e.getMessage.contains(to) && e.getMessage.contains("a table already"))
      }
    assert(ids(to) == Seq(0, 1, 2) && dataFiles(to).size == 1)
  }
}
