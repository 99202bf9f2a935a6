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

/** The table of a CREATE TABLE or REPLACE TABLE statement.
  *
  * @param columns columns with the keys of the table in their metadata, see [[TableKeys]]
  * @param properties properties from the statement and from Spark
  */
final private[spark] case class NewTable(columns: StructType, properties: Map[String, String]) {

  /** The location given by the user. */
  def location: Option[String] = properties.get(TableCatalog.PROP_LOCATION)

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
