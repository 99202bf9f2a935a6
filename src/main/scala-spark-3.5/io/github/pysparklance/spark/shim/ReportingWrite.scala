// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.Write

/** Hides `Write.reportDriverMetrics`, which Spark has since 4.0. Here, Spark shows no metrics of a
  * commit.
  */
trait ReportingWrite extends Write {

  /** Returns the metrics that Spark takes from the driver. */
  protected def driverMetrics(all: Array[CustomMetric]): Array[CustomMetric] =
    all.take(0)

  def reportDriverMetrics(): Array[CustomTaskMetric] = Array.empty
}
