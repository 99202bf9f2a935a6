// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns.{
  CURRENT_DEFAULT_COLUMN_METADATA_KEY,
  EXISTS_DEFAULT_COLUMN_METADATA_KEY
}
import org.apache.spark.sql.connector.catalog.{Column, ColumnDefaultValue}
import org.apache.spark.sql.types._

/** Converts schemas, predicates, and errors to Spark's representation. */
object SparkShim extends TimeTypes with VariantTypes with PredicateExpressions {

  /** Metadata key of a column with the SQL text of the default for new rows. */
  val currentDefault: String = CURRENT_DEFAULT_COLUMN_METADATA_KEY

  /** Metadata key of a column with the SQL text of the default for existing rows. */
  val existsDefault: String = EXISTS_DEFAULT_COLUMN_METADATA_KEY

  /** Both keys. */
  val defaultKeys: Seq[String] = Seq(currentDefault, existsDefault)

  /** Returns the metadata of a column with a default: for rows that are written without the column,
    * and, as a value, for existing rows.
    */
  def defaults(default: ColumnDefaultValue): Map[String, String] = {
    val value = Option(default.getValue).map(v => Literal(v.value(), v.dataType()).sql)
    DefaultValues.current(default).fold(Map.empty[String, String]) { sql =>
      Map(currentDefault -> sql, existsDefault -> value.getOrElse(sql))
    }
  }

  /** Converts columns of catalogs to a schema. */
  def structType(columns: Array[Column]): StructType = StructType(columns.map { c =>
    val metadata = new MetadataBuilder
    Option(c.metadataInJSON()).map(Metadata.fromJson).foreach(metadata.withMetadata)
    Option(c.defaultValue()).foreach { default =>
      defaults(default).foreach { case (key, sql) => metadata.putString(key, sql) }
    }
    val field = StructField(c.name(), c.dataType(), c.nullable(), metadata.build())
    Option(c.comment()).fold(field)(field.withComment)
  })

  /** Converts a schema to columns of catalogs, without their defaults. */
  def columns(schema: StructType): Array[Column] = schema.fields.map { f =>
    val plain = new MetadataBuilder().withMetadata(f.metadata)
    defaultKeys.foreach(plain.remove)
    val metadata = Option(plain.build()).filter(_ != Metadata.empty).map(_.json).orNull
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, metadata)
  }

  /** Returns an analysis error with one of Spark's error conditions.
    *
    * @param condition the name since Spark 4.0
    */
  def analysisException(
      condition: String,
      parameters: Map[String, String],
      cause: Throwable
  ): AnalysisException =
    new AnalysisException(ErrorConditions.name(condition), parameters, Option(cause))

  /** Returns an analysis error with a final message and an error condition of the connector. */
  def analysisException(
      message: String,
      condition: String,
      parameters: Map[String, String],
      cause: Throwable
  ): AnalysisException = new PlainAnalysisException(message, condition, parameters, cause)

  final private class PlainAnalysisException(
      text: String,
      condition: String,
      parameters: Map[String, String],
      reason: Throwable
  ) extends AnalysisException(
        text,
        None,
        None,
        Option(reason),
        Some(condition),
        parameters,
        Array.empty[org.apache.spark.QueryContext]
      ) {

    /** PySpark looks up the message of errors with a position in the SQL text by their condition.
      */
    override def withPosition(origin: Origin): AnalysisException = this
  }
}
