// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.UUID

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString

import io.github.pysparklance.file.FieldMessages
import io.github.pysparklance.table.proto

/** A change of a table, as it is kept with the version it made.
  *
  * Source: message `Transaction`, transaction.proto.
  *
  * @param readVersion the version the change is based on, 0 when it creates the table
  * @param properties the user's notes on the commit
  */
final case class Transaction(
    readVersion: Long,
    operation: Operation,
    uuid: UUID = UUID.randomUUID(),
    properties: Map[String, String] = Map.empty
) {

  /** The name of the transaction's file below `_transactions`. */
  def fileName: String = s"$readVersion-$uuid.txn"

  /** @param deleted what deleting its rows makes of the fragments of the newest version */
  private[table] def toMessage(deleted: DeletedRows = DeletedRows.none): proto.Transaction = {
    val b = proto.Transaction
      .newBuilder()
      .setReadVersion(readVersion)
      .setUuid(uuid.toString)
      .putAllTransactionProperties(properties.asJava)
    operation match {
      case Operation.Append(fragments) =>
        b.setAppend(proto.Transaction.Append.newBuilder().addAllFragments(messages(fragments)))
      case o: Operation.Overwrite => b.setOverwrite(overwrite(o))
      case Operation.Delete(_, predicate) =>
        b.setDelete(
          proto.Transaction.Delete
            .newBuilder()
            .addAllUpdatedFragments(deleted.updated.asJava)
            .addAllDeletedFragmentIds(deleted.removedIds.map(Long.box).asJava)
            .setPredicate(predicate)
        )
      case Operation.Update(_, added, changedFields) =>
        b.setUpdate(
          proto.Transaction.Update
            .newBuilder()
            .addAllUpdatedFragments(deleted.updated.asJava)
            .addAllRemovedFragmentIds(deleted.removedIds.map(Long.box).asJava)
            .addAllNewFragments(messages(added))
            .addAllFieldsForPreservingFragBitmap(changedFields.toSeq.sorted.map(Int.box).asJava)
            .setUpdateMode(proto.Transaction.Update.UpdateMode.REWRITE_ROWS)
        )
    }
    b.build()
  }

  private def overwrite(o: Operation.Overwrite): proto.Transaction.Overwrite.Builder = {
    val b = proto.Transaction.Overwrite
      .newBuilder()
      .addAllSchema(FieldMessages.toMessages(o.schema).asJava)
      .putAllConfigUpsertValues(o.configUpserts.asJava)
      .addAllFragments(messages(o.fragments))
    o.schema.metadata.foreach { case (k, v) =>
      b.putSchemaMetadata(k, ByteString.copyFromUtf8(v))
    }
    b
  }

  private def messages(fragments: Seq[io.github.pysparklance.table.manifest.Fragment]) =
    fragments.map(_.message).asJava
}
