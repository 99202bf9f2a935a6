// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.storage.spi.OutputFile

/** Ensures that a new file is either complete or deleted.
  *
  * @param output a new file; owned by the guard
  * @param others resources that are closed together with the file
  */
final private[file] class OutputGuard(output: OutputFile, others: AutoCloseable*) {
  private val place = Place(path = Some(output.path))
  private var open = true

  /** Runs a step of writing. If it fails, the file is deleted and further steps are rejected.
    *
    * @throws InvalidRequestException if the file was closed or deleted
    */
  def step[A](body: => A): A = {
    if (!open) throw new InvalidRequestException("the writer is closed", place)
    var done = false
    try {
      val result = Place.in(place)(body)
      done = true
      result
    } finally if (!done) abort()
  }

  /** Completes the file. */
  def close(): Unit = {
    output.close()
    open = false
    others.foreach(_.close())
  }

  /** Deletes the file, unless it is closed. */
  def abort(): Unit = if (open) {
    open = false
    others.foreach(_.close())
    output.abort()
  }
}
