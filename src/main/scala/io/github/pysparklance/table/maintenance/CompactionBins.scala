// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

/** A fragment in the planning of a compaction.
  *
  * @param position among the fragments of the table
  * @param indices the indices that cover it
  * @param isExcluded whether it is not compacted
  * @param isPinned whether dropped columns remain stored only because row lineage is in the same
  *   file
  * @param sourceBytes bytes of the data files with columns of the schema, if known
  */
final private case class Candidate(
    position: Int,
    physicalRows: Long,
    deletedRows: Long,
    indices: Set[Int] = Set.empty,
    isExcluded: Boolean = false,
    isPinned: Boolean = false,
    sourceBytes: Option[Long] = Some(0L)
) {
  def liveRows: Long = physicalRows - deletedRows
}

/** Selects the fragments to merge.
  *
  * {{{
  *   neighbors, covered by the same indices       small small large small | small small
  *   are one bin                                  `---------'       `---'   `---------'   (a new index begins at |)
  *   a single small fragment is not rewritten     bin               no bin  bin
  *   a bin of twice the target or more is split where each part has the target
  * }}}
  * Source: format page of the table, "Compaction", rule 1.
  */
private object CompactionBins {

  /** Returns the fragments of each bin, in order.
    *
    * @param fragments fragments in the order of the table
    */
  def of(
      fragments: IndexedSeq[Candidate],
      options: CompactionOptions
  ): IndexedSeq[IndexedSeq[Candidate]] = {
    val bins = IndexedSeq.newBuilder[IndexedSeq[Candidate]]
    var bin = Vector.empty[Candidate]
    def close(): Unit = {
      if (bin.nonEmpty) bins += bin
      bin = Vector.empty
    }
    fragments.foreach { f =>
      if (f.isExcluded || !(goesAlone(f, options) || isSmall(f, options))) close()
      else {
        if (bin.headOption.exists(_.indices != f.indices)) close()
        bin :+= f
      }
    }
    close()
    val worthIt = bins.result().filter(b => b.length > 1 || goesAlone(b.head, options))
    withinBudget(worthIt.flatMap(split(_, options.targetRowsPerFragment)), options)
  }

  private def goesAlone(f: Candidate, options: CompactionOptions): Boolean =
    f.isPinned && options.mode != CompactionMode.ForceBinaryCopy ||
      options.materializes(f.deletedRows, f.physicalRows)

  private def isSmall(f: Candidate, options: CompactionOptions): Boolean =
    f.physicalRows < options.targetRowsPerFragment

  private def split(bin: IndexedSeq[Candidate], target: Long): IndexedSeq[IndexedSeq[Candidate]] = {
    val parts = IndexedSeq.newBuilder[IndexedSeq[Candidate]]
    var part = Vector.empty[Candidate]
    var rows = 0L
    var remaining = bin.map(_.liveRows).sum
    bin.foreach { f =>
      part :+= f
      rows += f.liveRows
      remaining -= f.liveRows
      if (rows >= target && remaining > 0 && remaining >= target) {
        parts += part
        part = Vector.empty
        rows = 0
      }
    }
    if (part.nonEmpty) parts += part
    parts.result()
  }

  private def withinBudget(
      bins: IndexedSeq[IndexedSeq[Candidate]],
      o: CompactionOptions
  ): IndexedSeq[IndexedSeq[Candidate]] = {
    var fragments, rows, bytes = 0L
    bins.takeWhile { bin =>
      fragments += bin.length
      rows += bin.map(_.liveRows).sum
      // An unknown size counts as more than any limit.
      bytes += (if (o.maxSourceBytes.isEmpty) 0L
                else bin.map(_.sourceBytes.getOrElse(Long.MaxValue >> 24)).sum)
      o.maxSourceFragments.forall(fragments <= _) && o.maxSourceRows.forall(rows <= _) &&
      o.maxSourceBytes.forall(bytes <= _)
    }
  }
}
