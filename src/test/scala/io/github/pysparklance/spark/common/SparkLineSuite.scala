// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.SPARK_VERSION
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException

class SparkLineSuite extends AnyFunSuite {

  test("the Spark that the jar is built for, in all its releases") {
    SparkLine.check()
    SparkLine.check(SPARK_VERSION.split('.').take(2).mkString(".") + ".99-SNAPSHOT")
  }

  test("another Spark version is rejected, and the message names the jar to use") {
    val e = intercept[InvalidRequestException](SparkLine.check("3.4.4"))
    assert(e.getMessage.contains(s"Spark ${SPARK_VERSION.split('.').take(2).mkString(".")}"))
    assert(e.getMessage.contains("pyspark-lance-3.4_2."))
  }

  test("the first releases of Spark 3.5 are rejected") {
    val e = intercept[InvalidRequestException](SparkLine.check(hasClass = _ => false))
    assert(e.getMessage.contains(s"needs Spark 3.5.3 or later, and this is Spark $SPARK_VERSION"))
  }

  test("another version of Scala is rejected, and the message names the jar to use") {
    val e = intercept[InvalidRequestException](SparkLine.check(scala = "2.11.12"))
    assert(e.getMessage.contains("with Scala 2.11.12"))
    assert(e.getMessage.contains("_2.11:"))
  }
}
