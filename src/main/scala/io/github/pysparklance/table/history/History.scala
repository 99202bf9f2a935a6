// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.history

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.{CommitOptions, DetachedCommit}
import io.github.pysparklance.table.transaction.operation.{Operation, Restore}

/** Goes back in the history of a table, and beside it.
  *
  * @param table the version that is meant
  */
final class History(table: LanceTable) {

  /** Makes this version the newest one: rows, columns, settings and indices. The versions in between stay readable.
    * What was committed since stands in the way only where it changed the settings of the schema meanwhile.
    *
    * Source: message `Restore`, transaction.proto.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException when stable row ids were switched on since
    */
  def restore(
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = table.newest.commit(Restore(table.version), properties, options)

  /** The notes on the commits up to this version, the newest first. Each is read when it is asked for; versions that are
    * gone are passed over.
    */
  def properties(): Iterator[Map[String, String]] =
    VersionLog.of(table, untilThis = true).newestFirst.map(_.properties)

  /** Commits an operation beside the versions of the table: the new version has a random number with the highest bit
    * set, nobody gets into a conflict with it, and it is never the newest one. It is opened by its number, or by a tag,
    * which also keeps it from clean-up.
    *
    * Source: format page of the table, "Detached commits".
    *
    * @param operation based on this version
    * @throws io.github.pysparklance.core.UnsupportedFeatureException in tables with manifest names of the old scheme
    */
  def commitDetached(
      operation: Operation,
      properties: Map[String, String] = Map.empty
  ): LanceTable = {
    val committed =
      new DetachedCommit(table.store, table.root)(operation, table.file, properties)
    LanceTable.of(table.store, table.root, committed)
  }
}
