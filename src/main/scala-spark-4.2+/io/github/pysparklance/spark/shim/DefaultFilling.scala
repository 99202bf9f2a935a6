// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.TableOutputResolver.DefaultValueFillMode

/** The argument of `TableOutputResolver.resolveOutputColumns` that fills missing columns with their
  * defaults. It is a Boolean up to Spark 4.1, and a mode since 4.2.
  */
private[spark] object DefaultFilling {
  val all: DefaultValueFillMode.Value = DefaultValueFillMode.FILL
}
