// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.read.streaming.ReadLimit

/** The limit of a micro-batch in bytes, which Spark has since 4.0. */
private[spark] object ByteLimit {

  /** Makes the limit. */
  def apply(bytes: Long): ReadLimit = Bytes(bytes)

  /** The bytes of a limit of this kind. */
  def unapply(limit: ReadLimit): Option[Long] = limit match {
    case Bytes(bytes) => Some(bytes)
    case _ => None
  }

  final private case class Bytes(bytes: Long) extends ReadLimit
}
