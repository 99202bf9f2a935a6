// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.lang.ref.SoftReference
import java.util.{LinkedHashMap, Map => JMap, UUID}

import scala.reflect.ClassTag

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession

/** A value that is sent to each executor once, and shared by its tasks. Uses Java serialization,
  * like [[SparkTasks]].
  */
final private[spark] class SharedValue[T <: AnyRef: ClassTag] private (
    id: UUID,
    sent: Broadcast[Array[Byte]]
) extends Serializable {

  /** The value in this process. */
  def value: T = SharedValue.get(id, SparkTasks.parsed[T](sent.value))
}

private[spark] object SharedValue {

  /** Shares a serializable value. */
  def apply[T <: AnyRef: ClassTag](session: SparkSession, value: T): SharedValue[T] =
    new SharedValue(UUID.randomUUID(), session.sparkContext.broadcast(SparkTasks.bytes(value)))

  /** Number of values that a process keeps. */
  private val maxValues = 16

  private val values =
    new LinkedHashMap[UUID, SoftReference[AnyRef]](maxValues, 0.75f, true) {
      override def removeEldestEntry(eldest: JMap.Entry[UUID, SoftReference[AnyRef]]): Boolean =
        size > maxValues
    }

  private def get[T <: AnyRef: ClassTag](id: UUID, load: => T): T = values.synchronized {
    Option(values.get(id)).flatMap(r => Option(r.get)) match {
      case Some(known: T) => known
      case _ =>
        val loaded = load
        values.put(id, new SoftReference[AnyRef](loaded))
        loaded
    }
  }
}
