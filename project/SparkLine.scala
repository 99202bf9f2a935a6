// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import java.io.File

import sbt.IO

/** A line of Spark, such as 4.1, with one version of Scala: a row of `project/spark-lines.txt`.
  *
  * @param artifact
  *   the end of the artifact's name, such as `4.1_2.13`
  * @param spark
  *   release that the line is compiled against
  * @param java
  *   release of Java that the classes are for
  * @param fromPySpark
  *   whether the libraries come from the PyPI package, as Maven repositories do not have the release
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

  /** The sbt project: `spark-42_213`; the primary line's is the build's root. */
  def project: String =
    if (this == SparkLine.primary) "root" else s"spark-${artifact.filterNot(_ == '.')}"

  private val number = SparkLine.number(name)

  /** Whether a source folder is for this line. Folders that end in `spark-4.0`, `spark-3.5-4.0` or `spark-4.1+` are for
    * the lines that they name.
    */
  def has(folder: String): Boolean = folder.split("spark-").last match {
    case SparkLine.Range(from, to) =>
      SparkLine.number(from) <= number && number <= SparkLine.number(to)
    case SparkLine.From(from) => SparkLine.number(from) <= number
    case only                 => SparkLine.number(only) == number
  }
}

object SparkLine {

  /** All lines, the oldest first. */
  val all: Seq[SparkLine] = IO
    .readLines(new File("project/spark-lines.txt"))
    .filterNot(line => line.startsWith("#") || line.trim.isEmpty)
    .map(_.trim.split(" +"))
    .map { case Array(artifact, spark, scala, java, jars, _) =>
      SparkLine(artifact, spark, scala, java, fromPySpark = jars == "pyspark")
    }

  /** The line that development and `make test` use. */
  val primary: SparkLine = all.find(_.name == "4.1").get

  private val Range = "(.+)-(.+)".r
  private val From  = "(.+)\\+".r

  /** Orders the names of lines. */
  private def number(name: String): Int = {
    val Array(major, minor) = name.split('.')
    major.toInt * 1000 + minor.toInt
  }
}
