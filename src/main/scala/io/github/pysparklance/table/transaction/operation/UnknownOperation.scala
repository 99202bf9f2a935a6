// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.table.proto

/** An operation of a later release. It conflicts with almost every operation and cannot be
  * committed.
  */
case object UnknownOperation extends PlainOperation {
  def name: String = "Unknown"

  private[table] def write(b: proto.Transaction.Builder): Unit = refuse()

  private[table] def build(m: ManifestBuilder): Unit = refuse()

  private def refuse(): Nothing =
    throw new UnsupportedFeatureException("an operation of a later release")
}
