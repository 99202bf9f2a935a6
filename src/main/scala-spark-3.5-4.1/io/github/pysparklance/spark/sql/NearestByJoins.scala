// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions

/** Plans `NEAREST ... BY` joins, which Spark has since 4.2. */
private[spark] object NearestByJoins {
  def inject(@scala.annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
