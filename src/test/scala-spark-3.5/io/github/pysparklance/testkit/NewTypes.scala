// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

import org.apache.spark.sql.types.DataType

/** Types that Spark has since 4.0: none here. */
object NewTypes {
  val variant: Option[DataType] = None

  /** A text that is compared in lower case. */
  val lowerCase: Option[DataType] = None

  def randomVariant(random: Random): Any =
    throw new UnsupportedOperationException(s"a variant from $random")
}
