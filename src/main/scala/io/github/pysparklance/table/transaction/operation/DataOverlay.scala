// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.table.proto

/** Adds overlay files to fragments. This release reads the operation and checks it for conflicts,
  * but does not commit it, since no released reader supports overlay files.
  *
  * Source: message `DataOverlay`, transaction.proto.
  */
final class DataOverlay private (message: proto.Transaction.DataOverlay) extends PlainOperation {
  def name: String = "DataOverlay"

  /** Returns the field ids of the overlays, by fragment id. */
  def fields: Map[Long, Set[Int]] =
    message.getGroupsList.asScala.groupBy(_.getFragmentId).map { case (id, groups) =>
      id -> groups.iterator
        .flatMap(_.getOverlaysList.asScala)
        .flatMap(_.getDataFile.getFieldsList.asScala)
        .map(_.toInt)
        .toSet
    }

  private[table] def write(b: proto.Transaction.Builder): Unit = b.setDataOverlay(message): Unit

  private[table] def build(m: ManifestBuilder): Unit =
    throw new UnsupportedFeatureException("overlay files")
}

object DataOverlay {
  private[transaction] def parse(m: proto.Transaction.DataOverlay): DataOverlay = new DataOverlay(m)
}
