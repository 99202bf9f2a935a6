// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.transaction.operation.{
  ReserveFragments,
  Rewrite,
  RewriteGroup
}

/** A compaction of all fragments that commits some time after it has reserved its fragment ids. */
object SlowCompaction {

  /** Runs `meanwhile` between the two commits. */
  def apply(table: LanceTable)(meanwhile: => Any): LanceTable = {
    val results = new Compaction(table).plan(CompactionOptions()).tasks.map(_.run(table.store))
    val compacted = results.flatMap(_.newFragments).head
    val id = table.commit(ReserveFragments(1)).manifest.maxFragmentId.get
    meanwhile: Unit
    val numbered = Fragment(compacted.message.toBuilder.setId(id).build())
    table.commit(Rewrite(Seq(RewriteGroup(table.fragments, IndexedSeq(numbered)))))
  }
}
