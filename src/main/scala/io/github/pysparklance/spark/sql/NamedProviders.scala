// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  TableSpecBase,
  UnresolvedTableSpec
}
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.catalog.{PathTables, StagingCatalog}
import io.github.pysparklance.spark.shim.SessionShim

/** Rejects `CREATE TABLE … USING parquet` in a Lance catalog. The catalog itself cannot reject it,
  * because `df.write.saveAsTable` passes the session's default provider, `parquet`, if the user
  * names none. Only plans of statements have a SQL text, which distinguishes them from plans of
  * writers.
  */
final private[spark] class NamedProviders(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case c: CreateTable => check(c, c.name, c.tableSpec)
      case c: CreateTableAsSelect => check(c, c.name, c.tableSpec)
      case r: ReplaceTable => check(r, r.name, r.tableSpec)
      case r: ReplaceTableAsSelect => check(r, r.name, r.tableSpec)
      case _ => ()
    }
    plan
  }

  private def check(statement: LogicalPlan, name: LogicalPlan, spec: TableSpecBase): Unit =
    (name, spec) match {
      case (UnresolvedIdentifier(parts, _), unresolved: UnresolvedTableSpec) =>
        unresolved.provider
          .filter(p => statement.origin.sqlText.isDefined && !p.equalsIgnoreCase("lance"))
          .foreach(p => if (isOurs(parts)) throw PathTables.otherProvider(p))
      case _ => ()
    }

  private def isOurs(name: Seq[String]): Boolean = {
    val named = name.init.headOption.flatMap(SessionShim.catalog(session, _))
    named
      .orElse(SessionShim.catalog(session, session.catalog.currentCatalog()))
      .exists(_.isInstanceOf[StagingCatalog])
  }
}
