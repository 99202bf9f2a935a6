// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.file.metadata.FileVersion

/** How rows come into their new files. */
sealed abstract class CompactionMode(val text: String) extends Serializable

object CompactionMode {

  /** Read and encoded anew. */
  case object Reencode extends CompactionMode("reencode")

  /** Pages are copied as they are where the files allow it. */
  case object TryBinaryCopy extends CompactionMode("try_binary_copy")

  /** Pages are copied as they are; files that do not allow it are an error. */
  case object ForceBinaryCopy extends CompactionMode("force_binary_copy")

  val all: IndexedSeq[CompactionMode] = IndexedSeq(Reencode, TryBinaryCopy, ForceBinaryCopy)
}

/** What a compaction does. The names are those of the settings `lance.compaction.*` of a table.
  *
  * Source: format page of the table, "Compaction" and "Config keys".
  *
  * @param targetRowsPerFragment fragments with fewer rows are put together with their neighbours
  * @param maxBytesPerFile a file that has grown beyond it is closed
  * @param materializeDeletions whether fragments with many deleted rows are written anew without them
  * @param materializeDeletionsThreshold many: a larger part of the rows than this; from 1 on: none
  * @param batchSize rows read at a time
  * @param deferIndexRemap whether indices follow later, by the record of what moved where
  * @param maxSourceFragments of one run. Parts of the plan are taken in order as long as none of the three limits is
  *   passed
  * @param maxSourceRows of one run, deleted ones left out
  * @param maxSourceBytes of one run, of data files
  * @param excludedFragmentIds stay as they are, and what lies before and behind them is not put together
  * @param dataStorageVersion version of the new files; none: the table's
  * @param properties notes on the commit
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

  /** Whether so many deleted rows make a fragment worth writing anew. */
  private[maintenance] def materializes(deletedRows: Long, physicalRows: Long): Boolean =
    materializeDeletions && materializeDeletionsThreshold < 1.0 && physicalRows > 0 &&
      deletedRows.toDouble / physicalRows.toDouble > materializeDeletionsThreshold
}

object CompactionOptions {

  /** What the keys of a table's settings begin with. */
  val prefix: String = "lance.compaction."

  /** The settings of a table in the place of the defaults. Keys that only matter to other ways of reading and
    * remapping are passed over, and so are unknown ones.
    *
    * @throws InvalidRequestException for a value that cannot be read
    */
  def of(config: Map[String, String]): CompactionOptions =
    config.toSeq.sorted.foldLeft(CompactionOptions()) { case (o, (key, value)) =>
      if (key.startsWith(prefix)) set(o, key, value) else o
    }

  private def set(o: CompactionOptions, key: String, value: String): CompactionOptions = {
    def refuse(expected: String): Nothing =
      throw new InvalidRequestException(s"""the setting $key is "$value", expected $expected""")
    def number: Long = Parse.long(value).filter(_ >= 0).getOrElse(refuse("a number of at least 0"))
    def flag: Boolean = value.toLowerCase(java.util.Locale.ROOT) match {
      case "true" => true
      case "false" => false
      case _ => refuse("true or false")
    }
    key.drop(prefix.length) match {
      case "target_rows_per_fragment" => o.copy(targetRowsPerFragment = number)
      case "max_bytes_per_file" => o.copy(maxBytesPerFile = number)
      case "materialize_deletions" => o.copy(materializeDeletions = flag)
      case "materialize_deletions_threshold" =>
        o.copy(materializeDeletionsThreshold =
          Parse.double(value).filterNot(_.isNaN).getOrElse(refuse("a number such as 0.1"))
        )
      case "batch_size" => o.copy(batchSize = math.min(number, 1L << 20).toInt)
      case "defer_index_remap" => o.copy(deferIndexRemap = flag)
      case "compaction_mode" =>
        val text = value.toLowerCase(java.util.Locale.ROOT)
        o.copy(mode =
          CompactionMode.all.find(_.text == text)
            .getOrElse(refuse(CompactionMode.all.map(_.text).mkString("one of ", ", ", "")))
        )
      case "max_source_fragments" => o.copy(maxSourceFragments = Some(number))
      case "max_source_rows" => o.copy(maxSourceRows = Some(number))
      case "max_source_bytes" => o.copy(maxSourceBytes = Some(number))
      case "data_storage_version" =>
        o.copy(dataStorageVersion =
          Some(FileVersion.all.find(_.text == value)
            .getOrElse(refuse(FileVersion.all.map(_.text).mkString("one of ", ", ", ""))))
        )
      case "max_rows_per_group" | "io_buffer_size" | "binary_copy_read_batch_bytes" |
          "max_overlays_per_fragment" => if (value == "none") o else { number: Unit; o }
      case "index_remap_mode" =>
        if (Set("compact", "direct")(value.toLowerCase(java.util.Locale.ROOT))) o
        else refuse("compact or direct")
      case _ => o
    }
  }
}
