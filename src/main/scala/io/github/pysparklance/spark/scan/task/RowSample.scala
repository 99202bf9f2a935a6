// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import io.github.pysparklance.core.RowSelection
import io.github.pysparklance.table.scan.FragmentScan

/** An independent random sample of rows, for `TABLESAMPLE`. The seed and the location of a row
  * determine whether it is selected. Samples with the same seed and disjoint bounds are disjoint.
  *
  * @param lower lower bound, inclusive, at least 0
  * @param upper upper bound, exclusive, at most 1
  */
final private[scan] case class RowSample(lower: Double, upper: Double, seed: Long) {

  /** The approximate fraction of selected rows. */
  def fraction: Double = upper - lower

  /** Returns the selected rows of a fragment. Hot code. */
  def of(scan: FragmentScan): FragmentScan = {
    val drawn = new scala.collection.mutable.ArrayBuilder.ofLong
    val base = RowSample.mixed(seed ^ RowSample.mixed(scan.fragment.id + 1))
    scan.selection.fold(IndexedSeq(scan.rows))(_.within(scan.rows).ranges).foreach { range =>
      var row = range.from
      while (row < range.until) {
        val at = RowSample.unit(RowSample.mixed(base + row))
        if (at >= lower && at < upper) drawn += row
        row += 1
      }
    }
    scan.copy(selection = Some(RowSelection.of(drawn.result())))
  }
}

/** Limits, and the random number generator. */
private[scan] object RowSample {

  /** For larger fractions, Spark samples all rows, because there is little to skip. */
  val maxFraction = 0.25

  /** Returns a pseudorandom number: the finalizer of SplitMix64. */
  private def mixed(n: Long): Long = {
    var z = n + 0x9e3779b97f4a7c15L
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    z ^ (z >>> 31)
  }

  /** Converts random bits to a number from 0 to 1. */
  private def unit(bits: Long): Double = (bits >>> 11) * (1.0 / (1L << 53))
}
