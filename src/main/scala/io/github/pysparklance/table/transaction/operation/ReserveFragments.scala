// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.core.{InvalidRequestException, UnsupportedFeatureException}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.proto

/** Reserves fragment ids by raising the highest fragment id. The highest `numFragments` ids of the
  * new version belong to the writer.
  *
  * Source: message `ReserveFragments`, transaction.proto.
  *
  * @param numFragments unsigned 32-bit
  */
final case class ReserveFragments(numFragments: Long) extends PlainOperation {
  if (numFragments < 0 || numFragments > 0xffffffffL)
    throw new InvalidRequestException(s"cannot reserve $numFragments fragment ids")

  def name: String = "ReserveFragments"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setReserveFragments(
      proto.Transaction.ReserveFragments.newBuilder().setNumFragments(numFragments.toInt)
    ): Unit

  private[table] def build(m: ManifestBuilder): Unit = {
    val highest = m.previous.maxFragmentId.getOrElse(0L) + numFragments
    if (highest >= Fragment.reservedId)
      throw new UnsupportedFeatureException(
        s"fragment id $highest: all ids of the table are used up"
      )
    m.maxFragmentId = Some(highest)
  }
}

object ReserveFragments {
  private[transaction] def parse(m: proto.Transaction.ReserveFragments): ReserveFragments =
    ReserveFragments(m.getNumFragments & 0xffffffffL)
}
