// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.encoding.proto.v2_0.{Buffer => BufferMessage}

/** Collects the buffers of a 2.0 page that is being written. Encodings refer to them by position.
  */
final class PageBuffers {
  private val buffers = IndexedSeq.newBuilder[Buffer]
  private var next = 0

  /** Adds a buffer and returns the message that refers to it. */
  def add(buffer: Buffer): BufferMessage = {
    buffers += buffer
    next += 1
    BufferMessage.newBuilder().setBufferIndex(next - 1).build()
  }

  /** All buffers, in order. */
  def result: IndexedSeq[Buffer] = buffers.result()
}
