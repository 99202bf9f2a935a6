// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.util.{Optional, OptionalLong}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.`type`.TypeReference
import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.catalog.CatalogColumnStat
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import io.github.pysparklance.core.{Log, Schema}

/** Column statistics that `ANALYZE TABLE … FOR COLUMNS` stores in table properties for Spark's
  * optimizer. They do not include rows that were added later.
  *
  * {{{
  *   lance.spark.statistics.<field id>   {"distinctCount":"3","min":"1","max":"9","nullCount":"0","avgLen":"4",…}
  * }}}
  */
private[spark] object StoredColumnStatistics {
  private val log = Log(getClass)
  private val prefix = "lance.spark.statistics."
  private val mapper = new ObjectMapper
  private val mapType = new TypeReference[java.util.Map[String, String]] {}

  /** Longer values are ignored. The connector does not write them. */
  private val maxCharacters = 1 << 20

  /** Column name in the properties that Spark creates from statistics. */
  private val column = "c"

  /** Whether a table property has column statistics. */
  def isProperty(name: String): Boolean = name.startsWith(prefix)

  /** Returns the property name for a field. */
  def key(fieldId: Int): String = prefix + fieldId

  /** Returns the property value. */
  def value(statistics: ColumnStat, t: DataType): String = {
    val all = statistics.copy(histogram = None).toCatalogColumnStat(column, t).toMap(column)
    val plain = all.map { case (k, v) => k.stripPrefix(column + ".") -> v }
    mapper.writeValueAsString(new java.util.TreeMap[String, String](plain.asJava))
  }

  /** Returns the statistics of columns. Unreadable statistics are skipped.
    *
    * @param config table properties
    * @param columns columns in Spark
    */
  def of(
      config: Map[String, String],
      schema: Schema,
      columns: StructType
  ): Map[NamedReference, ColumnStatistics] =
    if (!config.keys.exists(isProperty)) Map.empty
    else
      columns.flatMap { c =>
        for {
          field <- schema.field(c.name)
          text <- config.get(key(field.id))
          read <- known(text, c)
        } yield (Expressions.column(quoteIdentifier(c.name)): NamedReference) -> read
      }.toMap

  private def known(text: String, c: StructField): Option[ColumnStatistics] =
    try parse(text, c.name, c.dataType)
    catch {
      case NonFatal(e) =>
        log.warn(
          s"column ${c.name}: its statistics cannot be read; ANALYZE TABLE makes new ones",
          e
        )
        None
    }

  private def parse(text: String, name: String, t: DataType): Option[ColumnStatistics] = {
    // Skips histograms, because decoding one allocates sizes given in the text. The connector does
    // not write any.
    val entries =
      if (text.length > maxCharacters) Map.empty[String, String]
      else mapper.readValue(text, mapType).asScala.toMap - "histogram"
    val named = entries.map { case (k, v) => s"$column.$k" -> v }
    CatalogColumnStat.fromMap(name, column, named).map(_.toPlanStat(name, t)).map(new Known(_))
  }

  final private class Known(s: ColumnStat) extends ColumnStatistics {
    override def distinctCount(): OptionalLong = number(s.distinctCount.map(_.toLong))
    override def nullCount(): OptionalLong = number(s.nullCount.map(_.toLong))
    override def avgLen(): OptionalLong = number(s.avgLen)
    override def maxLen(): OptionalLong = number(s.maxLen)
    override def min(): Optional[Object] = some(s.min)
    override def max(): Optional[Object] = some(s.max)

    private def number(n: Option[Long]) = n.fold(OptionalLong.empty())(OptionalLong.of)
    private def some(v: Option[Any]): Optional[Object] =
      v.fold(Optional.empty[Object]())(x => Optional.of(x.asInstanceOf[Object]))
  }
}
