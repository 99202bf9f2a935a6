// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.github.pysparklance.core.{InvalidRequestException, Log, Place}

/** Columns, and members of structs, whose names differ only in case. By default, Spark cannot tell them apart. */
private[catalog] object AmbiguousNames {
  private val log = Log(getClass)
  private val maxWarned = 1000
  private val warned = ConcurrentHashMap.newKeySet[String]()

  /** The first two of them; none if the session is case-sensitive. */
  def find(columns: StructType): Option[(String, String)] =
    if (SQLConf.get.caseSensitiveAnalysis) None else pair(columns)

  private def pair(of: DataType): Option[(String, String)] = of match {
    case StructType(columns) =>
      val groups = columns.map(_.name).groupBy(_.toLowerCase(Locale.ROOT)).values
      groups.collectFirst { case Array(first, second, _*) => (first, second) }
        .orElse(columns.iterator.flatMap(c => pair(c.dataType)).find(_ => true))
    case ArrayType(item, _) => pair(item)
    case MapType(key, value, _) => pair(key).orElse(pair(value))
    case _ => None
  }

  /** Fails before rows are written. Spark matches values and columns by name, and would write those of one column to
    * both.
    *
    * @throws InvalidRequestException that names two such columns
    */
  def check(path: String, columns: StructType): Unit = find(columns).foreach {
    case (first, second) =>
      throw new InvalidRequestException(
        s"""the names "$first" and "$second" differ only in case. To write rows, set """ +
          s"${SQLConf.CASE_SENSITIVE.key}=true",
        Place(path = Some(path))
      )
  }

  /** Logs once for each table how to read such columns. Spark's own error does not say it. */
  def warn(path: String, columns: StructType): Unit = find(columns).foreach {
    case (first, second) =>
      if (warned.size < maxWarned && warned.add(path))
        log.warn(
          s"""$path: the names "$first" and "$second" differ only in case. To read these columns, set """ +
            s"${SQLConf.CASE_SENSITIVE.key}=true; other columns can be read without it"
        )
  }
}
