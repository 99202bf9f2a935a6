// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write.Write

/** Hides `Write.reportDriverMetrics`, which Spark has since 4.0. */
trait ReportingWrite extends Write {

  /** Returns the metrics that Spark takes from the driver. */
  protected def driverMetrics(all: Array[CustomMetric]): Array[CustomMetric] = all
}
