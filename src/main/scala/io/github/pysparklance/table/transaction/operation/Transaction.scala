// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.util.UUID

import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.proto

/** A change of a table, as stored with the version it created.
  *
  * Source: message `Transaction`, transaction.proto.
  *
  * @param readVersion the version the change is based on; 0 when it creates the table
  * @param properties commit properties
  * @param tag stored in the manifest; not a tag of the table
  */
final case class Transaction(
    readVersion: Long,
    operation: PlainOperation,
    uuid: UUID = UUID.randomUUID(),
    properties: Map[String, String] = Map.empty,
    tag: String = ""
) {

  /** Name of the transaction file below `_transactions`. */
  def fileName: String = s"${java.lang.Long.toUnsignedString(readVersion)}-$uuid.txn"

  private[table] def toMessage: proto.Transaction = {
    val b = proto.Transaction
      .newBuilder()
      .setReadVersion(readVersion)
      .setUuid(uuid.toString)
      .setTag(tag)
      .putAllTransactionProperties(properties.asJava)
    operation.write(b)
    b.build()
  }
}
