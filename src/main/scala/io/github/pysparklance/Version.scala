// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

/** The version of this library, the same in the jar's name and in the Python package. */
object Version {

  /** For example `0.1.0`. Comes from `version.txt` in the root of the source tree. */
  val current: String = resource("version.txt")

  /** The line of Spark that this jar is built for, with the version of Scala, as in the jar's name: `4.1_2.13`. */
  val spark: String = resource("spark.txt")

  private def resource(name: String): String = {
    val stream = Option(getClass.getResourceAsStream(name))
      .getOrElse(throw new IllegalStateException(s"the jar lacks io/github/pysparklance/$name"))
    Using.resource(stream)(in => new String(in.readAllBytes(), UTF_8).trim)
  }
}
