// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.security.PrivilegedAction

import scala.util.Try

import org.apache.hadoop.security.UserGroupInformation

import io.github.pysparklance.storage.requests.{Background, Pending}

/** Does work in the name of a user, whoever had the threads made. */
final private[hadoop] class AsUser(inner: Background, user: UserGroupInformation)
    extends Background {

  def start[A](work: () => A): Pending[A] = {
    // doAs would wrap what the work raises.
    val attempt: PrivilegedAction[Try[A]] = () => Try(work())
    inner.start(() => user.doAs(attempt).get)
  }
}
