// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.update

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{Field, InvalidRequestException, Place}
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, OptionUse}
import io.github.pysparklance.spark.scan.push.Projection
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.LanceTable

/** How an UPDATE writes new values: as new rows, or as new files with the changed columns. In new
  * files, all other rows of the fragment keep their values.
  */
sealed abstract private[update] class UpdateMode(val text: String) extends Serializable {

  /** Whether an UPDATE of a table may rewrite columns. */
  def isPossible(table: LanceTable): Boolean
}

/** The modes. */
private[update] object UpdateMode {

  /** Selects the mode that writes less data. */
  case object Auto extends UpdateMode("auto") {
    def isPossible(table: LanceTable): Boolean =
      table.rowCount.exists(_ >= fewRows) || hasUnreadable(table)
  }

  /** Always writes new rows. */
  case object Rows extends UpdateMode("rows") {
    def isPossible(table: LanceTable): Boolean = false
  }

  /** Always rewrites columns. */
  case object Columns extends UpdateMode("columns") {
    def isPossible(table: LanceTable): Boolean = true
  }

  private val all = Seq(Auto, Rows, Columns)

  /** An UPDATE of fewer rows writes rows, because the cost is low and fragments keep few files. */
  val fewRows = 10000L

  /** Returns the mode of an UPDATE from its options, the session configuration, and the table
    * properties.
    */
  def of(table: LanceSparkTable, options: CaseInsensitiveStringMap): UpdateMode =
    LanceErrors.translated {
      val config = table.table.manifest.config
      LanceOptions(OptionUse.Write, options, config, table.location.options)
        .text("updateMode")
        .fold[UpdateMode](Auto) { text =>
          all.find(_.text.equalsIgnoreCase(text.trim)).getOrElse(
            throw new InvalidRequestException(
              s"option updateMode is '$text', one of ${all.map(_.text).mkString(", ")} is expected",
              Place(path = Some(table.table.path))
            )
          )
        }
    }

  /** Whether new rows would lose values of columns without a Spark type. */
  private def hasUnreadable(table: LanceTable): Boolean =
    SparkTypes.unreadable(table.schema.fields).nonEmpty

  /** Whether rewriting columns writes less data than new rows, or new rows are not possible.
    *
    * @param touched number of rows with new values by fragment id
    * @param changed names of the changed columns
    */
  def prefersColumns(table: LanceTable, touched: Map[Long, Long], changed: Set[String]): Boolean = {
    val rows = touched.values.sum
    val all = table.fragments.filter(f => touched.contains(f.id))
      .map(table.physicalRows(_)).sum
    def width(fields: Seq[Field]) = fields.flatMap(_.leaves).map(Projection.estimatedBytes).sum
    val (some, whole) = (
      width(table.schema.fields.filter(f => changed(f.name))),
      width(table.schema.fields)
    )
    hasUnreadable(table) || rows >= fewRows && all * some < rows * whole
  }
}
