// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.time.Instant

import com.google.cloud.hadoop.util.AccessTokenProvider
import com.google.cloud.hadoop.util.AccessTokenProvider.AccessToken
import org.apache.hadoop.conf.Configuration

/** Gives Hadoop's connector for Google Cloud Storage the access token that a catalog returned. The
  * connector creates this class by its name, so other storage does not need the connector.
  */
final class VendedTokenProvider extends AccessTokenProvider {
  import VendedTokenProvider._

  private var configuration: Configuration = _

  def getConf: Configuration = configuration

  def setConf(conf: Configuration): Unit = configuration = conf

  def getAccessToken: AccessToken = token(configuration.get(OwnClients.googleToken))

  /** Renewed tokens have clients of their own, see [[HadoopConf.vended]]. */
  def refresh(): Unit = ()
}

private object VendedTokenProvider {

  /** Lifetime of a token in the connector, which then reads it from the configuration again. */
  private val seconds = 3600L

  /** Creates a token. The second parameter was milliseconds up to release 2 of the connector. */
  private def token(value: String): AccessToken = {
    val expiry = Instant.now().plusSeconds(seconds)
    classOf[AccessToken].getConstructors
      .find(_.getParameterCount == 2)
      .map { create =>
        val isTime = create.getParameterTypes()(1) == classOf[Instant]
        val second: AnyRef = if (isTime) expiry else java.lang.Long.valueOf(expiry.toEpochMilli)
        create.newInstance(value, second).asInstanceOf[AccessToken]
      }
      .getOrElse(
        throw new UnsupportedOperationException("this release of the connector for gs paths")
      )
  }
}
