// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}

/** The feature flags of a manifest, which list the features that readers and writers must support.
  *
  * Source: format page of the table, "Feature flags".
  *
  * @param reader `reader_feature_flags`
  * @param writer `writer_feature_flags`
  */
final case class FeatureFlags(reader: Long, writer: Long) {
  import FeatureFlags._

  /** Whether a flag is set for readers. */
  def reads(flag: Long): Boolean = (reader & flag) != 0

  /** Whether a flag is set for writers. */
  def writes(flag: Long): Boolean = (writer & flag) != 0

  /** Checks that this release can read the table.
    *
    * @throws UnsupportedFeatureException with the unsupported features
    * @throws CorruptFileException if the flags are inconsistent
    */
  def checkReadable(): Unit = {
    reject("reader", reader & ~readable)
    paired.foreach { flag =>
      CorruptFileException.check(
        reads(flag) == writes(flag),
        s"corrupt manifest: feature flag $flag (${name(flag)}) is set for readers or writers only"
      )
    }
    CorruptFileException.check(
      !reads(nonReusableFieldIds),
      s"corrupt manifest: feature flag $nonReusableFieldIds is set for readers"
    )
  }

  /** Checks that this release can write to the table.
    *
    * @throws UnsupportedFeatureException with the unsupported features
    */
  def checkWritable(): Unit = reject("writer", writer & ~writable)

  private def reject(word: String, unknown: Long): Unit =
    if (unknown != 0) {
      val named = (0 until 64).map(1L << _).filter(f => (unknown & f) != 0).map { f =>
        s"${java.lang.Long.toUnsignedString(f)} (${name(f)})"
      }
      throw new UnsupportedFeatureException(s"$word feature flag ${named.mkString(", ")}")
    }
}

object FeatureFlags {

  /** At least one fragment has a deletion file. */
  val deletionFiles: Long = 1L << 0

  /** Rows have stable ids. */
  val stableRowIds: Long = 1L << 1

  /** Marks 2.x data files in old tables. */
  val oldV2Files: Long = 1L << 2

  /** The table configuration is not empty. */
  val config: Long = 1L << 3

  /** The table has base paths. */
  val basePaths: Long = 1L << 4

  /** Transactions are not written as separate files. */
  val noTransactionFiles: Long = 1L << 5

  /** At least one index has covering fields. */
  val coveringFields: Long = 1L << 7

  /** Data files have several 2.x versions. */
  val mixedFileVersions: Long = 1L << 8

  /** The fragment-reuse index has tags. */
  val taggedFragmentReuse: Long = 1L << 10

  /** Row lineage is stored in columns of data files. */
  val spilledLineage: Long = 1L << 11

  /** Field ids are never reused. */
  val nonReusableFieldIds: Long = 1L << 15

  private val names = Map(
    deletionFiles -> "deletion files",
    stableRowIds -> "stable row ids",
    oldV2Files -> "2.x data files",
    config -> "config",
    basePaths -> "base paths",
    noTransactionFiles -> "no transaction files",
    (1L << 6) -> "overlay files",
    coveringFields -> "covering fields",
    mixedFileVersions -> "mixed file versions",
    (1L << 9) -> "fragment reuse with stable row ids",
    taggedFragmentReuse -> "tagged fragment reuse",
    spilledLineage -> "spilled row lineage",
    (1L << 12) -> "fragment tree",
    (1L << 13) -> "independent covering fields",
    (1L << 14) -> "managed blobs",
    nonReusableFieldIds -> "non-reusable field ids",
    (1L << 16) -> "zone statistics",
    (1L << 17) -> "clustering"
  )

  /** Returns the name of the feature of a flag. */
  def name(flag: Long): String = names.getOrElse(flag, "unknown to this release")

  private val paired = Seq(mixedFileVersions, taggedFragmentReuse, 1L << 14, 1L << 16)

  private val readable = deletionFiles | stableRowIds | oldV2Files | config | basePaths |
    coveringFields | mixedFileVersions | taggedFragmentReuse | spilledLineage

  private val writable = deletionFiles | stableRowIds | oldV2Files | config | basePaths |
    noTransactionFiles | coveringFields | mixedFileVersions | taggedFragmentReuse | spilledLineage

  /** Flags that, once set, are kept in all later versions for readers and writers. */
  val sticky: Long = stableRowIds | mixedFileVersions | taggedFragmentReuse
}
