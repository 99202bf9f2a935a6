// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.storage.spi.OutputFile

/** Sees to it that a file being written is whole in the end or gone.
  *
  * @param output a new file; belongs to the guard
  * @param others what ends with the file, whichever way
  */
final private[file] class OutputGuard(output: OutputFile, others: AutoCloseable*) {
  private val place = Place(path = Some(output.path))
  private var open = true

  /** Runs a step of the writing; when it fails, the file is removed and no further step is possible.
    *
    * @throws InvalidRequestException after the end
    */
  def step[A](body: => A): A = {
    if (!open) throw new InvalidRequestException("the writer has ended", place)
    var done = false
    try {
      val answer = Place.in(place)(body)
      done = true
      answer
    } finally if (!done) abort()
  }

  /** Closes the file for good. */
  def close(): Unit = {
    output.close()
    open = false
    others.foreach(_.close())
  }

  /** Removes the file, unless it is closed. */
  def abort(): Unit = if (open) {
    open = false
    others.foreach(_.close())
    output.abort()
  }
}
