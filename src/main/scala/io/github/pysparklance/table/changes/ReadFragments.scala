// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.table.LanceTable

/** The fragments of a version that a reader has read. Used to detect whether later versions changed
  * rows before they were cleaned up.
  *
  * {{{
  *   version      5 (read)    6, 7 (cleaned up)    8 (append)
  *   fragments    0 1         ?                    0 1 + 2
  *   max. id      1           ?                    2
  * }}}
  * Versions 6 and 7 changed no rows: before version 8, the table had the fragments of version 5
  * with the same files, and version 8 used the next id. If version 6 had appended rows, and version
  * 7 had removed them, the id would be higher, because fragment ids are not used again. Rows that
  * were deleted and then restored are not detected.
  *
  * @param checksum see [[VersionId.fragments]]
  * @param maxId the highest fragment id that was ever used or reserved, if known
  */
final case class ReadFragments(checksum: String, maxId: Option[Long]) {

  /** Whether no rows changed after this version and before the commit of a later version. False if
    * that is unknown, as in tables of early releases, which do not record the highest id.
    */
  private[changes] def areKeptBefore(version: LanceTable): Boolean =
    CommitChanges.fragmentsBefore(version).exists { case (before, added) =>
      VersionId.checksum(before) == checksum && {
        val known = (before.map(_.id) ++ maxId).foldLeft(-1L)(_ max _)
        // A compaction may have reserved the ids of its fragments before other commits.
        version.manifest.recordedMaxFragmentId match {
          case Some(max) => max - known <= added.count(_.id > known)
          case None => before.isEmpty && added.isEmpty
        }
      }
    }
}
