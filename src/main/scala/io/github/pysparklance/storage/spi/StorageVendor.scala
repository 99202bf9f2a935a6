// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.time.Clock

import io.github.pysparklance.core.Parse

/** Storage options that a catalog returns for a table, usually with credentials that expire. The
  * text form never shows values.
  *
  * @param values options by their names in Lance, such as `aws_access_key_id`
  */
final class VendedOptions(val values: Map[String, String]) extends Serializable {

  /** When the credentials expire, in milliseconds since 1970 UTC. `None` if they do not. */
  def expiresAtMillis: Option[Long] = values.get(VendedOptions.Expiry).flatMap(Parse.long)

  /** Whether another object has the same options, apart from the expiry. */
  def isLike(other: VendedOptions): Boolean =
    values - VendedOptions.Expiry == other.values - VendedOptions.Expiry

  override def toString: String = s"${values.size} storage options"
}

object VendedOptions {

  /** The option with the expiry of the others. Source: `DescribeTableResponse` of the namespace
    * specification.
    */
  val Expiry: String = "expires_at_millis"

  val none: VendedOptions = new VendedOptions(Map.empty)
}

/** Gives access to the storage of one table on behalf of a catalog. Serializable, because tasks
  * renew credentials, too. Implementations define equality.
  */
trait StorageVendor extends Serializable {

  /** Requests new storage options.
    *
    * @throws java.io.IOException if the catalog does not return any
    */
  def vend(): VendedOptions

  /** The manifest store in which the catalog records the versions of the table, or `None` if the
    * storage does.
    *
    * @param root root of the table or branch
    */
  def manifestIndex(root: String): Option[ManifestIndex]

  /** The clock that decides when options have expired. */
  def clock: Clock
}
