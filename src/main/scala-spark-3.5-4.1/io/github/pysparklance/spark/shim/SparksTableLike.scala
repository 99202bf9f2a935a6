// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

import io.github.pysparklance.core.InvalidRequestException

/** Hides Spark's plan of `CREATE TABLE … LIKE`, which only supports the session catalog up to Spark
  * 4.1.
  */
private[spark] object SparksTableLike {

  /** @param target name of the new table
    * @param source name of the existing table
    */
  def apply(
      target: Seq[String],
      source: Seq[String],
      location: Option[String],
      provider: Option[String],
      properties: Map[String, String],
      ifNotExists: Boolean
  ): LogicalPlan = CreateTableLikeCommand(
    identifier(target),
    identifier(source),
    CatalogStorageFormat.empty.copy(locationUri = location.map(CatalogUtils.stringToURI)),
    provider,
    properties,
    ifNotExists
  )

  private def identifier(name: Seq[String]): TableIdentifier = name match {
    case Seq(table) => TableIdentifier(table)
    case Seq(database, table) => TableIdentifier(table, Some(database))
    case Seq(catalog, database, table) => TableIdentifier(table, Some(database), Some(catalog))
    case more => throw new InvalidRequestException(s"a table named ${more.mkString(".")}")
  }
}
