// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.proto

/** Adds and removes segments of indices.
  *
  * Source: message `CreateIndex`, transaction.proto.
  *
  * @param newIndices whose files are written
  * @param removedIndices of the version it is based on
  */
final case class CreateIndex(
    newIndices: Seq[IndexSegment],
    removedIndices: Seq[IndexSegment] = Nil
) extends PlainOperation {
  def name: String = "CreateIndex"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setCreateIndex(
      proto.Transaction.CreateIndex
        .newBuilder()
        .addAllNewIndices(newIndices.map(_.message).asJava)
        .addAllRemovedIndices(removedIndices.map(_.message).asJava)
    ): Unit

  private[table] def build(m: ManifestBuilder): Unit = {
    m.previous
    m.indices = m.indices.without((newIndices ++ removedIndices).map(_.uuid).toSet).add(newIndices)
    newIndices.map(_.name).distinct.foreach { name =>
      val kinds = m.indices.segments.filter(_.name == name).map(_.hasRowAddresses).distinct
      if (kinds.length > 1)
        throw new InvalidRequestException(
          s"the index $name has segments of row ids and of row addresses; build all of them again in one commit"
        )
    }
  }
}

object CreateIndex {
  private[transaction] def parse(m: proto.Transaction.CreateIndex): CreateIndex = CreateIndex(
    m.getNewIndicesList.asScala.iterator.map(IndexSegment(_)).toIndexedSeq,
    m.getRemovedIndicesList.asScala.iterator.map(IndexSegment(_)).toIndexedSeq
  )
}
