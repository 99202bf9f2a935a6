// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  Parse,
  Place
}
import io.github.pysparklance.spark.common.LanceOptions
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.transaction.CommitOptions
import io.github.pysparklance.table.transaction.build.AppliedWrites
import io.github.pysparklance.table.{LanceTable, VersionInfo}

/** Properties and options of a commit.
  *
  * @param properties commit properties, which are stored with the version
  * @param options number of retries after conflicts
  * @param transaction identifies the write, so that it is committed only once
  */
final private[spark] case class CommitInfo(
    properties: Map[String, String],
    options: CommitOptions,
    transaction: Option[AppTransaction]
) {

  /** Returns a copy with additional commit properties. */
  def withProperties(more: Map[String, String]): CommitInfo = copy(properties = properties ++ more)

  /** Returns the commit of a write that is committed only once. */
  def once(write: AppTransaction): CommitInfo = copy(
    properties = properties ++ write.properties,
    options = options.copy(unlessCommitted = p => write.isCommittedBy(p)),
    transaction = Some(write)
  )

  /** Returns the commit of a write that conflicts with changes of rows. */
  def unlessRowsChanged: CommitInfo = copy(options = options.copy(unlessRowsChanged = true))

  /** Checks that a version, on which a write is retried, does not contain it.
    *
    * @throws CommitConflictException if another attempt of the write was committed meanwhile
    */
  def checkNewIn(table: LanceTable): Unit =
    if (transaction.exists(_.isRecordedIn(table)))
      throw new CommitConflictException(
        "not committed: another attempt of this write was committed",
        table.version,
        retryable = false,
        Place(path = Some(table.path))
      )

  /** Whether a table already contains this write. */
  def isCommittedIn(table: LanceTable): Boolean = transaction.exists(_.isCommittedIn(table))
}

/** Reads commit properties and options. */
private[spark] object CommitInfo {

  /** The commit property that pylance uses for messages. */
  val message: String = "__lance_commit_message"

  /** The commit property with the SQL statement, such as `MERGE`. The operations of the format are
    * less specific.
    */
  val statement: String = "lance.spark.statement"

  /** Returns the commit properties of a statement. */
  def by(statement: String): Map[String, String] = Map(this.statement -> statement)

  /** Returns the statement that created a version, or the operation of the format. Returns `None`
    * if the commit has neither.
    */
  def operation(version: VersionInfo): Option[String] =
    version.properties.get(statement).orElse(version.operation)

  val none: CommitInfo = CommitInfo(Map.empty, CommitOptions(), None)

  /** Parses the options `commitMessage`, `transactionProperty.<key>`, `commitRetries`, `txnAppId`,
    * and `txnVersion`.
    *
    * @throws InvalidRequestException if a value is invalid
    */
  def apply(options: LanceOptions): CommitInfo = {
    val transaction = AppTransaction(options)
    val own = options.withPrefix("transactionProperty")
    val retries = options.long(0, "commitRetries").map(n => math.min(n, 1L << 20).toInt)
    val base = CommitOptions()
    val info = CommitInfo(
      own ++ options.text("commitMessage").map(message -> _),
      base.copy(maxRetries = retries.getOrElse(base.maxRetries)),
      None
    )
    transaction.fold(info)(info.once)
  }
}

/** Identifies a write that must be committed only once. The commit properties have the application
  * id and the number of its latest write, see [[AppliedWrites]].
  *
  * @param appId option `txnAppId`: id of the application; id of a streaming query
  * @param version option `txnVersion`: number of the write, which must increase; number of the
  *   micro-batch
  */
final private[spark] case class AppTransaction(appId: String, version: Long) {

  /** The commit properties of the write. */
  def properties: Map[String, String] =
    Map(AppliedWrites.AppId -> appId, AppliedWrites.Number -> version.toString)

  /** Whether a version with these commit properties contains this write or a later write of the
    * application.
    */
  def isCommittedBy(properties: Map[String, String]): Boolean =
    properties.get(AppliedWrites.AppId).contains(appId) &&
      properties.get(AppliedWrites.Number).flatMap(Parse.long).exists(_ >= version)

  /** Whether the table contains this write. The property of the latest version decides, which
    * remains after clean-up. Without it, searches back to the latest commit of the application, or
    * through all existing versions that a restore did not undo.
    */
  def isCommittedIn(table: LanceTable): Boolean = {
    val latest = table.latest
    AppliedWrites.latest(latest.manifest.config, appId) match {
      case Some(_) => isRecordedIn(latest)
      case None =>
        new History(latest)
          .properties()
          .find(_.get(AppliedWrites.AppId).contains(appId))
          .exists(isCommittedBy)
    }
  }

  /** Whether the properties of a version record this write or a later write of the application. */
  def isRecordedIn(table: LanceTable): Boolean =
    AppliedWrites.latest(table.manifest.config, appId).exists(_ >= version)
}

/** Parses application transactions. */
private[spark] object AppTransaction {

  /** Parses the options `txnAppId` and `txnVersion`.
    *
    * @throws InvalidRequestException if only one of the options is set, or the version is not a
    *   number
    */
  def apply(options: LanceOptions): Option[AppTransaction] =
    (options.text("txnAppId").filter(_.nonEmpty), options.long(0, "txnVersion")) match {
      case (Some(app), Some(version)) => Some(AppTransaction(app, version))
      case (None, None) => None
      case (app, _) =>
        val (there, missing) =
          if (app.isDefined) ("txnAppId", "txnVersion") else ("txnVersion", "txnAppId")
        throw new InvalidRequestException(s"option $there requires the option $missing")
    }
}
