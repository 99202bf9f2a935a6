// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import java.io.IOException

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  Interrupts,
  LanceException,
  Log
}
import io.github.pysparklance.index.zones.ZoneMapUpdate
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable

/** Commits the files that the tasks of a statement wrote. All writes and jobs commit through this
  * class.
  *
  * {{{
  *   event                                   outcome     files
  *   the tasks fail: abort                               deleted
  *   the table has the write already         Committed   deleted
  *   the commit returns                      Committed   belong to the new version
  *   another writer's version conflicts      Conflict    deleted
  *   storage does not report the result      Unknown     stay, as the new version may name them
  *   the commit throws a connector error     thrown      deleted
  *   the commit throws any other error       thrown      stay
  * }}}
  * After a commit, the zones of the new files are added to the zone maps of the table, see
  * [[ZoneMapUpdate]]. Then old versions are cleaned up if the table properties enable it, except
  * after a restore, see [[LanceTable.cleanUpAfterCommit]].
  *
  * A write with an application id and version is committed once, see [[AppTransaction]]. An
  * instance is for one commit and is not thread-safe.
  *
  * @param path path of the table or branch
  * @param base the version that the write began with; `None` if the table is created
  * @param isNew whether `base` is known not to have the write
  * @param cleansUp whether old versions may be cleaned up after the commit
  */
final private[spark] class TableCommit private (
    store: FileStore,
    path: String,
    base: Option[LanceTable],
    info: CommitInfo,
    isNew: Boolean,
    cleansUp: Boolean = true
) {
  import TableCommit._

  private var state: FileState = Uncommitted

  /** Whether a version names the files or may name them. */
  def mayBeVisible: Boolean = state == MayBeVisible

  /** Commits.
    *
    * @param files files that the tasks wrote
    * @param publish runs the commit on the table
    */
  def run(files: TaskFiles)(publish: => Published): CommitOutcome =
    if (!isNew && isInTable) {
      info.transaction.foreach { t =>
        log.info(s"$path: skipped, the table has write ${t.version} of ${t.appId}")
      }
      remove(files)
      CommitOutcome.Committed(None)
    } else
      try {
        // Spark aborts a write after any error, even if the error occurs after the commit.
        state = MayBeVisible
        val published = publish
        val latest = published.table.map(ZoneMapUpdate(_, files.zones))
        latest.foreach(cleanUp(_, published.table.map(_.version)))
        CommitOutcome.Committed(Some(published.copy(latest = latest)))
      } catch {
        case e: CommitStateUnknownException =>
          log.warn(s"$path: the files of the write stay, as a version may name them")
          CommitOutcome.Unknown(e)
        case e: CommitConflictException =>
          remove(files)
          if (!e.retryable && isInTable) {
            log.warn(s"$path: skipped, another attempt committed it", e)
            CommitOutcome.Committed(None)
          } else CommitOutcome.Conflict(e)
        case e @ (_: LanceException | _: IOException | _: InterruptedException) =>
          remove(files)
          throw e
      }

  /** Commits a change of an existing table.
    *
    * @param files files that the tasks wrote
    * @param publish runs the commit on the table
    * @return the new version, or the base if nothing changed
    * @throws CommitConflictException if nothing was committed because of a conflict
    * @throws CommitStateUnknownException if storage does not report whether the version was
    *   committed
    */
  def change(files: TaskFiles)(publish: => LanceTable): LanceTable =
    run(files)(Published(Some(publish))).published
      .flatMap(_.latest)
      .orElse(base)
      .getOrElse(throw new IllegalStateException(s"$path: no table"))

  /** Runs work between the tasks and the commit. Deletes the files if it fails. */
  def preparing[A](files: => TaskFiles)(work: => A): A =
    try work
    catch {
      case e: Exception =>
        abort(files)
        throw e
    }

  /** Deletes the files of a write that failed before its commit. Does nothing after the commit. */
  def abort(files: TaskFiles): Unit = if (state == Uncommitted) remove(files)

  private def isInTable: Boolean = base.exists(info.isCommittedIn)

  /** Cleans up old versions. New tables have none. */
  private def cleanUp(table: LanceTable, first: Option[Long]): Unit =
    if (cleansUp && base.exists(_.version != table.version))
      table.cleanUpAfterCommit(first): Unit

  private def remove(files: TaskFiles): Unit = {
    state = Removed
    Interrupts.defer(files.remove(store, path))
  }
}

/** Creates commits. */
private[spark] object TableCommit {
  private val log = Log(classOf[TableCommit])

  /** Returns a commit that changes an existing table.
    *
    * @param base the version that the change is based on
    */
  def apply(base: LanceTable, info: CommitInfo = CommitInfo.none): TableCommit =
    new TableCommit(base.store, base.path, Some(base), info, isNew = false)

  /** Returns a commit that creates or replaces a table.
    *
    * @param location location of the table
    * @param replaced the version to replace; `None` if the table is created
    */
  def apply(
      location: TableLocation,
      replaced: Option[LanceTable],
      info: CommitInfo
  ): TableCommit =
    new TableCommit(location.store, location.path, replaced, info, isNew = false)

  /** Commits a change that writes no files.
    *
    * @param base the version that the change is based on
    * @param publish the commit on the table
    */
  def change(base: LanceTable)(publish: => LanceTable): LanceTable =
    apply(base).change(TaskFiles.none)(publish)

  /** Commits a restored version. Does not clean up: the table has the properties of the restored
    * version, which would remove the versions that are needed to undo the restore.
    *
    * @param base the latest version
    * @param publish the commit on the table
    */
  def restore(base: LanceTable)(publish: => LanceTable): LanceTable =
    new TableCommit(
      base.store,
      base.path,
      Some(base),
      CommitInfo.none,
      isNew = false,
      cleansUp = false
    ).change(TaskFiles.none)(publish)

  /** Returns a commit of a write that the base is known not to contain.
    *
    * @param location location of the table or branch
    * @param base the version that the write started with; `None` if the table is created
    */
  def ofNew(location: TableLocation, base: Option[LanceTable], info: CommitInfo): TableCommit =
    new TableCommit(location.store, location.path, base, info, isNew = true)

  sealed private trait FileState
  private case object Uncommitted extends FileState
  private case object MayBeVisible extends FileState
  private case object Removed extends FileState
}
