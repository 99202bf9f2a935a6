// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.github.pysparklance.core.{InvalidRequestException, Log, Place}

/** Finds columns and struct fields whose names differ only in case. By default, Spark cannot
  * distinguish them.
  */
private[catalog] object AmbiguousNames {
  private val log = Log(getClass)
  private val maxWarned = 1000
  private val warned = ConcurrentHashMap.newKeySet[String]()

  /** Returns the first two ambiguous names, or `None` if the session is case-sensitive. */
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

  /** Rejects ambiguous names before rows are written. Spark matches values and columns by name, and
    * would write the values of one column to both.
    *
    * @throws InvalidRequestException if two names differ only in case
    */
  def check(path: String, columns: StructType): Unit = find(columns).foreach {
    case (first, second) =>
      throw new InvalidRequestException(
        s"""the names "$first" and "$second" differ only in case. To write rows, set """ +
          s"${SQLConf.CASE_SENSITIVE.key}=true",
        Place(path = Some(path))
      )
  }

  /** Logs how to read such columns, once per table. Spark's error message does not explain it. */
  def warn(path: String, columns: StructType): Unit = find(columns).foreach {
    case (first, second) =>
      if (warned.size < maxWarned && warned.add(path))
        log.warn(
          s"""$path: the names "$first" and "$second" differ only in case. To read these columns, set """ +
            s"${SQLConf.CASE_SENSITIVE.key}=true; other columns can be read without it"
        )
  }
}
