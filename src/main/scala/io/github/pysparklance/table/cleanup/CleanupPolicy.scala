// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.time.Instant

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.ManifestOutline

/** Which old versions go. A version goes when every condition that is given holds for it; with none given, every
  * version but the newest goes. Versions with a tag, those that a branch began at, and the newest one stay in any case.
  *
  * Source: format page of the table, "Cleanup".
  *
  * @param beforeTimestamp older than this
  * @param beforeVersion of a lower number
  * @param versions one of these
  * @param deleteUnverified whether files go as well that no version ever named and that are younger than seven days;
  *   they may belong to a commit that is being prepared, so nobody may be writing
  * @param errorIfTaggedOldVersions whether to fail when a tag keeps a version that else would go
  * @param cleanReferencedBranches whether branches that keep files of versions to be removed are cleaned first, each
  *   by its own settings `lance.auto_cleanup.*`
  * @param deletesPerSecond limit of requests, for storage that throttles
  */
final case class CleanupPolicy(
    beforeTimestamp: Option[Instant] = None,
    beforeVersion: Option[Long] = None,
    versions: Option[Set[Long]] = None,
    deleteUnverified: Boolean = false,
    errorIfTaggedOldVersions: Boolean = true,
    cleanReferencedBranches: Boolean = false,
    deletesPerSecond: Option[Long] = None
) {
  if (versions.exists(_.isEmpty))
    throw new InvalidRequestException(
      "cleaning up no version at all: the list of versions is empty"
    )
  if (deletesPerSecond.exists(_ <= 0))
    throw new InvalidRequestException(s"at most ${deletesPerSecond.get} deletes a second")

  /** Whether the policy lets go of a version. */
  private[cleanup] def cleans(m: ManifestOutline): Boolean =
    beforeTimestamp.forall(m.timestamp.isBefore) && beforeVersion.forall(m.version < _) &&
      versions.forall(_(m.version))
}

object CleanupPolicy {

  /** Keeps the newest versions.
    *
    * @param count how many, at least 1
    * @param present numbers of the versions that are there, ascending
    */
  def retaining(count: Int, present: IndexedSeq[Long]): CleanupPolicy = {
    if (count < 1)
      throw new InvalidRequestException(
        s"cleaning up all but the newest $count versions: at least one stays"
      )
    CleanupPolicy(beforeVersion =
      present.lift(math.max(0, present.length - count)).orElse(Some(0L))
    )
  }
}
