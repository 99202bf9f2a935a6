// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.format.DateTimeFormatter
import java.time.{LocalDateTime, ZoneId}

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.metadata.MetadataViews
import io.github.pysparklance.table.refs.Revision

/** A path that says what of the table is meant:
  * {{{
  *   /data/t.lance@v3                    version 3
  *   /data/t.lance@20261121063000000     what was there at a time: yyyyMMddHHmmssSSS in the session's zone
  *   /data/t.lance#files                 the metadata table `files`; also /data/t.lance@v3#files
  * }}}
  * A table whose folder has such a name is meant itself.
  */
private[spark] object PathSelector {
  private val metadata = "(.+)#([A-Za-z_]+)".r
  private val version = "(.+)@[vV](\\d+)".r
  private val time = "(.+)@(\\d{17})".r
  private val timeFormat = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS")

  /** The path of the table, and what of it is meant.
    *
    * @param isTable whether there is a table at a path; asked only for paths that may be meant otherwise
    */
  def apply(path: String, isTable: String => Boolean): (String, TableSelector) =
    parse(path)
      .filter { case (table, _) => !isTable(path) && isTable(table) }
      .getOrElse(path -> TableSelector.newest)

  private def parse(path: String): Option[(String, TableSelector)] = path match {
    case metadata(rest, name) =>
      MetadataViews.find(name).map { view =>
        val (table, selector) = atRevision(rest).getOrElse(rest -> TableSelector.newest)
        table -> selector.copy(view = Some(view))
      }
    case other => atRevision(other)
  }

  private def atRevision(path: String): Option[(String, TableSelector)] = path match {
    case version(table, number) =>
      TravelOptions.number(number).map(v => table -> TableSelector(Some(Revision.Version(v))))
    case time(table, text) =>
      Try(LocalDateTime.parse(text, timeFormat)).toOption.map { local =>
        val instant = local.atZone(ZoneId.of(SQLConf.get.sessionLocalTimeZone)).toInstant
        table -> TableSelector(Some(Revision.AsOf(instant)))
      }
    case _ => None
  }
}
