// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.expressions.{ClusterByTransform, Expressions, Transform}

/** Hides `ClusterByTransform`, which Spark has since 4.0. */
private[spark] object ClusterKeys {

  /** Returns the transform of `CLUSTER BY`. */
  def transform(columns: Seq[String]): Transform =
    ClusterByTransform(columns.map(Expressions.column(_)))
}
