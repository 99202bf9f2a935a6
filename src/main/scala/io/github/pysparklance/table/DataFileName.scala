// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.nio.ByteBuffer
import java.util.UUID

/** Names of new data files: 24 binary digits and 26 hex digits of a random UUID. The binary digits
  * spread the names over the partitions of an object store.
  *
  * Source: format page of the table, "Directory layout".
  */
private object DataFileName {

  /** Returns a unique name. */
  def random(): String = of(UUID.randomUUID())

  def of(uuid: UUID): String = {
    val bytes = ByteBuffer
      .allocate(16)
      .putLong(uuid.getMostSignificantBits)
      .putLong(uuid.getLeastSignificantBits)
      .array
    val name = new StringBuilder
    bytes.take(3).foreach { b =>
      name ++= Integer.toBinaryString((b & 0xff) | 0x100).substring(1)
    }
    bytes.drop(3).foreach(b => name ++= "%02x".format(b & 0xff))
    (name ++= ".lance").result()
  }
}
