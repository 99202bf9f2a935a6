// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.format.DateTimeFormatter
import java.time.{LocalDateTime, ZoneId}

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.metadata.MetadataViews
import io.github.pysparklance.table.refs.Revision

/** Parses paths with a selector:
  * {{{
  *   /data/t.lance@v3                    version 3
  *   /data/t.lance@20261121063000000     the version at a time: yyyyMMddHHmmssSSS, session zone
  *   /data/t.lance#files                 the metadata table `files`; also /data/t.lance@v3#files
  * }}}
  * If the folder of a table has such a name, the path means that table.
  */
private[spark] object PathSelector {
  private val metadata = "(?s)(.+)#([A-Za-z_]+)".r
  private val version = "(?s)(.+)@[vV](\\d+)".r
  private val time = "(?s)(.+)@(\\d{17})".r
  private val timeFormat = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS")

  /** Splits a path into the path of the table and the selector.
    *
    * @param isTable returns whether a path is a table; only called for paths that look like
    *   selectors
    */
  def apply(path: String, isTable: String => Boolean): (String, TableSelector) =
    parse(path)
      .filter { case (table, _) => !isTable(path) && isTable(table) }
      .getOrElse(path -> TableSelector.latest)

  private def parse(path: String): Option[(String, TableSelector)] = path match {
    case metadata(rest, name) =>
      MetadataViews.find(name).map { view =>
        val (table, selector) = atRevision(rest).getOrElse(rest -> TableSelector.latest)
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
