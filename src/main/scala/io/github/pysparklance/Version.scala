// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

/** The version of this library, the same in the jar's name and in the Python package. */
object Version {

  /** For example `0.1.0`. Comes from `version.txt` in the root of the source tree. */
  val current: String = resource(getClass, "version.txt")

  /** The text of a file that the build puts beside a class. */
  private[pysparklance] def resource(beside: Class[_], name: String): String = {
    val stream = Option(beside.getResourceAsStream(name)).getOrElse {
      val folder = beside.getPackage.getName.replace('.', '/')
      throw new IllegalStateException(s"the jar lacks $folder/$name")
    }
    Using.resource(stream)(in => new String(in.readAllBytes(), UTF_8).trim)
  }
}
