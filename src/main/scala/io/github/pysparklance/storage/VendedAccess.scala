// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.io.IOException
import java.util.concurrent.locks.ReentrantLock

import io.github.pysparklance.core.{LanceException, Log}
import io.github.pysparklance.storage.hadoop.{HadoopConf, VendedProperties}
import io.github.pysparklance.storage.spi.{FileStore, StorageVendor, VendedOptions}

/** The storage options that a catalog returns for a table, and a store that uses them. Renews the
  * options before they expire, on the driver and in tasks:
  *
  * {{{
  *   received                                    renewed            expire
  *   |-------------------------------------------|------------------|
  *                                                a quarter of the time, at most 5 minutes
  * }}}
  * If the catalog does not return new options in time, the current ones are used until they expire.
  * Options are also renewed if the storage denies access, because credentials can be revoked before
  * they expire, and the clock of this machine can be behind.
  *
  * @param base configuration of the session
  * @param path path of the table
  */
final private[storage] class VendedAccess(
    base: HadoopConf,
    path: String,
    vendor: StorageVendor,
    first: VendedOptions
) extends Serializable {
  import VendedAccess._

  @volatile private var held = received(first, vendor.clock.millis())
  @transient @volatile private var open: Opened = _
  @transient private var denialsFrom: Long = _ // earlier denials do not renew the options
  @transient private lazy val renewing = new ReentrantLock

  /** Whether the options must be renewed before the next use. */
  def isStale: Boolean = vendor.clock.millis() >= held.renewAtMillis

  /** Replaces the current options with options of a later response of the catalog, if the current
    * ones are stale, or never expire and changed.
    */
  def offer(options: VendedOptions): Unit = exclusively {
    val isOther = held.options.expiresAtMillis.isEmpty && !held.options.isLike(options)
    if (isStale || isOther) held = received(options, vendor.clock.millis())
  }

  /** Returns the store with the current options. */
  def current(): Opened = {
    val known = open
    val isCurrent = known != null && (known.options eq held.options)
    if (isCurrent && !isStale) known
    else if (isCurrent && !hasExpired(known.options)) {
      // One thread renews the options. The others use the current ones meanwhile.
      if (renewing.tryLock())
        try renewed()
        finally renewing.unlock()
      else known
    } else exclusively(renewed())
  }

  /** Returns a store with other options after the storage denied access, or `None` if the catalog
    * returns none. Requests options once a second at most, because the credentials may be valid and
    * lack a permission.
    *
    * @param denied the store whose access was denied
    * @param denial gets exceptions of the catalog as suppressed ones
    */
  def afterDenial(denied: Opened, denial: Exception): Option[Opened] = exclusively {
    val now = vendor.clock.millis()
    if (!(open eq denied) || !(held.options eq denied.options)) Some(renewed())
    else if (now < denialsFrom) None
    else {
      denialsFrom = now + retryMillis
      try {
        val next = vendor.vend()
        if (next.isLike(held.options)) None
        else {
          log.info(s"$path: the storage denied access; the catalog returned other credentials")
          held = received(next, now)
          Some(renewed())
        }
      } catch {
        case e @ (_: IOException | _: LanceException) =>
          denial.addSuppressed(e)
          None
      }
    }
  }

  private def exclusively[A](change: => A): A = {
    renewing.lock()
    try change
    finally renewing.unlock()
  }

  private def renewed(): Opened = {
    if (isStale) held = next()
    if (open == null || !(open.options eq held.options)) open = opened(held.options)
    open
  }

  private def next(): Held =
    try received(vendor.vend(), vendor.clock.millis())
    catch {
      case e @ (_: IOException | _: LanceException) if !hasExpired(held.options) =>
        log.warn(s"$path: the catalog did not renew the credentials; the current ones are used", e)
        held.copy(renewAtMillis = vendor.clock.millis() + retryMillis)
    }

  private def hasExpired(options: VendedOptions): Boolean =
    options.expiresAtMillis.exists(_ <= vendor.clock.millis())

  private def opened(options: VendedOptions): Opened =
    new Opened(options, Storage(base.vended(VendedProperties(path, options.values))))
}

private[storage] object VendedAccess {
  private val log = Log(classOf[VendedAccess])

  private val maxMarginMillis = 5 * 60 * 1000L
  private val marginOfLifetime = 4

  /** Pause before another renewal if one failed, or if options have expired when they arrive. */
  private val retryMillis = 1000L

  /** The store of one set of options. Its clients are closed when it is no longer reachable. */
  final class Opened(val options: VendedOptions, val store: FileStore)

  /** Storage options and the time to renew them. */
  final private case class Held(options: VendedOptions, renewAtMillis: Long)

  /** @param at when the options arrived */
  private def received(options: VendedOptions, at: Long): Held = Held(
    options,
    options.expiresAtMillis.fold(Long.MaxValue) { expiry =>
      // Options that have expired on arrival may come from a clock that is behind.
      if (expiry <= at) at + retryMillis
      else expiry - math.min(maxMarginMillis, (expiry - at) / marginOfLifetime)
    }
  )
}
