// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.manifest.BasePath
import io.github.pysparklance.table.proto

/** Adds base paths.
  *
  * Source: message `UpdateBases`, transaction.proto.
  *
  * @param newBases new bases with new paths and names; the id 0 means the lowest free id, from 1
  */
final case class UpdateBases(newBases: Seq[BasePath]) extends PlainOperation {
  def name: String = "UpdateBases"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setUpdateBases(
      proto.Transaction.UpdateBases.newBuilder().addAllNewBases(newBases.map(_.toMessage).asJava)
    ): Unit

  private[table] def build(m: ManifestBuilder): Unit = {
    m.previous
    m.addBases(newBases)
  }
}

object UpdateBases {
  private[transaction] def parse(m: proto.Transaction.UpdateBases): UpdateBases =
    UpdateBases(m.getNewBasesList.asScala.iterator.map(BasePath(_)).toIndexedSeq)
}
