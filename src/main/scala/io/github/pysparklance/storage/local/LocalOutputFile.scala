// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import java.io.{BufferedOutputStream, IOException, OutputStream}
import java.nio.file.{Files, Path}

import io.github.pysparklance.core.Log
import io.github.pysparklance.storage.spi.OutputFile

/** A new local file with buffered writes.
  *
  * @param stream the unbuffered output
  * @param sync runs after the stream is closed and makes the file durable
  */
final private[local] class LocalOutputFile(
    val path: String,
    file: Path,
    stream: OutputStream,
    sync: () => Unit
) extends OutputFile {
  import LocalOutputFile.log

  private val out = new BufferedOutputStream(stream, 1 << 16)
  private var written = 0L
  private var open = true

  def position: Long = written

  def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
    out.write(bytes, from, length)
    written += length
  }

  def close(): Unit = if (open) {
    try {
      out.close()
      sync()
      open = false
    } finally abort()
  }

  def abort(): Unit = if (open) {
    open = false
    try out.close()
    catch {
      case e: IOException => log.debug(s"$path: not closed after a failed or aborted write", e)
    }
    try Files.deleteIfExists(file): Unit
    catch { case e: IOException => log.warn(s"$path: not removed; the next clean-up retries", e) }
  }
}

private object LocalOutputFile {
  private val log = Log(classOf[LocalOutputFile])
}
