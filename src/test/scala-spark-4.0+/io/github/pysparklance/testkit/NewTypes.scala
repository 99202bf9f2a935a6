// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

import org.apache.spark.sql.types.{DataType, StringType, VariantType}
import org.apache.spark.unsafe.types.VariantVal

/** Types that Spark has since 4.0. */
object NewTypes {
  val variant: Option[DataType] = Some(VariantType)

  /** A text that is compared in lower case. */
  val lowerCase: Option[DataType] = Some(StringType("UTF8_LCASE"))

  def randomVariant(random: Random): Any =
    new VariantVal(Array.fill(1 + random.nextInt(3))(1), Array.fill(random.nextInt(3))(2))
}
