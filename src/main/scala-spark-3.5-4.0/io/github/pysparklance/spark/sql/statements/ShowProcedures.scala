// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.analysis.{ResolvedNamespace, UnresolvedNamespace}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{ArrayType, StringType, StructType}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.shim.{ProcedureCatalogShim, SessionShim, SparkShim}
import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand}

/** `SHOW PROCEDURES`, which Spark supports since 4.1. */
private[statements] object ShowProcedures extends Statement {
  override val usage: String = "SHOW PROCEDURES [{FROM | IN} namespace]"

  override def begins(cursor: Cursor): Boolean = cursor.take("SHOW", "PROCEDURES")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("SHOW", "PROCEDURES")
    val inside = cursor.take("FROM") || cursor.take("IN")
    ShowProceduresCommand(Optional.when(inside)(cursor.name()))
  }
}

/** Runs [[ShowProcedures]].
  *
  * @param namespace `None` for the current namespace
  */
final private[statements] case class ShowProceduresCommand(namespace: Option[Seq[String]])
    extends TableCommand(ShowProceduresCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] =
    SessionShim.analyzed(session, UnresolvedNamespace(namespace.getOrElse(Nil))) match {
      case found: ResolvedNamespace =>
        found.catalog match {
          case catalog: ProcedureCatalogShim =>
            catalog.listProcedures(found.namespace.toArray).toSeq.map { p =>
              Row(catalog.name(), p.namespace().toSeq, p.namespace().lastOption.orNull, p.name())
            }
          case catalog =>
            throw SparkShim.analysisException(
              s"the catalog ${catalog.name()} has no procedures",
              "LANCE_UNSUPPORTED_FEATURE",
              Map("feature" -> "SHOW PROCEDURES"),
              null
            )
        }
      case other => throw new IllegalStateException(s"a namespace became $other")
    }
}

/** The columns of the result. */
private[statements] object ShowProceduresCommand {
  private val columns = new StructType()
    .add("catalog", StringType, nullable = false)
    .add("namespace", ArrayType(StringType, containsNull = false))
    .add("schema", StringType)
    .add("procedure_name", StringType, nullable = false)
}
