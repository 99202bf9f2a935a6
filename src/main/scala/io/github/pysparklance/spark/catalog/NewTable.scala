// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Column, TableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Log
import io.github.pysparklance.spark.common.{ForeignOptions, LanceErrors, OptionUse}
import io.github.pysparklance.spark.shim.{SparkShim, TableConstraint}
import io.github.pysparklance.spark.types.{StoredRules, TableKeys}
import io.github.pysparklance.spark.write.TableProperties

/** The table of a CREATE TABLE or REPLACE TABLE statement.
  *
  * @param columns columns with the keys of the table in their metadata, see [[TableKeys]]
  * @param properties properties from the statement and from Spark
  */
final private[spark] case class NewTable(columns: StructType, properties: Map[String, String]) {

  /** The location given by the user. */
  def location: Option[String] = properties.get(TableCatalog.PROP_LOCATION)

  /** Whether the statement can only register an existing table: it has a location, and no columns.
    */
  def isRegistration: Boolean = location.isDefined && columns.isEmpty

  /** Returns the error for a statement that registers an existing table and sets properties or a
    * comment, if the table does not have them.
    *
    * @param existing properties of the existing table
    */
  def differences(existing: Map[String, String]): Option[String] = {
    val names = TableProperties.changed(properties, existing).toSeq.sorted
    if (names.isEmpty) None
    else
      Some(
        s"${location.getOrElse("")}: there is a table already, which has no such properties: " +
          s"${names.mkString(", ")}. Register it without them, and set them with ALTER TABLE"
      )
  }

  /** Returns the table without its owner, which Spark adds for catalogs. */
  def withoutOwner: NewTable = copy(properties = properties - TableCatalog.PROP_OWNER)
}

/** Translates Spark's descriptions of tables. */
private[spark] object NewTable {
  private val log = Log(classOf[NewTable])

  /** @throws org.apache.spark.sql.AnalysisException if a key column does not exist, or partitions
    *   are not columns
    */
  def apply(
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): NewTable = {
    val tableProperties = properties.asScala.toMap
    val keyed = LanceErrors.translated {
      ForeignOptions.check(OptionUse.Write, ofStatement(tableProperties))
      val declared = SparkShim.structType(columns)
      StoredRules.checkNew(TableConstraint.checks(tableProperties), declared)
      TableKeys.declared(declared, partitions, tableProperties)
    }
    warnOfPartitions(partitions)
    NewTable(keyed, tableProperties ++ TableKeys.properties(partitions))
  }

  /** Warns because users of other formats expect partition folders, and that reads of a partition
    * skip all others.
    */
  private def warnOfPartitions(partitions: Array[Transform]): Unit = {
    val columns = partitions.filter(_.name() == "identity").map(_.describe())
    if (columns.nonEmpty)
      log.warn(
        "Lance tables have no partitions: the columns of PARTITIONED BY or partitionBy, " +
          s"${columns.mkString(", ")}, become the clustering key of the table, which selects the " +
          "rows of dynamic overwrites and cannot be changed. Files are not laid out by it unless " +
          "the table property distributionMode is hash or range."
      )
  }

  /** Returns the OPTIONS of the statement. */
  private def ofStatement(tableProperties: Map[String, String]): Map[String, String] =
    tableProperties.collect {
      case (name, value) if name.startsWith(TableCatalog.OPTION_PREFIX) =>
        name.stripPrefix(TableCatalog.OPTION_PREFIX) -> value
    }
}
