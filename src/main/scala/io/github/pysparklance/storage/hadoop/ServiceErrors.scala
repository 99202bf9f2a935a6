// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.FileNotFoundException
import java.nio.file.AccessDeniedException

import scala.util.Try

import io.github.pysparklance.storage.spi.UnconfirmedWriteException

/** Reads the responses of object stores from exceptions of their clients. Matches exception classes
  * by name, because the clients need not be on the class path. Never matches messages, because they
  * contain paths and request ids.
  */
private[storage] object ServiceErrors {
  private val awsService = "software.amazon.awssdk.core.exception.SdkServiceException"
  private val awsApiService = "software.amazon.awssdk.awscore.exception.AwsServiceException"

  /** Exception classes with a status code, and the method that returns it. */
  private val statusMethods = Map(
    awsService -> "statusCode",
    "org.apache.hadoop.fs.s3a.AWSServiceIOException" -> "statusCode",
    "com.google.api.client.http.HttpResponseException" -> "getStatusCode",
    "org.apache.hadoop.fs.azurebfs.contracts.exceptions.AbfsRestOperationException" -> "getStatusCode"
  )

  /** S3A throws this for status 412, which only a conditional put gets. */
  private val changedFile = "org.apache.hadoop.fs.s3a.RemoteFileChangedException"

  private val badRequest = 400
  private val unauthorized = 401
  private val forbidden = 403
  private val preconditionFailed = 412
  private val conflict = 409

  /** Request timeout and too many requests, which clients retry. */
  private val retriedStatuses = Set(408, 429)

  /** S3 error codes with status 409 for concurrent puts. Other codes with this status mean other
    * errors.
    */
  private val conflictCodes = Set("ConditionalRequestConflict", "OperationAborted")

  /** Whether a conditional put failed because the object exists or a concurrent put is running. */
  def isLostRace(e: Throwable): Boolean = causes(e).exists { t =>
    status(t) match {
      case Some(`preconditionFailed`) => true
      case Some(`conflict`) => errorCode(t).exists(conflictCodes)
      case _ => isA(t, changedFile)
    }
  }

  /** Whether the server rejected a put, so that it certainly had no effect.
    *
    * Clients retry puts, and an exception describes the last attempt only. A connection error, an
    * unknown host, or status 503 does not rule out that an earlier attempt succeeded, so none of
    * them is a rejection.
    */
  def isRejection(e: Throwable): Boolean = {
    val statuses = causes(e).flatMap(status(_)).toIndexedSeq
    if (statuses.isEmpty) causes(e).exists {
      case _: AccessDeniedException | _: FileNotFoundException => true
      case _ => false
    }
    else statuses.forall(s => s >= 400 && s < 500 && !retriedStatuses(s))
  }

  /** S3 error codes with status 400 for invalid credentials. */
  private val tokenCodes = Set("ExpiredToken", "InvalidToken", "TokenRefreshRequired")

  /** Whether the server denied a request because of its credentials. S3 reports an expired token as
    * a bad request. Its responses to `HEAD` have no error code, so any of them may be meant.
    */
  def isDenied(e: Throwable): Boolean = !e.isInstanceOf[UnconfirmedWriteException] && {
    causes(e).flatMap(status(_)).take(1).toSeq.headOption match {
      case Some(`unauthorized` | `forbidden`) => true
      case Some(`badRequest`) => causes(e).flatMap(errorCode(_)).take(1).forall(tokenCodes)
      case Some(_) => false
      case None => causes(e).exists(_.isInstanceOf[AccessDeniedException])
    }
  }

  private def causes(e: Throwable): Iterator[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(16)

  /** The status code of one exception, without its causes. */
  private def status(t: Throwable): Option[Int] =
    statusMethods.collectFirst { case (name, method) if isA(t, name) => method }
      .flatMap(m => call(t, m))
      .collect { case code: Integer => code.intValue }

  private def errorCode(t: Throwable): Option[String] =
    if (isA(t, awsApiService))
      call(t, "awsErrorDetails").flatMap(call(_, "errorCode")).collect { case s: String => s }
    else None

  /** Whether an exception has a class of this name. Some releases of the clients contain the class
    * in a package with a longer name.
    */
  private def isA(t: Throwable, className: String): Boolean =
    Iterator
      .iterate[Class[_]](t.getClass)(_.getSuperclass)
      .takeWhile(_ != null)
      .map(_.getName)
      .exists(name => name == className || name.endsWith(s".$className"))

  /** Calls a public method without parameters. Returns `None` if the method does not exist or
    * returns null.
    */
  private def call(target: Any, method: String): Option[Any] =
    Try(target.getClass.getMethod(method).invoke(target)).toOption.flatMap(Option(_))
}
