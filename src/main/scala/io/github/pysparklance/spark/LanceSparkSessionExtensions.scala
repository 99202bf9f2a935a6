// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import org.apache.spark.sql.SparkSessionExtensions

/** The class for `spark.sql.extensions`. Nothing needs to be injected so far: reads, writes and catalogs work without
  * it; the statements that go beyond Spark's own grammar will come in here.
  */
final class LanceSparkSessionExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = ()
}
