// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.spark.common.LanceOptions
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.transaction.CommitOptions
import io.github.pysparklance.table.{LanceTable, VersionInfo}

/** What a write says of its commit.
  *
  * @param properties notes that are kept with the version
  * @param options how long the commit goes on against other writers
  * @param transaction the write's own name, under which it happens once
  */
final private[spark] case class CommitNotes(
    properties: Map[String, String],
    options: CommitOptions,
    transaction: Option[AppTransaction]
) {

  /** The same with further properties. */
  def withProperties(more: Map[String, String]): CommitNotes = copy(properties = properties ++ more)

  /** Whether a table holds this write already. */
  def areIn(table: LanceTable): Boolean = transaction.exists(_.isCommittedIn(table))
}

private[spark] object CommitNotes {

  /** The property that pylance keeps a commit's message in. */
  val message: String = "__lance_commit_message"

  /** The property that names the statement behind a commit, such as `MERGE`: the format's operations are other ones. */
  val statement: String = "lance.spark.statement"

  /** The properties of a statement's commit. */
  def by(statement: String): Map[String, String] = Map(this.statement -> statement)

  /** The statement that made a version, else the operation of the format. None if the commit has neither. */
  def operation(version: VersionInfo): Option[String] =
    version.properties.get(statement).orElse(version.operation)

  val none: CommitNotes = CommitNotes(Map.empty, CommitOptions(), None)

  /** From the options `commitMessage`, `transactionProperty.<key>`, `commitRetries`, `txnAppId` and `txnVersion`.
    *
    * @throws InvalidRequestException for values that are none
    */
  def apply(options: LanceOptions): CommitNotes = {
    val transaction = AppTransaction(options)
    val own = options.withPrefix("transactionProperty")
    val retries = options.long(0, "commitRetries").map(n => math.min(n, 1L << 20).toInt)
    val base = CommitOptions()
    CommitNotes(
      own ++ options.text("commitMessage").map(message -> _) ++
        transaction.map(_.properties).getOrElse(Map.empty),
      base.copy(
        maxRetries = retries.getOrElse(base.maxRetries),
        unlessCommitted = transaction.fold(base.unlessCommitted)(t => t.isCommittedBy(_))
      ),
      transaction
    )
  }
}

/** A write that happens once, however often it is run: the table keeps the application's name and the number of its
  * newest write with the version.
  *
  * @param appId option `txnAppId`: name of the application
  * @param version option `txnVersion`: number of the write, rising
  */
final private[spark] case class AppTransaction(appId: String, version: Long) {
  import AppTransaction._

  /** What is kept with the version. */
  def properties: Map[String, String] = Map(appIdKey -> appId, versionKey -> version.toString)

  /** Whether a version with these notes holds this write, or a later one of the application. */
  def isCommittedBy(properties: Map[String, String]): Boolean =
    properties.get(appIdKey).contains(appId) &&
      properties.get(versionKey).flatMap(Parse.long).exists(_ >= version)

  /** Whether a version of the table holds this write. Looks back to the newest commit of the application, else through
    * all versions that are still there.
    */
  def isCommittedIn(table: LanceTable): Boolean =
    new History(table.newest)
      .properties()
      .find(_.get(appIdKey).contains(appId))
      .exists(isCommittedBy)
}

private[spark] object AppTransaction {
  private val appIdKey = "lance.spark.txnAppId"
  private val versionKey = "lance.spark.txnVersion"

  /** @throws InvalidRequestException when there is one of the options alone, or no number */
  def apply(options: LanceOptions): Option[AppTransaction] =
    (options.text("txnAppId").filter(_.nonEmpty), options.long(0, "txnVersion")) match {
      case (Some(app), Some(version)) => Some(AppTransaction(app, version))
      case (None, None) => None
      case (app, _) =>
        val (there, missing) =
          if (app.isDefined) ("txnAppId", "txnVersion") else ("txnVersion", "txnAppId")
        throw new InvalidRequestException(s"option $there takes the option $missing beside it")
    }
}
