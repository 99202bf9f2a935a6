// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.unsafe.types.{GeographyVal, GeometryVal}

/** The getters of a row of column vectors that only some Spark lines have. Spark 4.1 has the
  * geography types.
  */
trait RowOfVectors extends VectorRow {
  override def getGeography(i: Int): GeographyVal = vector(i).getGeography(position)

  override def getGeometry(i: Int): GeometryVal = vector(i).getGeometry(position)
}
