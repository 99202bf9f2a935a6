// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** All names that options of reads and writes have, to tell slips of the pen from options of somebody else. */
private[common] object OptionNames {
  private val names = Seq(
    "path",
    "version",
    "versionAsOf",
    "tag",
    "branch",
    "timestampAsOf",
    "batchSize",
    "splitSize",
    "minPartitionNum",
    "prefetchBytes",
    "ioBufferSize",
    "windowBytes",
    "maxGapBytes",
    "blobMode",
    "blobHandling",
    "nativeTimeTypes",
    "fileVersion",
    "dataStorageVersion",
    "fileFormatVersion",
    "maxRowsPerFile",
    "maxRowPerFile",
    "maxBytesPerFile",
    "writeBufferBytes",
    "overwriteSchema",
    "distributionMode",
    "distributionColumns",
    "distributionPartitions",
    "advisoryPartitionSize",
    "orderBy"
  )

  private val byCanonical = names.map(n => LanceOptions.canonical(n) -> n).toMap

  /** Names so short are like too many words. */
  private val minLength = 5

  /** Letters that may be wrong. */
  private val maxEdits = 2

  /** The option that a name nearly has.
    *
    * @param name in the spelling that all are compared in
    */
  def meant(name: String): Option[String] =
    if (byCanonical.contains(name) || name.length < minLength || name.contains('.')) None
    else {
      val near = byCanonical.keys.filter(_.length >= minLength).map(k => edits(name, k) -> k)
      near.filter(_._1 <= maxEdits).minOption.map(found => byCanonical(found._2))
    }

  /** Letters to insert, remove or replace to make one name of the other. */
  private def edits(from: String, to: String): Int = {
    var previous = (0 to to.length).toArray
    from.indices.foreach { i =>
      val row = new Array[Int](to.length + 1)
      row(0) = i + 1
      to.indices.foreach { j =>
        val replaced = previous(j) + (if (from(i) == to(j)) 0 else 1)
        row(j + 1) = math.min(replaced, math.min(previous(j + 1), row(j)) + 1)
      }
      previous = row
    }
    previous(to.length)
  }
}
