// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

/** Version numbers, except of plugins (`plugins.sbt`) and of this project (`version.txt`). */
object Versions {

  /** Oldest Scala release of each Scala version that Spark 3.5 or later ships. */
  val oldestScala = Map("2.12" -> "2.12.18", "2.13" -> "2.13.8")
  val oldestJava  = "11" // of these Spark releases

  val protobuf = "4.36.2"

  val hadoop       = "3.4.2"   // as Spark ships it
  val gcsConnector = "2.2.26"  // the last release in one jar
  val awsSdk       = "2.29.52" // as hadoop-aws of that version has it

  val collectionCompat = "2.7.0" // as Spark 3.5 ships it

  val semanticdb = "4.13.10" // for scalafix; 4.15.0 fails on annotations with Java enums

  val scalatest               = "3.2.19"
  val scalacheck              = "1.18.1"
  val scalatestPlusScalacheck = "3.2.19.0"
}
