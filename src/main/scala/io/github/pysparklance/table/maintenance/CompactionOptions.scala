// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.file.metadata.FileVersion

/** How a compaction writes rows. */
sealed abstract class CompactionMode(val text: String) extends Serializable

object CompactionMode {

  /** Decodes and encodes all rows. */
  case object Reencode extends CompactionMode("reencode")

  /** Copies pages unchanged if the files allow it. */
  case object TryBinaryCopy extends CompactionMode("try_binary_copy")

  /** Copies pages unchanged. Fails if the files do not allow it. */
  case object ForceBinaryCopy extends CompactionMode("force_binary_copy")

  val all: IndexedSeq[CompactionMode] = IndexedSeq(Reencode, TryBinaryCopy, ForceBinaryCopy)
}

/** Options of a compaction. They are named like the table properties `lance.compaction.*`.
  *
  * Source: format page of the table, "Compaction" and "Config keys".
  *
  * @param targetRowsPerFragment fragments with fewer rows are merged with their neighbors
  * @param maxBytesPerFile a larger file is closed
  * @param materializeDeletions whether fragments with many deleted rows are rewritten without them
  * @param materializeDeletionsThreshold fraction of deleted rows above which a fragment is
  *   rewritten; 1 disables it
  * @param batchSize number of rows read at a time
  * @param deferIndexRemap whether indices are updated later, from a record of moved rows
  * @param maxSourceFragments maximum fragments of one run; tasks are planned in order until one of
  *   the three limits is exceeded
  * @param maxSourceRows maximum live rows of one run
  * @param maxSourceBytes maximum bytes of data files of one run
  * @param excludedFragmentIds fragments that are not compacted; fragments before and after them are
  *   not merged
  * @param dataStorageVersion version of the new files; `None` for the table's version
  * @param properties commit properties
  */
final case class CompactionOptions(
    targetRowsPerFragment: Long = 1L << 20,
    maxBytesPerFile: Long = 90L << 30,
    materializeDeletions: Boolean = true,
    materializeDeletionsThreshold: Double = 0.1,
    batchSize: Int = 8192,
    deferIndexRemap: Boolean = false,
    mode: CompactionMode = CompactionMode.Reencode,
    maxSourceFragments: Option[Long] = None,
    maxSourceRows: Option[Long] = None,
    maxSourceBytes: Option[Long] = None,
    excludedFragmentIds: Set[Long] = Set.empty,
    dataStorageVersion: Option[FileVersion] = None,
    properties: Map[String, String] = Map.empty
) {
  private def positive(name: String, value: Option[Long]): Unit =
    value.filter(_ <= 0).foreach(v =>
      throw new InvalidRequestException(s"compaction: $name is $v, expected at least 1")
    )
  positive("max_source_fragments", maxSourceFragments)
  positive("max_source_rows", maxSourceRows)
  positive("max_source_bytes", maxSourceBytes)
  positive("max_bytes_per_file", Some(maxBytesPerFile))
  positive("batch_size", Some(batchSize.toLong))

  /** Whether a fragment has enough deleted rows to be rewritten. */
  private[maintenance] def materializes(deletedRows: Long, physicalRows: Long): Boolean =
    materializeDeletions && materializeDeletionsThreshold < 1.0 && physicalRows > 0 &&
      deletedRows.toDouble / physicalRows.toDouble > materializeDeletionsThreshold
}

object CompactionOptions {

  /** Prefix of the table properties. */
  val prefix: String = "lance.compaction."

  /** Returns the options in a table's configuration. Ignores unknown keys and keys for other
    * implementations.
    *
    * @throws InvalidRequestException for an invalid value
    */
  def of(config: Map[String, String]): CompactionOptions =
    config.toSeq.sorted.foldLeft(CompactionOptions()) { case (o, (key, value)) =>
      if (key.startsWith(prefix)) set(o, key, value) else o
    }

  private def set(o: CompactionOptions, key: String, value: String): CompactionOptions = {
    def reject(expected: String): Nothing =
      throw new InvalidRequestException(
        s"""the table property $key is "$value", expected $expected"""
      )
    def number: Long = Parse.long(value).filter(_ >= 0).getOrElse(reject("a number of at least 0"))
    def flag: Boolean = value.toLowerCase(java.util.Locale.ROOT) match {
      case "true" => true
      case "false" => false
      case _ => reject("true or false")
    }
    key.drop(prefix.length) match {
      case "target_rows_per_fragment" => o.copy(targetRowsPerFragment = number)
      case "max_bytes_per_file" => o.copy(maxBytesPerFile = number)
      case "materialize_deletions" => o.copy(materializeDeletions = flag)
      case "materialize_deletions_threshold" =>
        o.copy(materializeDeletionsThreshold =
          Parse.double(value).filterNot(_.isNaN).getOrElse(reject("a number such as 0.1"))
        )
      case "batch_size" => o.copy(batchSize = math.min(number, 1L << 20).toInt)
      case "defer_index_remap" => o.copy(deferIndexRemap = flag)
      case "compaction_mode" =>
        val text = value.toLowerCase(java.util.Locale.ROOT)
        o.copy(mode =
          CompactionMode.all.find(_.text == text)
            .getOrElse(reject(CompactionMode.all.map(_.text).mkString("one of ", ", ", "")))
        )
      case "max_source_fragments" => o.copy(maxSourceFragments = Some(number))
      case "max_source_rows" => o.copy(maxSourceRows = Some(number))
      case "max_source_bytes" => o.copy(maxSourceBytes = Some(number))
      case "data_storage_version" =>
        o.copy(dataStorageVersion =
          Some(FileVersion.all.find(_.text == value)
            .getOrElse(reject(FileVersion.all.map(_.text).mkString("one of ", ", ", ""))))
        )
      case "max_rows_per_group" | "io_buffer_size" | "binary_copy_read_batch_bytes" |
          "max_overlays_per_fragment" => if (value == "none") o else { number: Unit; o }
      case "index_remap_mode" =>
        if (Set("compact", "direct")(value.toLowerCase(java.util.Locale.ROOT))) o
        else reject("compact or direct")
      case _ => o
    }
  }
}
