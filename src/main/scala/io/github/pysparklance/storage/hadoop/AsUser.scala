// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.security.PrivilegedAction

import scala.util.Try

import org.apache.hadoop.security.UserGroupInformation

import io.github.pysparklance.storage.requests.{Background, Pending}

/** Runs background work as a given user, because pool threads may belong to another one. */
final private[hadoop] class AsUser(inner: Background, user: UserGroupInformation)
    extends Background {

  def start[A](work: () => A): Pending[A] = {
    // doAs would wrap exceptions of the work.
    val attempt: PrivilegedAction[Try[A]] = () => Try(work())
    inner.start(() => user.doAs(attempt).get)
  }
}
