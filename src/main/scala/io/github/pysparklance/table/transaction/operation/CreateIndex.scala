// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{CommitConflictException, InvalidRequestException}
import io.github.pysparklance.table.manifest.{IndexSegment, ManifestFile}
import io.github.pysparklance.table.proto

/** Adds and removes index segments.
  *
  * Source: message `CreateIndex`, transaction.proto.
  *
  * @param newIndices segments whose files are already written
  * @param removedIndices segments of the base version
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

  /** Removes concurrently updated fragments from the coverage of the new indices, and follows
    * removed segments that compactions rewrite under new ids. The entry of a system index replaces
    * the previous one.
    */
  override private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase =
    new IndexRebase(this, base)

  private[table] def build(m: ManifestBuilder): Unit = {
    val fields = m.previous.schema.flatten.map(_.id).toSet
    newIndices.find(i => !i.isSystem && !i.fields.forall(fields)).foreach { i =>
      throw new CommitConflictException(
        s"not committed: version ${m.previous.version} does not have the column of the index ${i.name}",
        m.previous.version,
        retryable = true
      )
    }
    m.indices = m.indices.without((newIndices ++ removedIndices).map(_.uuid).toSet).add(newIndices)
    newIndices.map(_.name).distinct.foreach { name =>
      val kinds = m.indices.segments.filter(_.name == name).map(_.hasRowAddresses).distinct
      if (kinds.length > 1)
        throw new InvalidRequestException(
          s"the index $name has segments with row ids and with row addresses; rebuild all of them in one commit"
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
