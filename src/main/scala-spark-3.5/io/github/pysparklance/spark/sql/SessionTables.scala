// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  TableSpecBase
}
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.ConstrainedCatalog

/** Rejects new Lance tables in Spark's session catalog. Before Spark 4.0, it cannot read or write
  * tables of sources with catalogs.
  */
private[sql] object SessionTables extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case c: CreateTable => check(c.name, c.tableSpec)
    case c: CreateTableAsSelect => check(c.name, c.tableSpec)
    case r: ReplaceTable => check(r.name, r.tableSpec)
    case r: ReplaceTableAsSelect => check(r.name, r.tableSpec)
    case _ => ()
  }

  private def check(name: LogicalPlan, spec: TableSpecBase): Unit = name match {
    case ResolvedIdentifier(catalog, _) =>
      check(catalog, spec.provider.getOrElse(SQLConf.get.defaultDataSourceName))
    case _ => ()
  }

  /** Rejects a new table of a provider in a catalog. */
  def check(catalog: CatalogPlugin, provider: String): Unit =
    if (
      catalog.name() == "spark_catalog" && !catalog.isInstanceOf[ConstrainedCatalog] &&
      provider.equalsIgnoreCase("lance")
    )
      throw LanceErrors.translate(
        new UnsupportedFeatureException(
          "Lance tables in Spark's own session catalog need Spark 4.0 or later; on Spark 3.5 set " +
            "spark.sql.catalog.spark_catalog to io.github.pysparklance.spark.LanceSessionCatalog, or use " +
            "another catalog"
        )
      )
}
