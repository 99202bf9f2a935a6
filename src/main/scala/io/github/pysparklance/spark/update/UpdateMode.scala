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

/** How an UPDATE gives rows their new values: by new rows in the place of old ones, or by new files for the columns
  * that change, in which all other rows of the fragment keep theirs.
  */
sealed abstract private[update] class UpdateMode(val text: String) extends Serializable {

  /** Whether it may come to new files for columns of this table. */
  def isPossible(table: LanceTable): Boolean
}

private[update] object UpdateMode {

  /** What is less to write. */
  case object Auto extends UpdateMode("auto") {
    def isPossible(table: LanceTable): Boolean =
      table.rowCount.exists(_ >= fewRows) || hasUnreadable(table)
  }

  /** New rows, always. */
  case object Rows extends UpdateMode("rows") {
    def isPossible(table: LanceTable): Boolean = false
  }

  /** New files for columns, always. */
  case object Columns extends UpdateMode("columns") {
    def isPossible(table: LanceTable): Boolean = true
  }

  private val all = Seq(Auto, Rows, Columns)

  /** An UPDATE of fewer rows writes rows: whatever it costs, it is little, and fragments keep few files. */
  val fewRows = 10000L

  /** The mode of an UPDATE, by its options, the session's setting, and the table's property. */
  def of(table: LanceSparkTable, options: CaseInsensitiveStringMap): UpdateMode =
    LanceErrors.translated {
      val config = table.table.manifest.config
      LanceOptions(OptionUse.Write, options, config, table.location.settings)
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

  /** Whether new rows would lose values of columns that Spark has no type for. */
  private def hasUnreadable(table: LanceTable): Boolean =
    SparkTypes.unreadable(table.schema.fields).nonEmpty

  /** Whether new files for columns are less to write than new rows, or new rows cannot be written.
    *
    * @param touched rows with new values by the id of their fragment
    * @param changed the columns that change
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
