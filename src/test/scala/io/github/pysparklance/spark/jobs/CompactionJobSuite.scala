// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.{CommitConflictException, InvalidRequestException}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.maintenance.{CompactionMetrics, CompactionMode}
import io.github.pysparklance.testkit.Pylance

class CompactionJobSuite extends JobSuite {

  private def request(options: (String, String)*): CompactionRequest =
    CompactionRequest.of(options.toMap, Map.empty)

  test("small fragments are merged, and rows keep their order and ids") {
    val path = numbers(40, 5, "enable_stable_row_ids" -> true)
    delete(path, "id in (3, 20)")
    val before = read(path).select("_rowid", "id", "s", "x").collect().toSeq
    var outcome: CompactionOutcome = null
    val descriptions = jobs { outcome = CompactionJob.run(on(path), request()) }
    assert(outcome.metrics == CompactionMetrics(8, 1, 10, 1))
    assert(outcome.row.toSeq == Seq(8L, 1L, 10L, 1L))
    assert(outcome.schema.fieldNames.toSeq ==
      Seq("fragments_removed", "fragments_added", "files_removed", "files_added"))
    assert(descriptions == Seq(s"compacting 8 fragments of $path"))
    assert(read(path).select("_rowid", "id", "s", "x").collect().toSeq == before)
    assert(ids(path) == (0 until 40).filterNot(Set(3, 20)).map(_.toLong))
    assert(Pylance.validate(path) == 38)
    val again = CompactionJob.run(on(path), request())
    assert(again.metrics == CompactionMetrics() && again.table.version == outcome.table.version)
  }

  test("several tasks, and several commits on request") {
    val path = numbers(40, 5)
    val options = Seq("target_rows_per_fragment" -> "10")
    val one = CompactionJob.run(on(path), request(options: _*))
    assert(one.metrics == CompactionMetrics(8, 4, 8, 4) && one.table.version == 3)
    val other = numbers(40, 5)
    val parts = CompactionJob.run(on(other), request(options :+ ("partialCommits" -> "2"): _*))
    assert(parts.metrics == one.metrics && parts.table.version == 5)
    assert(ids(other) == (0L until 40L) && ids(path) == ids(other))
    assert(open(other).fragments.map(_.physicalRows.get) == Seq(10, 10, 10, 10))
  }

  test("every commit of a compaction in parts rebuilds the indices") {
    val path = numbers(40, 5)
    Pylance.run(
      "for c, k in (('id', 'BTREE'), ('s', 'BITMAP')): dataset(path).create_scalar_index(c, k)",
      "path" -> path
    )
    val options = Seq("target_rows_per_fragment" -> "10", "partial_commits" -> "3")
    CompactionJob.run(on(path), request(options: _*))
    val compacted = open(path)
    val indices = compacted.indices.filterNot(_.isSystem)
    assert(indices.length == 2 && compacted.fragments.length == 4)
    indices.foreach { i =>
      assert(i.bitmap.get.toArray.toSeq == compacted.fragments.map(_.id.toInt), i.name)
    }
    assert(read(path).where("id IN (3, 17, 38) AND s <> 's9'").count() == 3)
    val count = "result = dataset(path).count_rows('id in (3, 17, 38)')"
    assert(Pylance.run(count, "path" -> path).asInt == 3)
  }

  test("only the requested fragments") {
    val path = numbers(40, 5)
    val some = request("fragment_ids" -> "0, 1, 4, 5, 99", "excludedFragmentIds" -> "[5]")
    val outcome = CompactionJob.run(on(path), some)
    assert(outcome.metrics == CompactionMetrics(2, 1, 2, 1))
    assert(open(path).fragments.map(_.id).toSet == Set(2L, 3L, 4L, 5L, 6L, 7L, 8L))
  }

  test("table properties are the defaults of options") {
    val config = Map(
      "lance.compaction.target_rows_per_fragment" -> "7",
      "lance.compaction.compaction_mode" -> "try_binary_copy"
    )
    val merged = CompactionRequest.of(Map("TARGET-rows_perFragment" -> "9"), config)
    assert(merged.options.targetRowsPerFragment == 9)
    assert(merged.options.mode == CompactionMode.TryBinaryCopy && merged.partialCommits == 1)
  }

  test("invalid options are rejected with a suggestion") {
    def rejected(options: (String, String)*): String =
      intercept[InvalidRequestException](request(options: _*)).getMessage
    assert(
      rejected("target_rows_per_fragmnt" -> "1").contains("did you mean target_rows_per_fragment?")
    )
    assert(rejected("zzz" -> "1").contains("there are target_rows_per_fragment, "))
    assert(rejected("batch_size" -> "many").contains("batch_size"))
    assert(rejected("partial_commits" -> "0").contains("at least 1"))
    assert(rejected("excluded_fragment_ids" -> "a").contains("separated by commas"))
    assert(rejected("compaction_mode" -> "fast").contains("reencode"))
  }

  test("if a fragment was changed concurrently, nothing is committed, and no files remain") {
    val path = numbers(20, 5)
    val stale = on(path)
    open(path).delete(Map(1L -> DeletionVector.of(Array(2))), "id = 7")
    val files = dataFiles(path)
    val e = intercept[AnalysisException](CompactionJob.run(stale, request()))
    assert(e.getCause.isInstanceOf[CommitConflictException])
    assert(dataFiles(path) == files)
    assert(ids(path) == (0L until 20L).filterNot(_ == 7L))
  }
}
