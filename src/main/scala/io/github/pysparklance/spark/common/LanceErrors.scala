// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.{LanceException, NotFoundException, Place}
import io.github.pysparklance.spark.shim.SparkShim

/** Turns the connector's errors into Spark's own on the driver: an `AnalysisException` with Spark's condition where
  * there is one, always with our message (which names path and reason) and our exception as the cause.
  *
  * Errors of tasks need no translation: Spark puts their message into that of the failed job.
  */
private[spark] object LanceErrors {

  /** Runs `body`; what it raises on the connector's account leaves as Spark's exception. */
  def translated[A](body: => A): A =
    try body
    catch { case e: LanceException => throw translate(e) }

  /** Spark's exception for one of ours. */
  def translate(e: LanceException): AnalysisException = e match {
    case missing: NotFoundException if missing.what == "table" =>
      val path = missing.place.path.getOrElse("")
      SparkShim.analysisException("PATH_NOT_FOUND", Map("path" -> path), missing)
    case other => SparkShim.analysisException(other.getMessage, other)
  }

  /** A path that holds no table. */
  def pathNotFound(path: String): AnalysisException =
    translate(new NotFoundException("table", Place(path = Some(path))))

  /** A request that Spark let through but we cannot serve. */
  def refused(message: String): AnalysisException = SparkShim.analysisException(message, null)
}
