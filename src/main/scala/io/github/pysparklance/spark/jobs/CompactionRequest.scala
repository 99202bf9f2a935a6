// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.table.maintenance.CompactionOptions

/** The options of a compaction.
  *
  * @param fragments ids of the fragments to rewrite; `None` for all
  * @param partialCommits maximum number of commits. If a part fails, earlier commits stay
  */
final private[spark] case class CompactionRequest(
    options: CompactionOptions,
    fragments: Option[Set[Long]] = None,
    partialCommits: Int = 1
)

/** Parses compaction options. */
private[spark] object CompactionRequest {

  /** Option for the number of commits. All other options have the names of pylance's arguments. */
  val PartialCommits = "partial_commits"

  /** Option for the fragments to rewrite. */
  val FragmentIds = "fragment_ids"

  /** Option for the fragments to exclude. */
  private val excluded = "excluded_fragment_ids"

  /** Number of threads in pylance. Ignored, because Spark schedules the tasks. */
  private val ignored = "num_threads"

  private val tableOptions = Seq(
    "target_rows_per_fragment",
    "max_rows_per_group",
    "max_bytes_per_file",
    "materialize_deletions",
    "materialize_deletions_threshold",
    "defer_index_remap",
    "batch_size",
    "compaction_mode",
    "binary_copy_read_batch_bytes",
    "max_source_fragments",
    "max_source_rows",
    "max_source_bytes",
    "data_storage_version"
  )

  /** Names of all options. */
  val names: Seq[String] = tableOptions ++ Seq(excluded, FragmentIds, PartialCommits, ignored)

  /** Merges options with the table properties `lance.compaction.*`. Options take precedence.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if an option is unknown or a value
    *   is invalid
    */
  def of(requested: Map[String, String], config: Map[String, String]): CompactionRequest = {
    val options = new JobOptions("a compaction", names, requested)
    options.long(ignored): Unit
    val set =
      tableOptions.flatMap(n => options.text(n).map(v => (CompactionOptions.prefix + n) -> v))
    val merged = CompactionOptions.of(config ++ set)
    val commits = options.long(PartialCommits).getOrElse(1L)
    CompactionRequest(
      merged.copy(excludedFragmentIds = options.longs(excluded).getOrElse(Set.empty)),
      options.longs(FragmentIds),
      math.min(commits, maxCommits).toInt
    )
  }

  private val maxCommits = 10000L
}
