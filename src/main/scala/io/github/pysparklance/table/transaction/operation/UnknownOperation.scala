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

  private[table] def write(b: proto.Transaction.Builder): Unit = reject()

  private[table] def build(m: ManifestBuilder): Unit = reject()

  private def reject(): Nothing =
    throw new UnsupportedFeatureException("an operation of a later release")
}
