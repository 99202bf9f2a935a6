// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.history

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Versions
import io.github.pysparklance.table.refs.SourceCheck
import io.github.pysparklance.table.transaction.operation.{Operation, Restore}
import io.github.pysparklance.table.transaction.{CommitOptions, DetachedCommit}

/** Restores versions of a table, reads its commit properties, and makes detached commits.
  *
  * @param table the version to work on
  */
final class History(table: LanceTable) {

  /** Makes this version the latest: its rows, columns, configuration, and indices. The versions in
    * between remain readable. Conflicts only with concurrent changes of the schema's metadata.
    *
    * Source: message `Restore`, transaction.proto.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if stable row ids were enabled
    *   since
    * @throws io.github.pysparklance.core.NotFoundException if a clean-up removed this version
    *   meanwhile; another commit then restores the version before
    */
  def restore(
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = {
    val restored = table.latest.commit(Restore(table.version), properties, options)
    val what = s"the restore in version ${restored.version}"
    SourceCheck(table.store, table.root, table.file.location, what) {
      val before = Restore(restored.version - 1)
      restored.commit(before, properties, CommitOptions(onlyOnBase = true)): Unit
    }
    restored
  }

  /** The commit properties of the versions whose changes this one contains, latest first. Skips
    * versions that a restore undid, and removed versions. Reads each lazily.
    */
  def properties(): Iterator[Map[String, String]] = {
    var last = Long.MaxValue
    VersionLog
      .of(table, untilThis = true)
      .latestFirst
      .filter { v =>
        val isContained = v.version <= last
        if (isContained) v.restored.foreach(last = _)
        isContained
      }
      .map(_.properties)
  }

  /** Commits an operation as a detached version. Its number is random with the highest bit set. It
    * conflicts with no other commit and is never the latest version. It is opened by its number or
    * by a tag, which also protects it from clean-up.
    *
    * Source: format page of the table, "Detached commits".
    *
    * @param operation based on this version
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if manifests have names of the
    *   scheme V1
    * @throws io.github.pysparklance.core.NotFoundException if a clean-up removed this version
    *   meanwhile; the detached version is then removed, too
    */
  def commitDetached(
      operation: Operation,
      properties: Map[String, String] = Map.empty
  ): LanceTable = {
    val committed =
      new DetachedCommit(table.store, table.root)(operation, table.file, properties)
    SourceCheck(table.store, table.root, table.file.location, "the detached version") {
      new Versions(table.store, table.root).remove(committed.location)
    }
    LanceTable.of(table.store, table.root, committed)
  }
}
