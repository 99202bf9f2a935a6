// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.core.{InvalidRequestException, Place}

/** A path on S3 below a table whose commits a table of DynamoDB decides.
  *
  * {{{
  *   s3+ddb://bucket/tables/people?ddbTableName=commits
  *   s3a://bucket/tables/people       the files
  *   tables/people                    the key of the rows in commits
  * }}}
  *
  * @param key the path without bucket, no slash at either end
  * @param tableName table of DynamoDB
  */
final case class DynamoDbUri(bucket: String, key: String, tableName: String) {

  /** The same path for a client of S3. */
  def filesPath: String = s"s3a://$bucket/$key"
}

object DynamoDbUri {

  /** The scheme of these URIs. */
  val scheme: String = "s3+ddb"

  private val form = "(?i:s3\\+ddb)://([^/?]+)/+([^/?][^?]*)\\?ddbTableName=([^&=?/]+)".r

  /** Whether a path is meant to be one. */
  def is(path: String): Boolean = TablePath.scheme(path).contains(scheme)

  /** Reads such a path.
    *
    * @throws InvalidRequestException when it has another form
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

  /** Cuts off what stands behind the path of such a URI, `?` included; of other paths nothing. */
  private[pysparklance] def split(path: String): (String, String) =
    if (is(path)) path.span(_ != '?') else (path, "")
}
