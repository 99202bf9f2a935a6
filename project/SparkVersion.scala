// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

/** The Spark release the build compiles and tests against.
  *
  * Chosen by one property, `./sbt -Dspark.version=4.1.3`. A new minor version is a new line in
  * `supported`; a new major version is also a folder `src/main/scala-spark-<major>` with the same
  * signatures as its siblings.
  */
final case class SparkVersion(full: String, scala: String) {
  private val parts = full.split('.')

  /** `4.1`: names the artifact. */
  val minor: String = parts.take(2).mkString(".")

  /** `scala-spark-4`: the source folder with what differs between major versions. */
  val sourceFolder: String = s"scala-spark-${parts.head}"
}

object SparkVersion {

  /** Full version -> the Scala version that release was built with. */
  private val supported = Map("4.1.3" -> "2.13.17")

  private val default = "4.1.3"

  val current: SparkVersion = {
    val full  = sys.props.getOrElse("spark.version", default)
    val scala = supported.getOrElse(
      full,
      sys.error(
        s"spark.version=$full: expected one of ${supported.keys.toSeq.sorted.mkString(", ")}"
      )
    )
    SparkVersion(full, scala)
  }
}
