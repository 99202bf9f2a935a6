// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.LanceOptions

/** How rows are written; decided once, when the write is planned.
  *
  * @param fileVersion option `fileVersion` (`dataStorageVersion`): version of the files of a new or replaced table
  * @param maxRowsPerFile option `maxRowsPerFile`: rows of a fragment, at most
  * @param maxBytesPerFile option `maxBytesPerFile`: a file that has grown to this is the last of its fragment
  */
final case class WriteOptions(
    fileVersion: Option[FileVersion],
    maxRowsPerFile: Long,
    maxBytesPerFile: Long
)

object WriteOptions {

  /** As pylance has it. */
  val DefaultMaxRowsPerFile: Long = 1L << 20

  /** As pylance has it. */
  val DefaultMaxBytesPerFile: Long = 90L << 30

  /** @throws io.github.pysparklance.core.UnsupportedFeatureException for a file version that does not exist
    * @throws io.github.pysparklance.core.InvalidRequestException for a limit that is no positive number
    */
  private[spark] def apply(options: LanceOptions): WriteOptions = WriteOptions(
    options.text("fileVersion", "dataStorageVersion", "fileFormatVersion").map(FileVersion.parse),
    options.long(1, "maxRowsPerFile", "maxRowPerFile").getOrElse(DefaultMaxRowsPerFile),
    options.long(1, "maxBytesPerFile").getOrElse(DefaultMaxBytesPerFile)
  )
}
