// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.FeatureFlags
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.Repairs

/** Makes an earlier version the latest one. Ids assigned since then are not reused.
  *
  * Source: message `Restore`, transaction.proto.
  */
final case class Restore(version: Long) extends PlainOperation {
  def name: String = "Restore"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setRestore(proto.Transaction.Restore.newBuilder().setVersion(version)): Unit

  override private[table] def needsSoundBase: Boolean = false

  private[table] def build(m: ManifestBuilder): Unit = {
    val current = m.previous
    val earlier = m.read(version)
    earlier.manifest.flags.checkWritable()
    Repairs.reject(earlier)
    if (
      current.flags.reads(FeatureFlags.stableRowIds) &&
      !earlier.manifest.flags.reads(FeatureFlags.stableRowIds)
    )
      throw new InvalidRequestException(
        s"version $version has no stable row ids; restoring it would turn them off"
      )
    m.startFrom(earlier)
    m.message.setNextRowId(
      if (java.lang.Long.compareUnsigned(current.message.getNextRowId, m.message.getNextRowId) > 0)
        current.message.getNextRowId
      else m.message.getNextRowId
    )
    m.maxFragmentId =
      (current.maxFragmentId ++ earlier.manifest.maxFragmentId).reduceOption(_ max _)
    val kept = current.flags.reader & FeatureFlags.sticky
    m.message.setReaderFeatureFlags(m.message.getReaderFeatureFlags | kept): Unit
  }
}
