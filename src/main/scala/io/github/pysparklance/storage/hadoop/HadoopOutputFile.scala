// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.IOException

import org.apache.hadoop.fs.{FSDataOutputStream, FileSystem, Path}

import io.github.pysparklance.core.{Interrupts, Log}
import io.github.pysparklance.storage.spi.OutputFile

/** A new file on a Hadoop file system. */
final private[hadoop] class HadoopOutputFile(
    val path: String,
    fs: FileSystem,
    file: Path,
    out: FSDataOutputStream
) extends OutputFile {
  private var written = 0L
  private var open = true

  def position: Long = written

  def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
    out.write(bytes, from, length)
    written += length
  }

  def close(): Unit = if (open) {
    try {
      HadoopFileStore.finish(fs, out)
      open = false
    } finally abort()
  }

  def abort(): Unit = if (open) Interrupts.defer {
    open = false
    // Closing would publish an object, so the upload is aborted if the client supports that.
    try out.abort(): Unit
    catch { case e @ (_: UnsupportedOperationException | _: IOException) => notAborted(e) }
    try out.close()
    catch { case e: IOException => notAborted(e) }
    try fs.delete(file, false): Unit
    catch {
      case e: IOException =>
        HadoopOutputFile.log.warn(s"$path: not removed; the next clean-up retries", e)
    }
  }

  private def notAborted(e: Throwable): Unit =
    HadoopOutputFile.log.debug(s"$path: not closed after a failed or aborted write", e)
}

private object HadoopOutputFile {
  private val log = Log(classOf[HadoopOutputFile])
}
