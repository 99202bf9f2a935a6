// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.connector.write.WriterCommitMessage

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.index.zones.FragmentZones
import io.github.pysparklance.spark.commit.FragmentMessage
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.write.steps.WriterAround

/** Collects the distinct values of key columns in the rows of a task.
  *
  * @param key key columns, bound to the rows
  */
final private[write] class KeyGatheringWriter(
    inner: LanceDataWriter,
    key: Seq[Expression]
) extends WriterAround(inner) {
  private val projection = UnsafeProjection.create(key)
  private val seen = new util.HashSet[UnsafeRow]

  override def write(row: InternalRow): Unit = {
    val values = projection(row)
    if (!seen.contains(values)) {
      if (seen.size == KeyGatheringWriter.MaxKeys)
        throw LanceErrors.translate(new UnsupportedFeatureException(
          s"a dynamic overwrite of more than ${KeyGatheringWriter.MaxKeys} values of the clustering key by one task"
        ))
      seen.add(values.copy()): Unit
    }
    inner.write(row)
  }

  override def commit(): WriterCommitMessage =
    KeyedCommitMessage(inner.commit(), seen.asScala.toIndexedSeq)
}

private object KeyGatheringWriter {

  /** Maximum number of keys that a task sends to the driver. */
  val MaxKeys: Int = 100000
}

/** The fragments of a task, and the keys of its rows. */
final private[write] case class KeyedCommitMessage(
    written: LanceCommitMessage,
    keys: IndexedSeq[UnsafeRow]
) extends FragmentMessage {
  override def fragments: IndexedSeq[Array[Byte]] = written.fragments
  override def zones: IndexedSeq[FragmentZones] = written.zones
}
