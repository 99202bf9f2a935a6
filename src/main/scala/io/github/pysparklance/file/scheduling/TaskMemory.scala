// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Reserves memory of the task that reads rows. Called on the thread that reads them. */
trait TaskMemory {

  /** Reserves up to `bytes`, and returns the number of bytes reserved. May wait for other tasks. */
  def acquire(bytes: Long): Long

  /** Releases reserved bytes. */
  def release(bytes: Long): Unit
}

object TaskMemory {

  /** Grants all requests; for reads outside of a task. */
  val unlimited: TaskMemory = new TaskMemory {
    def acquire(bytes: Long): Long = bytes
    def release(bytes: Long): Unit = ()
  }
}
