// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.SPARK_VERSION

import io.github.pysparklance.Version
import io.github.pysparklance.core.InvalidRequestException

/** A jar goes with one line of Spark, such as 4.1: between lines the interfaces that it implements change. */
private[spark] object SparkLine {

  /** @param running version of the Spark at hand
    * @throws InvalidRequestException when the jar is built for another line; names the one to take
    */
  def check(running: String = SPARK_VERSION): Unit = {
    val (built, scala) = Version.spark.splitAt(Version.spark.indexOf('_'))
    val line = running.split('.').take(2).mkString(".")
    if (line != built)
      throw new InvalidRequestException(
        s"this jar of pyspark-lance is built for Spark $built, and this is Spark $running: take " +
          s"io.github.pysparklance:pyspark-lance-$line$scala:${Version.current} in its place"
      )
  }
}
