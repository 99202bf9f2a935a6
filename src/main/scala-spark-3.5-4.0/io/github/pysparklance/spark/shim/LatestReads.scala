// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** Whether plans of this thread load the latest versions of their tables. Since 4.1, Spark does so
  * itself.
  */
private[spark] object LatestReads {
  private val suspended = new ThreadLocal[Boolean]

  def isSuspended: Boolean = suspended.get

  /** Runs `body`, during which plans keep the versions that they have. */
  def suspend[A](body: => A): A =
    if (isSuspended) body
    else {
      suspended.set(true)
      try body
      finally suspended.remove()
    }
}
