// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.{RefNames, Revision}

/** Write, audit, publish: with the setting `spark.lance.wap.branch` the statements of a session that say no branch and no
  * version write to that branch of each table, and read it where the table has it. The first write makes it.
  */
private[spark] object AuditBranch {

  /** The name of the setting. */
  val setting: String = "spark.lance.wap.branch"

  private def name: Option[String] =
    Option(SQLConf.get.getConfString(setting, null)).map(_.trim).filter(_.nonEmpty)

  /** The branch that is read instead of the newest version; none when the table has none of that name.
    *
    * @throws InvalidRequestException when no branch can have the name
    */
  def read(home: TableLocation): Option[Revision] =
    name
      .filter(b =>
        b != RefNames.mainBranch && LanceTable.branches(home.store, home.path).get(b).isDefined
      )
      .map(Revision.OnBranch(_, None))

  /** The branch that is written instead of the main one, made if need be; none when the setting is not made.
    *
    * @param version where the main branch is
    */
  def write(home: TableLocation, version: Long): Option[Revision] =
    name.filter(_ != RefNames.mainBranch).map { branch =>
      val branches = LanceTable.branches(home.store, home.path)
      if (branches.get(branch).isEmpty)
        // Another writer of the session may make it at the same time.
        Try(branches.create(branch, Revision.Version(version))).failed.foreach {
          case _: InvalidRequestException if branches.get(branch).isDefined => ()
          case e => throw e
        }
      Revision.OnBranch(branch, None)
    }
}
