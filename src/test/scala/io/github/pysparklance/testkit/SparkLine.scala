// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, SparkSession}

/** The Spark version of the tests, for differences between versions. */
object SparkLine {
  private val number = parsed(SPARK_VERSION)

  /** Whether this is the given Spark version or a later one.
    *
    * @param line such as `4.2`
    */
  def isFrom(line: String): Boolean = Ordering[(Int, Int)].gteq(number, parsed(line))

  /** Spark's error condition for an existing column. */
  def fieldExists: String = if (isFrom("4.0")) "FIELD_ALREADY_EXISTS" else "FIELDS_ALREADY_EXISTS"

  /** Returns the optimizer's row estimate of a query. Since 4.3, Spark does not request them from
    * scans unless this configuration is on.
    */
  def expectedRows(query: DataFrame): Option[BigInt] = {
    val conf = SQLConf.get.clone()
    conf.setConfString("spark.sql.cbo.planStats.enabled", "true")
    SQLConf.withExistingConf(conf)(query.queryExecution.optimizedPlan.stats.rowCount)
  }

  /** Runs code that reads or writes DataFrames of another session. Before 4.0, Spark takes the
    * configuration for that from the active session of the thread rather than from the session of
    * the DataFrame.
    */
  def withSession[A](session: SparkSession)(body: => A): A =
    if (isFrom("4.0")) body
    else {
      val before = SparkSession.getActiveSession
      SparkSession.setActiveSession(session)
      try body
      finally before.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
    }

  private def parsed(version: String): (Int, Int) = {
    val parts = version.split('.')
    (parts(0).toInt, parts(1).toInt)
  }
}
