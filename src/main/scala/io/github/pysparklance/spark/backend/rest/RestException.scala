// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.IOException

import io.github.pysparklance.core.{
  InvalidRequestException,
  LanceException,
  NotFoundException,
  Place,
  StorageException,
  UnsupportedFeatureException
}

/** A service returned an error, or no valid response. The message has no secrets.
  *
  * @param code error code of the protocol, if the response has one
  * @param status HTTP status; 0 if there is no response
  */
final private[backend] class RestException(
    message: String,
    val code: Option[Int] = None,
    val status: Int = 0,
    cause: Throwable = null
) extends IOException(message, cause) {
  import RestException._

  /** Whether the response has one of these error codes. */
  def has(codes: Int*): Boolean = code.exists(codes.contains)

  /** Whether the object does not exist. Services of earlier releases have other codes. */
  def isAbsent: Boolean =
    has(NamespaceNotFound, TableNotFound, VersionNotFound, BranchNotFound) ||
      code.isDefined && status == 404

  /** Whether an object with this name or number exists. */
  def isTaken: Boolean =
    has(NamespaceAlreadyExists, TableAlreadyExists, Conflict) ||
      status == 409 && !has(NamespaceNotEmpty, InvalidState)

  /** Whether the service does not have the operation. */
  def isUnsupported: Boolean =
    has(Unsupported) || code.isEmpty && (status == 405 || status == 406 || status == 501)

  /** Returns the connector's exception. */
  def translated: LanceException =
    if (
      has(InvalidInput, NamespaceAlreadyExists, NamespaceNotEmpty, TableAlreadyExists, InvalidState)
    )
      new InvalidRequestException(message, cause = this)
    else if (has(Conflict))
      new InvalidRequestException(
        s"$message; another writer changed it, run it again",
        cause = this
      )
    else if (isUnsupported) new UnsupportedFeatureException(message, Place.unknown, this)
    else if (isAbsent)
      new NotFoundException(message, Place.unknown, this)
    else if (has(PermissionDenied, Unauthenticated) || status == 401 || status == 403)
      new InvalidRequestException(
        s"$message; check token and headers of the catalog, and the rights of this user",
        cause = this
      )
    else new StorageException(message, Place.unknown, this)
}

/** Error codes of the protocol. Source: namespace specification, "Error handling". */
private[backend] object RestException {
  val Unsupported: Int = 0
  val NamespaceNotFound: Int = 1
  val NamespaceAlreadyExists: Int = 2
  val NamespaceNotEmpty: Int = 3
  val TableNotFound: Int = 4
  val TableAlreadyExists: Int = 5
  val VersionNotFound: Int = 11
  val InvalidInput: Int = 13
  val Conflict: Int = 14
  val PermissionDenied: Int = 15
  val Unauthenticated: Int = 16
  val ServiceUnavailable: Int = 17
  val Internal: Int = 18
  val InvalidState: Int = 19
  val Throttling: Int = 21
  val BranchNotFound: Int = 22
}
