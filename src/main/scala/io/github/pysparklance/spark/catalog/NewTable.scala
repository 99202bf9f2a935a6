// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Column, TableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.types.TableKeys

/** A table as a statement describes it.
  *
  * @param columns with the keys of the table in their metadata, see [[TableKeys]]
  * @param properties all that the statement and Spark say of it
  */
final private[spark] case class NewTable(columns: StructType, properties: Map[String, String]) {

  /** Where the user wants it. */
  def location: Option[String] = properties.get(TableCatalog.PROP_LOCATION)

  /** Without the user who makes it, whom Spark names as the owner: a thing of catalogs. */
  def withoutOwner: NewTable = copy(properties = properties - TableCatalog.PROP_OWNER)
}

private[spark] object NewTable {

  /** @throws org.apache.spark.sql.AnalysisException when a key names no column, and for partitions that are no columns
    */
  def apply(
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): NewTable = {
    val settings = properties.asScala.toMap
    val keyed = LanceErrors.translated {
      TableKeys.declared(SparkShim.structType(columns), partitions, settings)
    }
    NewTable(keyed, settings ++ TableKeys.properties(partitions))
  }
}
