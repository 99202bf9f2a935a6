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

/** Schemas, predicates, and errors in terms of Spark. */
object SparkShim extends TimeTypes with VariantTypes with PredicateExpressions {

  /** Key of a column's metadata: the SQL of what a row gets that is written without the column. */
  val currentDefault: String = CURRENT_DEFAULT_COLUMN_METADATA_KEY

  /** The same of what rows got that were there before the column. */
  val existsDefault: String = EXISTS_DEFAULT_COLUMN_METADATA_KEY

  /** Both. */
  val defaultKeys: Seq[String] = Seq(currentDefault, existsDefault)

  /** The metadata of a column with a default: what rows get that are written without the column, and, as a value, what
    * rows have that were there before it.
    */
  def defaults(default: ColumnDefaultValue): Map[String, String] = {
    val value = Option(default.getValue).map(v => Literal(v.value(), v.dataType()).sql)
    DefaultValues.current(default).fold(Map.empty[String, String]) { sql =>
      Map(currentDefault -> sql, existsDefault -> value.getOrElse(sql))
    }
  }

  /** Columns as the catalogs get them, as a schema. */
  def structType(columns: Array[Column]): StructType = StructType(columns.map { c =>
    val metadata = new MetadataBuilder
    Option(c.metadataInJSON()).map(Metadata.fromJson).foreach(metadata.withMetadata)
    Option(c.defaultValue()).foreach { default =>
      defaults(default).foreach { case (key, sql) => metadata.putString(key, sql) }
    }
    val field = StructField(c.name(), c.dataType(), c.nullable(), metadata.build())
    Option(c.comment()).fold(field)(field.withComment)
  })

  /** A schema as the catalogs want it, without the defaults of columns. */
  def columns(schema: StructType): Array[Column] = schema.fields.map { f =>
    val plain = new MetadataBuilder().withMetadata(f.metadata)
    defaultKeys.foreach(plain.remove)
    val metadata = Option(plain.build()).filter(_ != Metadata.empty).map(_.json).orNull
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, metadata)
  }

  /** An analysis error with a condition that Spark defines.
    *
    * @param condition its name since Spark 4.0
    */
  def analysisException(
      condition: String,
      parameters: Map[String, String],
      cause: Throwable
  ): AnalysisException =
    new AnalysisException(ErrorConditions.name(condition), parameters, Option(cause))

  /** An analysis error whose message is final, with a condition of our own that programs know it by. */
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

    /** PySpark looks up the message of an error with a position in the SQL text, by its condition. */
    override def withPosition(origin: Origin): AnalysisException = this
  }
}
