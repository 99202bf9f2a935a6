// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.expr

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.spark.catalog.PathTables
import io.github.pysparklance.spark.sql.{Cursor, LoadedTable}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** An earlier version of a table in a statement. */
sealed private[spark] trait VersionPoint {

  /** Returns its revision on the branch of the table. */
  protected def revision(session: SparkSession, loaded: LoadedTable): Revision

  /** Opens the table at that version.
    *
    * @throws io.github.pysparklance.core.NotFoundException if it does not exist
    */
  final def open(session: SparkSession, loaded: LoadedTable): LanceTable =
    LanceTable.open(loaded.store, loaded.root, revision(session, loaded))
}

/** Kinds of versions, and their parser. */
private[spark] object VersionPoint {

  /** A version by its number. */
  final case class Version(version: Long) extends VersionPoint {
    override protected def revision(session: SparkSession, loaded: LoadedTable): Revision =
      loaded.revision(version)
  }

  /** The version of a tag. */
  final case class Tag(tag: String) extends VersionPoint {
    override protected def revision(session: SparkSession, loaded: LoadedTable): Revision =
      Revision.Tagged(tag)
  }

  /** The version at a time, in microseconds since 1970 UTC. */
  final case class At(micros: Long) extends VersionPoint {
    override protected def revision(session: SparkSession, loaded: LoadedTable): Revision =
      Revision.AsOf(PathTables.instant(micros), loaded.branch)
  }

  /** The version at a time.
    *
    * @param time SQL expression without columns
    */
  final case class Time(time: String) extends VersionPoint {
    override protected def revision(session: SparkSession, loaded: LoadedTable): Revision = {
      val micros = session.range(1).select(expr(s"unix_micros(CAST($time AS TIMESTAMP))")).head()
      if (micros.isNullAt(0)) throw new InvalidRequestException(s"$time is not a time")
      Revision.AsOf(PathTables.instant(micros.getLong(0)), loaded.branch)
    }
  }

  /** Syntax of [[parse]], for the usage of statements. */
  val usage: String = "{VERSION AS OF v | TIMESTAMP AS OF time | TAG name}"

  /** Parses a version if it comes next. A string after `VERSION AS OF` is a tag, unless it is a
    * number.
    *
    * @param until tokens that may follow a time
    */
  def parse(cursor: Cursor, until: Seq[String]*): Option[VersionPoint] =
    if (cursor.take("VERSION", "AS", "OF")) Some(number(cursor))
    else if (cursor.take("TIMESTAMP", "AS", "OF")) Some(Time(cursor.expression(until: _*)))
    else if (cursor.take("TAG")) Some(Tag(cursor.label()))
    else None

  private def number(cursor: Cursor): VersionPoint =
    if (cursor.seesString) {
      val text = cursor.string()
      Parse.long(text).fold[VersionPoint](Tag(text))(Version)
    } else Version(cursor.number())
}
