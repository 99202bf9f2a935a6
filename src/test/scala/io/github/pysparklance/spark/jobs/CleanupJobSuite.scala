// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Paths}
import java.time.Instant

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.Pylance

class CleanupJobSuite extends JobSuite {
  private val now = Instant.parse("2026-06-01T00:00:00Z")

  private def policy(options: (String, String)*): CleanupPolicy =
    CleanupRequest(options.toMap, IndexedSeq(1L, 2L, 3L, 5L), now)

  /** A table with four versions; the last one needs a single file. */
  private def rewritten(): String = {
    val path = numbers(20, 5)
    delete(path, "id = 3")
    CompactionJob.run(on(path), CompactionRequest.of(Map.empty, Map.empty)): Unit
    path
  }

  test("old versions and their files are removed, like the dry run lists") {
    val path = rewritten()
    val all = CleanupRequest(Map("older_than" -> "0"), on(path))
    val listed = CleanupJob.dryRun(on(path), all)
    val kinds = listed.rows.groupBy(_.getString(1)).map { case (k, rows) => k -> rows.length }
    assert(kinds("data") == 4 && kinds("manifest") == 3 && kinds("deletion") == 1)
    assert(listed.rows.filter(_.getString(1) == "manifest").map(_.getLong(3)) == Seq(1, 2, 3))
    assert(listed.rows.forall(_.length == CleanupListing.schema.length))
    assert(LanceTable.versions(on(path).location.store, path) == Seq(1, 2, 3, 4))
    val removed = CleanupJob.run(on(path), all)
    assert(removed.stats == listed.plan.stats)
    assert(removed.stats.oldVersions == 3 && removed.stats.dataFilesRemoved == 4)
    assert(removed.row.getLong(0) == listed.rows.map(_.getLong(2)).sum)
    assert(removed.row.length == removed.schema.length)
    assert(LanceTable.versions(on(path).location.store, path) == Seq(4))
    assert(Pylance.validate(path) == 19 && dataFiles(path) == referenced(path))
  }

  test("tasks remove many files, manifests first") {
    val path = rewritten()
    val plan = open(path).planCleanup(CleanupPolicy())
    var outcome: CleanupOutcome = null
    val descriptions = jobs { outcome = CleanupJob.run(on(path), plan, few = 0) }
    assert(outcome.stats == plan.stats)
    assert(descriptions == Seq(
      s"removing ${plan.manifests.length} files of $path",
      s"removing ${plan.files.length} files of $path"
    ))
    assert(Pylance.validate(path) == 19 && dataFiles(path) == referenced(path))
  }

  test("tasks remove folders that become empty, the inner ones first") {
    val path = rewritten()
    val index = Files.createDirectories(Paths.get(path, "_indices", "old", "part"))
    Seq(index, index.getParent).foreach { folder =>
      val file = Files.write(folder.resolve("x.idx"), Array[Byte](1))
      Files.setLastModifiedTime(file, FileTime.from(now.minusSeconds(99L * 86400)))
    }
    val plan = open(path).planCleanup(CleanupPolicy())
    assert(plan.folders.length == 2)
    var outcome: CleanupOutcome = null
    val descriptions = jobs { outcome = CleanupJob.run(on(path), plan, few = 0) }
    assert(descriptions.drop(2) == Seq.fill(2)(s"removing empty folders of $path"))
    assert(outcome.stats == plan.stats && outcome.stats.indexFilesRemoved == 2)
    assert(!Files.exists(Paths.get(path, "_indices", "old")))
  }

  test("a tag that blocks the clean-up") {
    val path = rewritten()
    LanceTable.tags(on(path).location.store, path).create("keep", Revision.Version(2)): Unit
    def all(options: (String, String)*) =
      CleanupRequest(Map("retain_versions" -> "1") ++ options, on(path))
    val e = intercept[AnalysisException](CleanupJob.run(on(path), all()))
    assert(e.getMessage.contains("keep"))
    val allowed = CleanupJob.run(on(path), all("error_if_tagged_old_versions" -> "false"))
    assert(allowed.stats.oldVersions == 2)
    assert(Pylance.validate(path, Some(2L)) == 19)
  }

  test("options are converted to a policy") {
    assert(policy().beforeTimestamp.contains(Instant.parse("2026-05-18T00:00:00Z")))
    assert(policy("older_than" -> "3600").beforeTimestamp.contains(now.minusSeconds(3600)))
    assert(policy("olderThan" -> "1h 30m").beforeTimestamp.contains(now.minusSeconds(5400)))
    assert(policy("retain_versions" -> "2") == CleanupPolicy(beforeVersion = Some(3)))
    val both = policy("retain_versions" -> "2", "before_version" -> "2")
    assert(both.beforeVersion.contains(2L) && both.beforeTimestamp.isEmpty)
    val millis = policy("before_timestamp_millis" -> "1000")
    assert(millis.beforeTimestamp.contains(Instant.ofEpochSecond(1)))
    val rest = policy(
      "versions" -> "1,3",
      "delete_unverified" -> "TRUE",
      "error_if_tagged_old_versions" -> "false",
      "clean_referenced_branches" -> "true",
      "delete_rate_limit" -> "100",
      "delete_concurrency" -> "4"
    )
    assert(rest == CleanupPolicy(
      versions = Some(Set(1L, 3L)),
      deleteUnverified = true,
      errorIfTaggedOldVersions = false,
      cleanReferencedBranches = true,
      deletesPerSecond = Some(100)
    ))
  }

  test("invalid options") {
    def rejected(options: (String, String)*): String =
      intercept[InvalidRequestException](policy(options: _*)).getMessage
    assert(rejected("retain_version" -> "1").contains("did you mean retain_versions?"))
    assert(rejected("older_than" -> "soon").contains("not a duration"))
    assert(rejected("retain_versions" -> "0").contains("at least 1"))
    assert(rejected("delete_unverified" -> "maybe").contains("true or false"))
    assert(rejected("versions" -> "").contains("empty"))
  }
}
