// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend.rest

import java.io.IOException
import java.net.http.HttpClient
import java.time.Duration
import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.core.{LanceException, Log}

/** The HTTP clients of this process, one for each set of certificates. Replaces a client when the
  * files of its certificates change, and after a pause, because load balancers drop idle
  * connections silently. Clients never follow redirects, see [[RestClient]].
  */
private[backend] object HttpClients {
  private val log = Log(getClass)

  private val connectTimeout = Duration.ofSeconds(10)

  /** How long a change of the files may go unnoticed. */
  private val recheckNanos = Duration.ofMinutes(5).toNanos

  /** How long connections may be idle. */
  private val idleNanos = Duration.ofSeconds(30).toNanos

  final private case class Known(client: HttpClient, hash: Int, checkedAt: Long, usedAt: Long)

  private val clients = new ConcurrentHashMap[TlsFiles, Known]

  /** Returns the client for certificates. */
  def apply(tls: TlsFiles): HttpClient =
    clients.compute(
      tls,
      (_, known) => if (known == null) opened(tls) else checked(tls, known)
    ).client

  private def checked(tls: TlsFiles, known: Known): Known = {
    val now = System.nanoTime()
    val isIdle = now - known.usedAt > idleNanos
    val isChecked = tls.isEmpty || now - known.checkedAt < recheckNanos
    if (!isIdle && isChecked) known.copy(usedAt = now)
    else if (!isIdle && tls.contentHash == known.hash) known.copy(checkedAt = now, usedAt = now)
    else
      try opened(tls)
      catch {
        // A certificate may be replaced before its key.
        case e @ (_: IOException | _: LanceException) if !tls.isEmpty =>
          log.warn("the certificates of tls options cannot be used; the previous ones are", e)
          known.copy(usedAt = now)
      }
  }

  private def opened(tls: TlsFiles): Known = {
    // Read first: if files are replaced meanwhile, the next check finds another hash.
    val hash = if (tls.isEmpty) 0 else tls.contentHash
    val builder = HttpClient
      .newBuilder()
      .connectTimeout(connectTimeout)
      .followRedirects(HttpClient.Redirect.NEVER)
      .version(HttpClient.Version.HTTP_1_1)
    if (!tls.isEmpty) builder.sslContext(tls.context()): Unit
    val now = System.nanoTime()
    Known(builder.build(), hash, now, now)
  }
}
