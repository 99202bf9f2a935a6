// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.table.manifest.ManifestFile

/** Detects concurrent changes of columns and their metadata. Operations with a whole schema derive
  * it from their base version, so their commit would undo the change.
  *
  * The conflict matrix of the format allows an overwrite next to any change of columns, and a
  * change of columns next to a change of their metadata.
  */
private[transaction] object SameSchema {

  /** Checks that a version has the schema of the base version.
    *
    * @throws CommitConflictException if it differs
    */
  def check(base: ManifestFile, latest: ManifestFile): Unit =
    if (latest.manifest.schema != base.manifest.schema)
      throw new CommitConflictException(
        "not committed: columns or their metadata were changed concurrently, up to version " +
          s"${latest.manifest.version}; retry the operation on the latest version",
        latest.manifest.version,
        retryable = true
      )
}
