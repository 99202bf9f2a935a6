// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.core.{InvalidRequestException, Place}

/** An S3 path of a table whose commits are decided by a DynamoDB table.
  *
  * {{{
  *   s3+ddb://bucket/tables/people?ddbTableName=commits
  *   s3a://bucket/tables/people       the files
  *   tables/people                    the partition key of the rows in commits
  * }}}
  *
  * @param key path without bucket and without leading and trailing slashes
  * @param tableName name of the DynamoDB table
  */
final case class DynamoDbUri(bucket: String, key: String, tableName: String) {

  /** The path for S3 clients. */
  def filesPath: String = s"s3a://$bucket/$key"
}

object DynamoDbUri {

  /** Scheme of these URIs. */
  val scheme: String = "s3+ddb"

  private val form = "(?i:s3\\+ddb)://([^/?]+)/+([^/?][^?]*)\\?ddbTableName=([^&=?/]+)".r

  /** Whether a path has this scheme. */
  def is(path: String): Boolean = TablePath.scheme(path).contains(scheme)

  /** Parses a path.
    *
    * @throws InvalidRequestException if it does not have the form of these URIs
    */
  def apply(path: String): DynamoDbUri = path match {
    case form(bucket, key, tableName) =>
      DynamoDbUri(bucket, key.split('/').filter(_.nonEmpty).mkString("/"), tableName)
    case _ =>
      throw new InvalidRequestException(
        s"a path of the scheme $scheme has the form $scheme://bucket/path?ddbTableName=table",
        Place(path = Some(path))
      )
  }

  /** Splits off the query of a [[DynamoDbUri]] with its `?`. Returns other paths with an empty
    * query.
    */
  private[pysparklance] def split(path: String): (String, String) =
    if (is(path)) path.span(_ != '?') else (path, "")
}
