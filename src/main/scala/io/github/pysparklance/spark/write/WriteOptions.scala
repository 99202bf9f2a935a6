// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.file.spi.WriteBudget
import io.github.pysparklance.spark.common.LanceOptions

/** How rows are written; decided once, when the write is planned: by the options of the write, then by the properties
  * of the table.
  *
  * @param fileVersion option `fileVersion` (`dataStorageVersion`): version of the files of a new or replaced table
  * @param maxRowsPerFile option `maxRowsPerFile`: rows of a fragment, at most
  * @param maxBytesPerFile option `maxBytesPerFile`: a file that has grown to this is the last of its fragment
  * @param budget option `writeBufferBytes`: what a task gathers of all columns before it is encoded
  * @param distribution which rows go to which task, and in which order
  */
final case class WriteOptions(
    fileVersion: Option[FileVersion],
    maxRowsPerFile: Long,
    maxBytesPerFile: Long,
    budget: WriteBudget = WriteBudget.default,
    distribution: RowDistribution = RowDistribution.asTheyCome
)

object WriteOptions {

  /** As pylance has it. */
  val DefaultMaxRowsPerFile: Long = 1L << 20

  /** As pylance has it. */
  val DefaultMaxBytesPerFile: Long = 90L << 30

  /** @throws io.github.pysparklance.core.UnsupportedFeatureException for a file version that does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException for a limit that is no positive number, and a name
    *   that is nearly one of ours
    */
  private[spark] def apply(options: LanceOptions): WriteOptions = {
    options.checkNames()
    WriteOptions(
      fileVersion(options),
      options.long(1, "maxRowsPerFile", "maxRowPerFile").getOrElse(DefaultMaxRowsPerFile),
      options.bytes(1, "maxBytesPerFile").getOrElse(DefaultMaxBytesPerFile),
      options
        .bytes(1 << 20, "writeBufferBytes")
        .fold(WriteBudget.default)(b => WriteBudget.default.copy(totalBytes = b)),
      RowDistribution(options)
    )
  }

  /** The file version asked for.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for one that does not exist
    */
  private[spark] def fileVersion(options: LanceOptions): Option[FileVersion] =
    options.text(FileVersionNames.head, FileVersionNames.tail: _*).map(v =>
      FileVersion.parse(v.trim)
    )

  /** The names of the option that sets the file version. */
  private[spark] val FileVersionNames: Seq[String] =
    Seq("fileVersion", "dataStorageVersion", "fileFormatVersion")
}
