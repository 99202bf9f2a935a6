// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.proto

/** Determines the file version of a table's data files.
  *
  * Source: message `Manifest.DataStorageFormat`, table.proto; format page of the table,
  * "data_format".
  */
private object DataFormat {

  /** Returns the version for new files. All present files must have it, unless a flag allows
    * several 2.x versions. If an old manifest declares no version, or wrongly 0.1, returns the
    * version of its files.
    *
    * @param found versions of the present files
    */
  def effective(
      message: proto.Manifest,
      flags: FeatureFlags,
      found: Set[FileVersion]
  ): FileVersion = {
    val declared = if (message.hasDataFormat) Some(parse(message.getDataFormat)) else None
    def mixed(): Nothing = throw new CorruptFileException(
      s"corrupt manifest: data files of versions ${found.map(_.text).toSeq.sorted.mkString(", ")} " +
        s"in a table of version ${declared.fold("unknown")(_.text)}"
    )
    declared match {
      case Some(v) if flags.reads(FeatureFlags.mixedFileVersions) =>
        if (found(FileVersion.V0_1)) mixed() else v
      case Some(v) if v != FileVersion.V0_1 => if ((found - v).isEmpty) v else mixed()
      case _ =>
        val newer = found - FileVersion.V0_1
        if (newer.size > 1) mixed()
        else if (newer.size == 1 && !found(FileVersion.V0_1)) newer.head
        else if (found.isEmpty && declared.isEmpty && flags.writes(FeatureFlags.oldV2Files))
          FileVersion.V2_0
        else FileVersion.V0_1
    }
  }

  /** Parses an exact version. Aliases such as `stable` are not valid in manifests. */
  private def parse(m: proto.Manifest.DataStorageFormat): FileVersion =
    FileVersion.all
      .find(_.text == m.getVersion)
      .getOrElse(
        throw new UnsupportedFeatureException(
          s"file version '${m.getVersion}' of the format '${m.getFileFormat}'"
        )
      )
}
