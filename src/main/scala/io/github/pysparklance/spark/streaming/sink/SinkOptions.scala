// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse}
import io.github.pysparklance.spark.write.{RowDistribution, WriteOptions}
import io.github.pysparklance.table.schema.FieldPath

/** The options of streaming writes only.
  *
  * @param upsertKeys option `upsertKeys`: columns that identify rows; if empty, rows are appended
  * @param autoCompact option `autoCompact`: number of micro-batches between compactions; `None` for
  *   no compaction
  */
final private[sink] case class SinkOptions(upsertKeys: Seq[String], autoCompact: Option[Long])

/** Parses the options of streaming writes. */
private[sink] object SinkOptions {

  /** Parses and checks the options of a streaming write, without the table.
    *
    * @throws InvalidRequestException if an option is misspelled, invalid, contradicts another, or
    *   does not apply to streaming writes
    */
  def apply(options: CaseInsensitiveStringMap): SinkOptions = {
    val set = LanceOptions(options)
    set.checkNames(OptionUse.Write)
    WriteOptions.checkStream(options)
    val keys = RowDistribution.list(set, "upsertKeys").map(key)
    if (set.text("upsertKeys").isDefined && keys.isEmpty)
      throw new InvalidRequestException("option upsertKeys names no column")
    keys.diff(keys.distinct).headOption.foreach { twice =>
      throw new InvalidRequestException(s"option upsertKeys names the column $twice twice")
    }
    if (keys.nonEmpty && set.boolean("mergeSchema").contains(true))
      throw new InvalidRequestException(
        "the options upsertKeys and mergeSchema cannot be combined: add the columns to the table first"
      )
    SinkOptions(keys, set.long(1, "autoCompact"))
  }

  private def key(text: String): String = FieldPath.parse(text).names match {
    case Seq(name) => name
    case _ =>
      throw new InvalidRequestException(
        s"option upsertKeys: '$text' is not the name of a top-level column; " +
          "put names with special characters in backticks"
      )
  }
}
