// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import scala.reflect.ClassTag
import scala.util.control.NonFatal

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  CorruptFileException,
  InvalidRequestException,
  LanceException,
  NotFoundException,
  Place,
  StorageException,
  UnsupportedFeatureException
}
import io.github.pysparklance.spark.shim.SparkShim

/** Translates errors of the connector to Spark's `AnalysisException` on the driver. It has Spark's
  * error condition if there is one, otherwise a condition `LANCE_...` with the fields of the error
  * as parameters. The message is always from the connector, with the path and the reason, and the
  * original exception is the cause.
  *
  * Tasks translate their errors as well. Spark shows an exception with a condition as it is. Other
  * exceptions are shown as a failed stage with the stack traces of the executor and the driver.
  */
private[spark] object LanceErrors {

  private val InvalidRequest = "LANCE_INVALID_REQUEST"

  /** Runs `body`, and translates exceptions of the connector and of storage. */
  def translated[A](body: => A): A =
    try body
    catch {
      case e: LanceException => throw translate(e)
      case NonFatal(e) => throw StorageErrors.of(e).fold(e)(translate)
    }

  /** Runs `body` in a task, and translates its exceptions.
    *
    * @param path path of the table, for errors that do not name a file
    */
  def inTask[A](path: String)(body: => A): A =
    try body
    catch { case NonFatal(e) => throw ofTask(path, e) }

  /** Returns the translated exception of a task. */
  def ofTask(path: String, e: Throwable): Throwable = {
    val ours = e match {
      case known: LanceException => Some(known)
      case other => StorageErrors.of(other)
    }
    ours.fold(e)(known => translate(known.within(Place(path = Some(path)))))
  }

  /** Returns Spark's exception for an exception of the connector. */
  def translate(e: LanceException): AnalysisException = e match {
    case missing: NotFoundException if missing.what == "table" =>
      val path = missing.place.path.getOrElse("")
      SparkShim.analysisException("PATH_NOT_FOUND", Map("path" -> path), missing)
    case other =>
      val (condition, parameters) = known(other)
      SparkShim.analysisException(other.getMessage, condition, of(other.place) ++ parameters, other)
  }

  /** Returns the first error of a class among an error and its causes. */
  def find[E <: Throwable: ClassTag](e: Throwable): Option[E] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).collectFirst { case found: E => found }

  /** Returns the error condition, and its parameters in addition to the place. */
  private def known(e: LanceException): (String, Map[String, String]) = e match {
    case _: CorruptFileException => ("LANCE_CORRUPT_FILE", Map.empty)
    case u: UnsupportedFeatureException =>
      ("LANCE_UNSUPPORTED_FEATURE", Map("feature" -> u.feature))
    case n: NotFoundException => ("LANCE_NOT_FOUND", Map("what" -> n.what))
    case _: InvalidRequestException => (InvalidRequest, Map.empty)
    case c: CommitConflictException =>
      val version = java.lang.Long.toUnsignedString(c.conflictingVersion)
      val fields = Map("conflictingVersion" -> version, "retryable" -> c.retryable.toString)
      ("LANCE_COMMIT_CONFLICT", fields)
    case _: CommitStateUnknownException => ("LANCE_COMMIT_STATE_UNKNOWN", Map.empty)
    case _: StorageException => ("LANCE_STORAGE", Map.empty)
  }

  private def of(place: Place): Map[String, String] = Seq(
    "path" -> place.path,
    "version" -> place.version.map(v => java.lang.Long.toUnsignedString(v)),
    "column" -> place.column,
    "page" -> place.page.map(_.toString),
    "offsetBytes" -> place.offsetBytes.map(_.toString)
  ).collect { case (name, Some(value)) => name -> value }.toMap

  /** Returns the error for a path without a table. */
  def pathNotFound(path: String): AnalysisException =
    translate(new NotFoundException("table", Place(path = Some(path))))

  /** Returns the error for a request that Spark accepts but the connector does not support. */
  def rejected(message: String): AnalysisException =
    SparkShim.analysisException(message, InvalidRequest, Map.empty, null)
}
