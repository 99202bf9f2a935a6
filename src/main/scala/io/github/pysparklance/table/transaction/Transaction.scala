// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.UUID

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.{FieldMessages, FileVersion}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.proto

/** What a commit does to the table.
  *
  * Source: the operations of message `Transaction`, transaction.proto.
  */
sealed trait Operation

object Operation {

  /** Adds fragments.
    *
    * @param fragments without ids
    */
  final case class Append(fragments: IndexedSeq[Fragment]) extends Operation

  /** Replaces the whole content, or creates the table.
    *
    * @param fragments without ids and without deletion files
    * @param schema with the field ids that the files use
    * @param fileVersion version of the files and of those to come
    * @param configUpserts merged into the settings of the table
    */
  final case class Overwrite(
      fragments: IndexedSeq[Fragment],
      schema: Schema,
      fileVersion: FileVersion,
      configUpserts: Map[String, String] = Map.empty
  ) extends Operation
}

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

  private[table] def toMessage: proto.Transaction = {
    val b = proto.Transaction
      .newBuilder()
      .setReadVersion(readVersion)
      .setUuid(uuid.toString)
      .putAllTransactionProperties(properties.asJava)
    operation match {
      case Operation.Append(fragments) =>
        val append = proto.Transaction.Append.newBuilder()
        fragments.foreach(f => append.addFragments(f.message))
        b.setAppend(append)
      case Operation.Overwrite(fragments, schema, _, config) =>
        val overwrite = proto.Transaction.Overwrite
          .newBuilder()
          .addAllSchema(FieldMessages.toMessages(schema).asJava)
          .putAllConfigUpsertValues(config.asJava)
        fragments.foreach(f => overwrite.addFragments(f.message))
        schema.metadata.foreach { case (k, v) =>
          overwrite.putSchemaMetadata(k, ByteString.copyFromUtf8(v))
        }
        b.setOverwrite(overwrite)
    }
    b.build()
  }
}
