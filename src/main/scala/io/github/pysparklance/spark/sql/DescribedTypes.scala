// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{DescribeRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.datasources.v2.LeafV2CommandExec
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{Field, LogicalType, Optional}
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.shim.SessionShim

/** Adds Lance-specific types, such as `vector(64)` and `blob`, to `DESCRIBE TABLE`. They are listed
  * in a separate section after the columns, because tools parse the types of columns as Spark
  * types.
  */
final private[spark] class DescribedTypes(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case d: DescribeRelation =>
      d.relation match {
        case ResolvedTable(_, _, table: LanceSparkTable, _) =>
          val types = DescribedTypes.of(table.table.schema.fields)
          if (types.isEmpty) Nil
          else SessionShim.planned(session, d).map(DescribeWithTypes(_, types))
        case _ => Nil
      }
    case _ => Nil
  }
}

/** Formats Lance-specific types. */
private[spark] object DescribedTypes {

  /** Returns the paths of columns and struct fields with their types. */
  def of(fields: Seq[Field], parents: Seq[String] = Nil): Seq[(String, String)] =
    fields.flatMap { f =>
      val path = parents :+ f.name
      name(f) match {
        case Some(text) => Seq(path.map(quoteIfNeeded).mkString(".") -> text)
        case None if f.logicalType == LogicalType.Struct => of(f.children, path)
        case None => Nil
      }
    }

  private def name(field: Field): Option[String] = field.logicalType match {
    case LogicalType.FixedSizeList(LogicalType.Float, n) => Some(s"vector($n)")
    case LogicalType.FixedSizeList(item, n) => Some(s"vector($n) of ${LogicalType.text(item)}")
    case _ => Optional.when(field.isBlob)("blob")
  }
}

/** Spark's description of a table, followed by the section of Lance-specific types. */
final private case class DescribeWithTypes(described: SparkPlan, types: Seq[(String, String)])
    extends LeafV2CommandExec {
  override def output: Seq[Attribute] = described.output

  override protected def run(): Seq[InternalRow] = {
    val heading = Seq(row("", ""), row("# Lance Types", ""), row("# col_name", "data_type"))
    described.executeCollect().toSeq ++ heading ++ types.map { case (path, text) =>
      row(path, text)
    }
  }

  private def row(cells: String*): InternalRow =
    InternalRow.fromSeq((cells :+ "").map(UTF8String.fromString))
}
