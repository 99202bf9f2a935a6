// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metrics

import java.util.Locale

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

/** A metric of a task. */
final private[spark] case class TaskMetric(name: String, value: Long) extends CustomTaskMetric

/** A sum of bytes, shown in a readable unit. Spark instantiates metrics by class name, so each
  * metric needs its own class.
  */
abstract class ByteMetric(metricName: String, text: String) extends CustomMetric {
  def name(): String = metricName
  def description(): String = text
  def aggregateTaskMetrics(taskMetrics: Array[Long]): String = {
    val bytes = taskMetrics.sum
    val (divisor, unit) =
      if (bytes >= (1L << 30)) (1L << 30, "GiB")
      else if (bytes >= (1L << 20)) (1L << 20, "MiB")
      else if (bytes >= (1L << 10)) (1L << 10, "KiB")
      else (1L, "B")
    if (divisor == 1L) s"$bytes B"
    else "%.1f %s".formatLocal(Locale.ROOT, bytes.toDouble / divisor, unit)
  }
}

/** A sum of nanoseconds, shown in milliseconds. */
abstract class NanosecondMetric(metricName: String, text: String) extends CustomMetric {
  def name(): String = metricName
  def description(): String = text
  def aggregateTaskMetrics(taskMetrics: Array[Long]): String = s"${taskMetrics.sum / 1000000L} ms"
}
