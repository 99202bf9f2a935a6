// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, SparkSession, classic}

/** What differs between the major versions of Spark: this side is Spark 4. */
object SparkShim {

  /** The session's Hadoop configuration with the settings of the session and `options` on top. */
  def hadoopConfiguration(session: SparkSession, options: Map[String, String]): Configuration =
    session match {
      case s: classic.SparkSession => s.sessionState.newHadoopConfWithOptions(options)
      case other => throw new IllegalStateException(s"a session of ${other.getClass.getName}")
    }

  /** The type of a time of day with that many digits of a second, in versions that have one. */
  def timeType(precision: Int): Option[DataType] = Some(TimeType(precision))

  /** Digits of a second, when the type is one of times of day, whose values are nanoseconds. */
  def timePrecision(t: DataType): Option[Int] = t match {
    case time: TimeType => Some(time.precision)
    case _ => None
  }

  def isVariant(t: DataType): Boolean = t == VariantType

  /** The two binaries of a variant: its value and its metadata. */
  def variant(from: SpecializedGetters, at: Int): Array[Array[Byte]] = {
    val v = from.getVariant(at)
    Array(v.getValue, v.getMetadata)
  }

  /** Columns as the catalogs get them, as a schema. */
  def structType(columns: Array[Column]): StructType = StructType(columns.map { c =>
    val metadata = Option(c.metadataInJSON()).fold(Metadata.empty)(Metadata.fromJson)
    val field = StructField(c.name(), c.dataType(), c.nullable(), metadata)
    Option(c.comment()).fold(field)(field.withComment)
  })

  /** A schema as the catalogs want it. */
  def columns(schema: StructType): Array[Column] = schema.fields.map { f =>
    val metadata = if (f.metadata == Metadata.empty) null else f.metadata.json
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, metadata)
  }

  /** An analysis error with a condition that Spark defines. */
  def analysisException(
      condition: String,
      parameters: Map[String, String],
      cause: Throwable
  ): AnalysisException = new AnalysisException(condition, parameters, Option(cause))

  /** An analysis error whose message is final. */
  def analysisException(message: String, cause: Throwable): AnalysisException =
    new PlainAnalysisException(message, cause)

  final private class PlainAnalysisException(text: String, reason: Throwable)
      extends AnalysisException(
        text,
        None,
        None,
        Option(reason),
        None,
        Map.empty[String, String],
        Array.empty[org.apache.spark.QueryContext]
      )
}
