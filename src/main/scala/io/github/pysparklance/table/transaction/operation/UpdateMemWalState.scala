// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.util.UUID

import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.proto

/** A write-ahead log table that was merged into the main table.
  *
  * Source: message `CompactedSsTable`, transaction.proto.
  *
  * @param generation generation of the shard, unsigned
  */
final case class CompactedSsTable(shardId: UUID, generation: Long) {
  private[transaction] def toMessage: proto.CompactedSsTable = proto.CompactedSsTable
    .newBuilder()
    .setShardId(IndexSegment.toMessage(shardId))
    .setGeneration(generation)
    .build()
}

object CompactedSsTable {
  private[transaction] def parse(m: proto.CompactedSsTable): CompactedSsTable =
    CompactedSsTable(IndexSegment.uuid(m.getShardId), m.getGeneration)
}

/** Records merged tables in the state of the write-ahead log.
  *
  * Source: message `UpdateMemWalState`, transaction.proto.
  */
final case class UpdateMemWalState(compactedSsTables: Seq[CompactedSsTable])
    extends PlainOperation {
  def name: String = "UpdateMemWalState"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setUpdateMemWalState(
      proto.Transaction.UpdateMemWalState
        .newBuilder()
        .addAllCompactedSstables(compactedSsTables.map(_.toMessage).asJava)
    ): Unit

  private[table] def build(m: ManifestBuilder): Unit = m.compacted(compactedSsTables)
}

object UpdateMemWalState {
  private[transaction] def parse(m: proto.Transaction.UpdateMemWalState): UpdateMemWalState =
    UpdateMemWalState(
      m.getCompactedSstablesList.asScala.iterator.map(CompactedSsTable.parse).toIndexedSeq
    )
}
