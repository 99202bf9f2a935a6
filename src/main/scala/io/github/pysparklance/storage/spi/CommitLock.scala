// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** A lock that makes commits safe on storage without an atomic create. All writers of a table must
  * use the same lock.
  *
  * `lance.commit.lock` names the class. It needs a constructor without parameters, and gets the
  * configuration if it is `org.apache.hadoop.conf.Configurable`. Must be thread-safe.
  */
trait CommitLock {

  /** Waits for the lock of a table and acquires it. The lock of a dead owner should expire, but not
    * before 30 seconds.
    *
    * @param table folder of the table or branch
    * @param version the version to be committed
    * @throws java.io.IOException if the lock cannot be acquired; the commit fails
    */
  def acquire(table: String, version: Long): CommitLease
}

/** A held [[CommitLock]]. */
trait CommitLease {

  /** Releases the lock.
    *
    * @param committed whether the version was committed
    */
  def release(committed: Boolean): Unit
}
