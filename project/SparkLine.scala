// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import java.io.File

import sbt.IO

/** A Spark version, such as 4.1, with a Scala version: a row of `project/spark-lines.txt`.
  *
  * @param artifact
  *   the end of the artifact's name, such as `4.1_2.13`
  * @param spark
  *   release to compile against
  * @param java
  *   release of Java that the classes are for
  * @param fromPySpark whether the libraries come from the PyPI package, because Maven repositories
  *   do not have the release
  */
final case class SparkLine(
    artifact: String,
    spark: String,
    scala: String,
    java: String,
    fromPySpark: Boolean
) {

  /** `4.1`. */
  val name: String = artifact.takeWhile(_ != '_')

  /** `2.13`. */
  val scalaBinary: String = artifact.dropWhile(_ != '_').tail

  /** The sbt project, such as `spark-42_213`. The primary version is the root of the build. */
  def project: String =
    if (this == SparkLine.primary) "root" else s"spark-${artifact.filterNot(_ == '.')}"

  private val number = SparkLine.number(name)

  /** Returns whether a source folder is for this Spark version: the suffixes `spark-4.0`,
    * `spark-3.5-4.0`, and `spark-4.1+` are version ranges.
    */
  def has(folder: String): Boolean = folder.split("spark-").last match {
    case SparkLine.Range(from, to) =>
      SparkLine.number(from) <= number && number <= SparkLine.number(to)
    case SparkLine.From(from) => SparkLine.number(from) <= number
    case only                 => SparkLine.number(only) == number
  }
}

object SparkLine {

  /** All Spark versions, oldest first. */
  val all: Seq[SparkLine] = IO
    .readLines(new File("project/spark-lines.txt"))
    .filterNot(line => line.startsWith("#") || line.trim.isEmpty)
    .map(_.trim.split(" +"))
    .map { case Array(artifact, spark, scala, java, jars, _) =>
      SparkLine(artifact, spark, scala, java, fromPySpark = jars == "pyspark")
    }

  /** The Spark version of development and `make test`. */
  val primary: SparkLine = all.find(_.name == "4.1").get

  private val Range = "(.+)-(.+)".r
  private val From  = "(.+)\\+".r

  /** Compares Spark versions. */
  private def number(name: String): Int = {
    val Array(major, minor) = name.split('.')
    major.toInt * 1000 + minor.toInt
  }
}
