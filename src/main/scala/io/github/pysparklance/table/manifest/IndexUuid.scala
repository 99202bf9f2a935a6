// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.nio.ByteBuffer
import java.util.UUID

import com.google.protobuf.ByteString

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.table.proto

/** The id of an index, which is the name of its folder below `_indices`.
  *
  * Source: message `UUID`, table.proto: 16 bytes in the order in which they are shown.
  */
private[table] object IndexUuid {

  /** The id as text with hyphens.
    *
    * @throws CorruptFileException when it does not have 16 bytes
    */
  def text(m: proto.UUID): String = {
    CorruptFileException.check(
      m.getUuid.size == 16,
      s"corrupt manifest: the id of an index has ${m.getUuid.size} bytes"
    )
    val b = m.getUuid.asReadOnlyByteBuffer()
    new UUID(b.getLong, b.getLong).toString
  }

  /** The message of an id. */
  def message(id: UUID): proto.UUID = {
    val b = ByteBuffer.allocate(16).putLong(id.getMostSignificantBits)
    b.putLong(id.getLeastSignificantBits)
    proto.UUID.newBuilder().setUuid(ByteString.copyFrom(b.array)).build()
  }
}
