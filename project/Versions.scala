// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

/** Every version number but the plugins' (`plugins.sbt`) and our own (`version.txt`). */
object Versions {
  val java     = "17"
  val protobuf = "4.36.2"

  val semanticdb = "4.13.10" // for scalafix; 4.15.0 fails on annotations with Java enums

  val scalatest               = "3.2.19"
  val scalacheck              = "1.18.1"
  val scalatestPlusScalacheck = "3.2.19.0"
}
