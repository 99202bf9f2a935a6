// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import scala.util.Properties

import org.apache.spark.SPARK_VERSION

import io.github.pysparklance.Version
import io.github.pysparklance.core.InvalidRequestException

/** Checks that the jar fits the running Spark. A jar is built for a Spark line, such as 4.1,
  * because the interfaces that it implements change between lines.
  */
private[spark] object SparkLine {

  /** Spark line and Scala version, as in the name of the jar: `4.1_2.13`. */
  val artifact: String = Version.resource(getClass, "line.txt")

  /** Checks the running Spark.
    *
    * @param running version of Spark
    * @param scala version of Scala
    * @param hasClass returns whether Spark has a class
    * @throws InvalidRequestException if the jar is built for another line or for later releases of
    *   the line; names the jar or release to use
    */
  def check(
      running: String = SPARK_VERSION,
      scala: String = Properties.versionNumberString,
      hasClass: String => Boolean = isPresent
  ): Unit = {
    val at = s"${minor(running)}_${minor(scala)}"
    if (at != artifact)
      throw new InvalidRequestException(
        s"this jar of pyspark-lance is built for ${described(artifact)}, and this is Spark " +
          s"$running with Scala $scala: take " +
          s"io.github.pysparklance:pyspark-lance-$at:${Version.current} in its place"
      )
    if (!hasClass(sinceSpark353))
      throw new InvalidRequestException(
        s"pyspark-lance needs Spark 3.5.3 or later, and this is Spark $running"
      )
  }

  /** A class that rules and catalogs reference. The version number is not checked, as vendors
    * backport the class to earlier releases.
    */
  private val sinceSpark353 = "org.apache.spark.sql.connector.catalog.TableWritePrivilege"

  private def isPresent(name: String): Boolean =
    try {
      Class.forName(name, false, getClass.getClassLoader): Unit
      true
    } catch { case _: ClassNotFoundException => false }

  private def minor(version: String): String = version.split('.').take(2).mkString(".")

  private def described(artifact: String): String =
    s"Spark ${artifact.takeWhile(_ != '_')} with Scala ${artifact.drop(artifact.indexOf('_') + 1)}"
}
