// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.time.Instant

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.ManifestOutline

/** Selects the old versions to remove. A version is removed if all given conditions hold. Without
  * conditions, all versions except the latest are removed. Tagged versions, origins of branches,
  * and the latest version are always kept.
  *
  * Source: format page of the table, "Cleanup".
  *
  * @param beforeTimestamp only versions before this time
  * @param beforeVersion only versions with a lower number
  * @param versions only these versions
  * @param deleteUnverified whether to remove unreferenced files younger than seven days, too; they
  *   may belong to a pending commit, so no writer may be active
  * @param errorIfTaggedOldVersions whether to fail if a tag protects a version that would otherwise
  *   be removed
  * @param cleanReferencedBranches whether to first clean up branches that reference files of
  *   removed versions, each with its own `lance.auto_cleanup.*` configuration
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
      "the list of versions to clean up is empty"
    )
  if (deletesPerSecond.exists(_ <= 0))
    throw new InvalidRequestException(
      s"the limit of deletes per second is ${deletesPerSecond.get}, expected at least 1"
    )

  /** Whether the policy removes a version. */
  private[cleanup] def cleans(m: ManifestOutline): Boolean =
    beforeTimestamp.forall(m.timestamp.isBefore) && beforeVersion.forall(m.version < _) &&
      versions.forall(_(m.version))
}

object CleanupPolicy {

  /** Returns a policy that keeps the latest versions.
    *
    * @param count number of versions to keep, at least 1
    * @param present numbers of the present versions, ascending
    */
  def retaining(count: Int, present: IndexedSeq[Long]): CleanupPolicy = {
    if (count < 1)
      throw new InvalidRequestException(
        s"the number of versions to retain is $count, expected at least 1"
      )
    CleanupPolicy(beforeVersion =
      present.lift(math.max(0, present.length - count)).orElse(Some(0L))
    )
  }
}
