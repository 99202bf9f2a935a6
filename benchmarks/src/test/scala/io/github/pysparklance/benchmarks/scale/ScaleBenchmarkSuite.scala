// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.scale

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.benchmarks.Runs
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** A tiny run of the benchmark, without pylance, and the tables that it creates. */
class ScaleBenchmarkSuite extends AnyFunSuite {

  test(
    "operations on tables of many fragments, columns, versions, references, and deletions are measured"
  ) {
    val work = Files.createTempDirectory("scale")
    val out = work.resolve("results.txt")
    try {
      ScaleBenchmark.main(
        Array("--work", work.resolve("work").toString, "--out", out.toString) ++
          Array("--iterations", "1", "--fragments", "30", "--columns", "20", "--versions", "7") ++
          Array("--refs", "3", "--deleted", "6000")
      )
      val results = Files.readString(out)
      for (
        line <- Seq("30 fragments", "20 columns", "7 versions", "3 tags and branches") ++
          Seq("6,000 deleted rows", "plan a scan of one row", "history", "list the branches") ++
          Seq("delete a row", "append a fragment", "delete a fragment", "plan a clean-up")
      ) assert(results.linesIterator.exists(_.startsWith(line)), results)
    } finally Runs.clear(work)
  }

  test("generated tables have the versions, references, and deleted rows") {
    val work = Files.createTempDirectory("scale")
    val store = Storage.local
    try {
      val versions = work.resolve("versions")
      ScaleTables.ofVersions(versions, 5)
      assert(LanceTable.history(store, versions.toString).map(_.version).toSeq == (1L to 5L))
      assert(LanceTable.open(
        store,
        versions.toString
      ).append(IndexedSeq(ScaleTables.fragment())).version == 6)

      val refs = work.resolve("refs")
      ScaleTables.ofRefs(refs, 3)
      val branches = LanceTable.branches(store, refs.toString).list()
      assert(branches.map(_.id).distinct.length == 3)
      branches.foreach { b =>
        val found = LanceTable.open(store, refs.toString, Revision.OnBranch(b.name, None))
        assert(found.manifest.branch.contains(b.name) && found.fragments.length == 10)
      }
      assert(LanceTable.tags(store, refs.toString).list().length == 3)

      val deleted = work.resolve("deleted")
      ScaleTables.ofDeletions(deleted, 7000)
      val table = LanceTable.open(store, deleted.toString)
      assert(table.rowCount.contains(7000L))
      assert(table.deletionVector(table.fragments.head).isDeleted(13998))
    } finally Runs.clear(work)
  }
}
