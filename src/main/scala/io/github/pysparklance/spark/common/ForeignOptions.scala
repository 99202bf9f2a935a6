// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.{InvalidRequestException, UnsupportedFeatureException}

/** An option of another format that changes the rows that are read, or the rows and location that
  * are written. Lance reads and writes reject it, because ignoring it would silently change the
  * result.
  *
  * @param name name in the other format; a name that ends with a dot is a prefix
  * @param uses reads, writes, or both
  * @param format name of the other format
  * @param instead Lance option or statement with the same effect; empty if there is none
  * @param harmless values in lower case that have no effect on Lance tables
  */
final private[common] case class ForeignOption(
    name: String,
    uses: Set[OptionUse],
    format: String,
    instead: String,
    harmless: Set[String]
) {
  private val key = LanceOptions.canonical(name)

  /** Whether a canonical name is the name of this option. */
  def matches(canonical: String): Boolean =
    if (key.endsWith(".")) canonical.startsWith(key) else canonical == key

  /** Rejects the option unless its value is harmless.
    *
    * @param named the name as written by the user
    * @throws InvalidRequestException that names the Lance option
    * @throws UnsupportedFeatureException if there is none
    */
  def check(named: String, value: String): Unit =
    if (value.nonEmpty && !harmless.contains(value.trim.toLowerCase(java.util.Locale.ROOT))) {
      if (instead.isEmpty) throw new UnsupportedFeatureException(s"option $named of $format")
      else
        throw new InvalidRequestException(
          s"$named is an option of $format, which Lance tables do not have: use $instead"
        )
    }
}

/** The rejected options of Delta Lake, Iceberg, Hudi, Paimon, file sources, and other Lance
  * writers. Options with the same meaning as a Lance option are aliases in [[OptionRegistry]].
  * Options that only tune performance are ignored.
  */
