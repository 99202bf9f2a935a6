// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** A lock that makes commits safe on storage without an atomic create. Every writer of a table must use it. The class
  * that an application names needs a constructor without parameters; one that is `org.apache.hadoop.conf.Configurable`
  * gets the configuration. Used from many threads.
  */
trait CommitLock {

  /** Waits until nobody else holds the lock of a table, and takes it. A lock whose owner died should end after some
    * time, not less than 30 seconds.
    *
    * @param table the folder of the table or branch
    * @param version the one about to be committed
    * @throws java.io.IOException when the lock cannot be had; the commit fails then
    */
  def acquire(table: String, version: Long): CommitLease
}

/** A lock that is held. */
trait CommitLease {

  /** Gives the lock back.
    *
    * @param committed whether the version is there now
    */
  def release(committed: Boolean): Unit
}
