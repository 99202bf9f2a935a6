// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  RowLevelOperation,
  RowLevelOperationBuilder,
  RowLevelOperationInfo,
  WriteBuilder
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, OptionUse}
import io.github.pysparklance.spark.rowlevel.{LanceRowLevelOperation, MetadataDelete}
import io.github.pysparklance.spark.scan.LanceScanBuilder
import io.github.pysparklance.spark.streaming.sink.StreamingWrites
import io.github.pysparklance.spark.types.StoredRules
import io.github.pysparklance.spark.write.{
  ColumnEvolution,
  ExistingTable,
  LanceWriteBuilder,
  WriteWithOptions
}
import io.github.pysparklance.table.transaction.Retry

/** Starts writes to a loaded table: writes of rows, row-level operations, and DELETE without a
  * scan. Each goes to the branch that its options or the session select, see
  * [[LoadedTable.forWrite]].
  */
final private[catalog] class TableWrites(loaded: LoadedTable) {
  import loaded.commandOptions

  /** Starts a write of rows. */
  def builder(info: LogicalWriteInfo): WriteBuilder = LanceErrors.translated {
    if (loaded.awaitsColumns)
      throw new IllegalStateException(
        s"${loaded.name}: the session of the write has no SQL extension"
      )
    val write = new WriteWithOptions(info, commandOptions)
    val to = loaded.forWrite(write.options())
    if (StreamingWrites.isStream(info)) inStream(write, to)
    else {
      checkRows(to)
      val base = to.evolution.fold(to.table)(_.base)
      val target = ExistingTable(
        to.location,
        base,
        loaded.anySchema,
        changes(to),
        readsItself = to.readsItself
      )
      new LanceWriteBuilder(write, target)
    }
  }

  /** Starts the write of a micro-batch. The query loaded the table when it started, so the write is
    * planned on the latest version.
    */
  private def inStream(write: LogicalWriteInfo, to: LoadedTable): WriteBuilder = {
    val latest = to.copy(table = to.table.latest)
    checkRows(latest)
    StreamingWrites.builder(write, latest.location, latest.table)
  }

  /** Starts an UPDATE, a MERGE, or a DELETE that scans for its rows. */
  def rowLevel(info: RowLevelOperationInfo): RowLevelOperationBuilder = LanceErrors.translated {
    val to = loaded.forWrite(WriteWithOptions.of(commandOptions, info.options()))
    if (info.command() != RowLevelOperation.Command.DELETE) checkRows(to)
    () =>
      new LanceRowLevelOperation(
        to.location,
        to.evolution.fold(to.table)(_.base),
        info.command(),
        (version, options) =>
          LanceErrors.translated(LanceScanBuilder(to.location, version, options, to.types)),
        changes(to),
        to.commandOptions
      )
  }

  /** Whether the manifest is sufficient to find the rows to delete. */
  def deletesWithoutScan(predicates: Array[Predicate]): Boolean =
    new MetadataDelete(loaded.table).isExact(predicates)

  /** Deletes rows without a scan, see [[deletesWithoutScan]]. */
  def delete(predicates: Array[Predicate]): Unit = LanceErrors.translated {
    val to = loaded.forWrite(commandOptions)
    new MetadataDelete(to.table)(predicates, info(to))
  }

  /** The number of retries of a DELETE without a scan, or of an append with options. */
  def retry(options: CaseInsensitiveStringMap): Retry = Retry.of(info(loaded, options).options)

  private def info(
      to: LoadedTable,
      more: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
  ): CommitInfo = {
    val options = LanceOptions(
      OptionUse.Write,
      WriteWithOptions.of(commandOptions, more),
      to.table.manifest.config,
      to.location.options
    )
    options.checkNames(OptionUse.Write)
    CommitInfo(options)
  }

  /** Rejects ambiguous columns, and writes that need SQL expressions of the table that are not
    * evaluated.
    */
  private def checkRows(to: LoadedTable): Unit = {
    AmbiguousNames.check(to.location.path, to.columns)
    StoredRules.checkTrusted(to.table, to.columns, to.name)
  }

  /** Returns the evolution if it changes columns. Otherwise rows are committed like in a MERGE
    * without evolution.
    */
  private def changes(to: LoadedTable): Option[ColumnEvolution] = to.evolution.filterNot(_.isEmpty)
}
