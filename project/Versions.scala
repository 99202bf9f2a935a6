// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

/** Every version number but the plugins' (`plugins.sbt`) and our own (`version.txt`). */
object Versions {
  val java     = "17"
  val protobuf = "4.36.2"

  val semanticdb = "4.15.0" // the newest that knows the Scala version of Spark

  val scalatest               = "3.2.19"
  val scalacheck              = "1.18.1"
  val scalatestPlusScalacheck = "3.2.19.0"
}
