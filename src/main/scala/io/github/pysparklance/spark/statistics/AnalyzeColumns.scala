// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.statistics

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.commit.TableCommit
import io.github.pysparklance.spark.common.{LanceErrors, StoredColumnStatistics}
import io.github.pysparklance.spark.shim.{ColumnStats, DriverCommand, SparkShim}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.transaction.operation.UpdateMap

/** Computes column statistics, and stores them as table properties in a new version.
  *
  * @param on the table; `None` if there is nothing to do
  * @param names names of columns; `None` for all columns with an order
  */
final private[spark] case class AnalyzeColumns(
    on: Option[ResolvedTable],
    names: Option[Seq[String]]
) extends DriverCommand(new StructType) {

  override def execute(session: SparkSession): Seq[Row] = {
    on.foreach {
      case ResolvedTable(catalog, ident, spark: LanceSparkTable, _) =>
        LanceErrors.translated(spark.checkWritable())
        val relation = DataSourceV2Relation.create(spark, Some(catalog), Some(ident))
        val columns = chosen(spark, relation.output)
        val found = ColumnStats.of(session, Project(columns, relation))
        LanceErrors.translated(keep(
          spark.table,
          columns.map { c =>
            c.name -> StoredColumnStatistics.value(found(c), c.dataType)
          }
        ))
      case _ => ()
    }
    Nil
  }

  private def chosen(table: LanceSparkTable, columns: Seq[Attribute]): Seq[Attribute] = {
    val resolve = SQLConf.get.resolver
    names match {
      case None => columns.filter(c => AnalyzeColumns.hasOrder(c.dataType))
      case Some(wanted) =>
        wanted.map { name =>
          val column = columns.find(c => resolve(c.name, name)).getOrElse(
            throw SparkShim.analysisException(
              "COLUMN_NOT_FOUND",
              Map(
                "colName" -> quoteIdentifier(name),
                "caseSensitiveConfig" -> SQLConf.CASE_SENSITIVE.key
              ),
              null
            )
          )
          if (!AnalyzeColumns.hasOrder(column.dataType))
            throw SparkShim.analysisException(
              "UNSUPPORTED_FEATURE.ANALYZE_UNSUPPORTED_COLUMN_TYPE",
              Map(
                "columnType" -> column.dataType.sql,
                "columnName" -> quoteIdentifier(name),
                "tableName" -> table.name
              ),
              null
            )
          column
        }
    }
  }

  private def keep(table: LanceTable, values: Seq[(String, String)]): Unit = {
    val known = table.schema.flatten.map(f => StoredColumnStatistics.key(f.id)).toSet
    val gone =
      table.manifest.config.keys.filter(k => StoredColumnStatistics.isProperty(k) && !known(k))
    val made = values.flatMap { case (name, value) =>
      table.schema.field(name).map(f => StoredColumnStatistics.key(f.id) -> Some(value))
    }
    if (made.nonEmpty) {
      val update = UpdateMap(gone.toSeq.map(_ -> None) ++ made)
      TableCommit.change(table)(new MetadataChanges(table).config(update)): Unit
    }
  }
}

private object AnalyzeColumns {

  /** Whether Spark's statement supports a type. */
  def hasOrder(t: DataType): Boolean = t match {
    case _: NumericType | BooleanType | DateType | TimestampType | TimestampNTZType => true
    case StringType | BinaryType => true
    case _: YearMonthIntervalType | _: DayTimeIntervalType => true
    case _ => false
  }
}