private[spark] object ForeignOptions {
  import OptionUse.{Read, Write}

  private val no = Set("false")

  private def list(uses: OptionUse*)(format: String, instead: String, harmless: Set[String])(
      names: String*
  ): Seq[ForeignOption] = names.map(ForeignOption(_, uses.toSet, format, instead, harmless))

  private val changes = "`readChangeFeed` with `startingVersion` and `endingVersion`"
  private val keyOfNearest = "the key of this name in the option `nearest`"
  private val time = "`timestampAsOf`"
  private val version = "`version` with the number of a version"
  private val compression = "the option `column.<name>.compression` with `zstd` or `lz4`"

  private val reads: Seq[ForeignOption] = Seq(
    list(Read)("Iceberg", version, Set.empty)("snapshot-id"),
    list(Read)("Iceberg", changes, Set.empty)(
      "start-snapshot-id",
      "end-snapshot-id",
      "start-timestamp",
      "end-timestamp",
      "stream-from-timestamp"
    ),
    list(Read)("Iceberg", s"$version, or `tag`", Set.empty)("snapshot-ref"),
    list(Read)("Hudi", time, Set.empty)("as.of.instant"),
    list(Read)("Hudi", "", Set("snapshot"))("hoodie.datasource.query.type"),
    list(Read)("Paimon", version, Set.empty)("scan.snapshot-id", "scan.version"),
    list(Read)("Paimon", "`tag`", Set.empty)("scan.tag-name"),
    list(Read)("Paimon", time, Set.empty)("scan.timestamp", "scan.timestamp-millis"),
    list(Read)("Paimon", "`branch`", Set.empty)("scan.fallback-branch"),
    list(Read)("Paimon", changes, Set.empty)(
      "incremental-between",
      "incremental-between-timestamp",
      "incremental-to-auto-tag"
    ),
    list(Read)("Paimon", "", Set("default", "latest", "latest-full"))("scan.mode"),
    list(Read)("Paimon", "", Set.empty)(
      "scan.watermark",
      "scan.bounded.watermark",
      "scan.creation-time-millis",
      "scan.file-creation-time-millis"
    ),
    list(Read)("file sources", "a filter on `_file`", Set.empty)("pathGlobFilter"),
    list(Read)("file sources", s"$time, or $changes", Set.empty)("modifiedBefore", "modifiedAfter"),
    list(Read)("file sources", "", no)(
      "recursiveFileLookup",
      "ignoreCorruptFiles",
      "ignoreMissingFiles"
    ),
    list(Read)("other readers", time, Set.empty)("timestamp"),
    list(Read)("pylance", "`select(…)`", Set.empty)("columns"),
    list(Read)("pylance", "`where(…)`", Set.empty)("filter", "substraitFilter"),
    list(Read)("pylance", "`limit(…)`", Set.empty)("limit"),
    list(Read)("pylance", "`offset(…)`", Set.empty)("offset"),
    list(Read)("pylance", "`select(…)` with `_rowid`", no)("withRowId"),
    list(Read)("pylance", "`select(…)` with `_rowaddr`", no)("withRowAddress"),
    list(Read)("pylance", "a filter on `_fragid`", Set.empty)("fragments", "fragmentIds"),
    list(Read)("pylance", "", no)("scanInOrder"),
    list(Read)("pylance", keyOfNearest, no)("prefilter"),
    list(Read)("pylance", keyOfNearest, Set.empty)("nprobes", "refineFactor", "distanceRange")
  ).flatten

  private val writes: Seq[ForeignOption] = Seq(
    list(Write)("Parquet", compression, Set("none", "uncompressed"))(
      "compression",
      "parquet.compression",
      "orc.compress"
    ),
    list(Write)("Iceberg", compression, Set("none", "uncompressed"))(
      "compression-codec",
      "compression-level",
      "compression-strategy"
    ),
    list(Write)("Iceberg", "`fileVersion`", Set("lance"))("write-format"),
    list(Write)("Iceberg", "", Set.empty)("validate-from-snapshot-id", "output-spec-id"),
    list(Write)("Iceberg", "", Set("snapshot"))("isolation-level"),
    list(Write)("Delta Lake", "`OPTIMIZE` to rewrite files without changing rows", Set("true"))(
      "dataChange"
    ),
    list(Write)("pylance", "the save mode, `mode(…)`", Set.empty)("mode", "writeMode"),
    list(Write)("pylance", "`fileVersion` = `legacy`", no)("useLegacyFormat"),
    list(Write)("pylance", "`transactionProperty.<key>`", Set.empty)("transactionProperties"),
    list(Write)("pylance", "table properties `lance.auto_cleanup.…`", no)("autoCleanupOptions"),
    list(Write)("pylance", "", Set("true"))("enableV2ManifestPaths"),
    list(Write)("pylance", "", Set.empty)(
      "initialBases",
      "externalBlobMode",
      "allowExternalBlobOutsideBases"
    )
  ).flatten

  // Prefixes are last, because the first match is used.
  private val all: Seq[ForeignOption] =
    reads ++ writes ++ list(Read, Write)("Hudi", "", Set.empty)("hoodie.")

  /** Rejects options of other formats in a read or write.
    *
    * @param options names and values as written by the user
    * @throws InvalidRequestException that names the Lance option
    * @throws UnsupportedFeatureException if an option has no counterpart
    */
  def check(use: OptionUse, options: Map[String, String]): Unit = options.foreach {
    case (name, value) => find(use, name).foreach(_.check(name, value))
  }

  /** Returns the option of another format with a name, for messages. */
  def find(use: OptionUse, name: String): Option[ForeignOption] = {
    val canonical = LanceOptions.canonical(name)
    // Row-level commands have options of reads and writes.
    if (OptionRegistry.find(name).exists(_.isOfOperations)) None
    else all.find(o => o.uses.contains(use) && o.matches(canonical))
  }

  /** The table of the documentation. */
  def table: String = {
    val lines = all.map(o => (o.format, o.uses.map(_.text).toSeq.sorted, o.instead)).distinct.map {
      case key @ (format, uses, instead) =>
        val names = all.collect {
          case o if (o.format, o.uses.map(_.text).toSeq.sorted, o.instead) == key =>
            s"`${o.name}${if (o.name.endsWith(".")) "…" else ""}`"
        }
        val use = if (instead.isEmpty) "not supported" else instead
        s"| ${names.mkString(", ")} | $format | ${uses.mkString(", ")} | $use |"
    }
    val head = Seq("| option | format | operation | use instead |", "|---|---|---|---|")
    (head ++ lines).mkString("", "\n", "\n")
  }
}
