// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import io.github.pysparklance.core.RowSelection
import io.github.pysparklance.table.scan.FragmentScan

/** A share of the rows, drawn one by one without regard to the others, as `TABLESAMPLE` wants it. Which rows follows
  * from the seed and where they lie, so that samples of one seed go together: their shares are disjoint where their
  * bounds are.
  *
  * @param lower from 0, inclusive
  * @param upper to 1, exclusive
  */
final private[scan] case class RowSample(lower: Double, upper: Double, seed: Long) {

  /** The share of the rows that is drawn, about. */
  def fraction: Double = upper - lower

  /** The rows of a fragment that are drawn. Hot code. */
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

private[scan] object RowSample {

  /** Larger shares are read whole and drawn from by Spark: there is little to skip. */
  val maxFraction = 0.25

  /** A number that looks drawn by lot: the finaliser of SplitMix64. */
  private def mixed(n: Long): Long = {
    var z = n + 0x9e3779b97f4a7c15L
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    z ^ (z >>> 31)
  }

  /** From 0 to 1. */
  private def unit(bits: Long): Double = (bits >>> 11) * (1.0 / (1L << 53))
}
