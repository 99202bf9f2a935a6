// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.{RefNames, Revision}

/** The WAP (write-audit-publish) branch of a session, set by `spark.lance.wap.branch`. Statements
  * that select no branch or version write to this branch, and read it if the table has it. The
  * first write creates the branch.
  */
private[spark] object WapBranch {

  /** Name of the session configuration. */
  val configuration: String = "spark.lance.wap.branch"

  /** The branch that the session sets, unless it is the main branch. */
  private def name: Option[String] =
    Option(SQLConf.get.getConfString(configuration, null)).map(_.trim)
      .filter(n => n.nonEmpty && n != RefNames.mainBranch)

  /** Returns the branch to read instead of the main branch, or `None` if the table does not have
    * it.
    *
    * @throws InvalidRequestException if the branch name is invalid
    */
  def read(home: TableLocation): Option[Revision] =
    name
      .filter(LanceTable.branches(home.store, home.path).get(_).isDefined)
      .map(Revision.OnBranch(_, None))

  /** Rejects a statement that replaces a table, because it would replace the main branch. */
  def rejectReplacement(home: TableLocation): Unit = reject(
    home,
    "a table cannot be replaced",
    "replace its rows with INSERT OVERWRITE or with an overwrite of its path"
  )

  /** Rejects a RESTORE of the main branch. */
  def rejectRestore(home: TableLocation): Unit =
    reject(home, "RESTORE would change the main branch", "name the branch to restore")

  private def reject(home: TableLocation, problem: String, instead: String): Unit =
    name.foreach { branch =>
      throw new InvalidRequestException(
        s"$problem while $configuration is $branch: $instead, or unset $configuration",
        Place(path = Some(home.path))
      )
    }

  /** Returns the branch to write instead of the main branch, or `None` if no branch is configured.
    * Creates the branch if it does not exist.
    *
    * @param version the current version of the main branch
    */
  def write(home: TableLocation, version: Long): Option[Revision] =
    name.map { branch =>
      val branches = LanceTable.branches(home.store, home.path)
      if (branches.get(branch).isEmpty)
        // Another writer of the session may create it concurrently.
        Try(branches.create(branch, Revision.Version(version))).failed.foreach {
          case _: InvalidRequestException if branches.get(branch).isDefined => ()
          case e => throw e
        }
      Revision.OnBranch(branch, None)
    }
}
