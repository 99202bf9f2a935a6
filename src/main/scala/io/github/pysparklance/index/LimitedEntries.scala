// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

/** The first elements of another iterator. */
final private[index] class LimitedEntries[A](all: Iterator[A], most: Int) extends Iterator[A] {
  private var numTaken = 0

  /** Whether elements were cut off. Only valid at the end. */
  def isCut: Boolean = numTaken == most && all.hasNext

  def hasNext: Boolean = numTaken < most && all.hasNext

  def next(): A = {
    numTaken += 1
    all.next()
  }
}

private[index] object LimitedEntries {

  /** Maximum entries of deleted or unselected rows that the driver reads in the order of an index.
    * With more, a scan in tasks is faster.
    */
  val most: Int = 1 << 18
}
