// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.{Column, Dataset}

/** Hides `Dataset.mergeInto`, which Spark has since 4.0: here the statement of the same meaning
  * runs.
  */
final class FrameMerge(source: Dataset[_], table: String, condition: Column) {
  private val clauses = mutable.ArrayBuffer.empty[String]
  private var evolution = ""

  def whenMatched(): Clause = new Clause("MATCHED", None)
  def whenNotMatched(): Clause = new Clause("NOT MATCHED", None)
  def whenNotMatched(condition: Column): Clause = new Clause("NOT MATCHED", Some(condition))
  def whenNotMatchedBySource(): Clause = new Clause("NOT MATCHED BY SOURCE", None)
  def whenNotMatchedBySource(condition: Column): Clause =
    new Clause("NOT MATCHED BY SOURCE", Some(condition))

  def withSchemaEvolution(): FrameMerge = {
    evolution = "WITH SCHEMA EVOLUTION "
    this
  }

  def merge(): Unit = {
    val alias = source.queryExecution.logical match {
      case a: SubqueryAlias => s" AS ${a.identifier.name}"
      case _ => ""
    }
    source.createOrReplaceTempView("merged_frame")
    try
      source.sparkSession.sql(
        s"MERGE ${evolution}INTO $table USING merged_frame$alias ON ${condition.expr.sql} " +
          clauses.mkString(" ")
      ): Unit
    finally source.sparkSession.catalog.dropTempView("merged_frame"): Unit
  }

  final class Clause(when: String, condition: Option[Column]) {
    def update(values: Map[String, Column]): FrameMerge =
      clause(values.map { case (k, v) => s"$k = ${v.expr.sql}" }.mkString("UPDATE SET ", ", ", ""))

    def insert(values: Map[String, Column]): FrameMerge = {
      val (names, columns) = values.toSeq.unzip
      clause(
        s"INSERT (${names.mkString(", ")}) VALUES (${columns.map(_.expr.sql).mkString(", ")})"
      )
    }

    def insertAll(): FrameMerge = clause("INSERT *")

    def delete(): FrameMerge = clause("DELETE")

    private def clause(action: String): FrameMerge = {
      clauses += s"WHEN $when${condition.fold("")(c => s" AND ${c.expr.sql}")} THEN $action"
      FrameMerge.this
    }
  }
}

object FrameMerge {
  def apply(source: Dataset[_], table: String, condition: Column): FrameMerge =
    new FrameMerge(source, table, condition)
}
