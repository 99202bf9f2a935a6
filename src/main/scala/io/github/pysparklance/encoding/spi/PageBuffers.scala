// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.encoding.proto.v2_0.{Buffer => BufferMessage}

/** The buffers of a page of 2.0 that is being written: the nodes of its tree name them by their position. */
final class PageBuffers {
  private val buffers = IndexedSeq.newBuilder[Buffer]
  private var next = 0

  /** Adds the page's next buffer; answers how a node names it. */
  def add(buffer: Buffer): BufferMessage = {
    buffers += buffer
    next += 1
    BufferMessage.newBuilder().setBufferIndex(next - 1).build()
  }

  /** All of them, in order. */
  def result: IndexedSeq[Buffer] = buffers.result()
}
