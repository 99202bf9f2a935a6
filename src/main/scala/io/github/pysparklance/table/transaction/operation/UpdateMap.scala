// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.proto

/** Changes to a string map.
  *
  * Source: message `UpdateMap`, transaction.proto.
  *
  * @param entries keys with their new values; none removes the key
  * @param replace whether the entries replace the whole map
  */
final case class UpdateMap(entries: Seq[(String, Option[String])], replace: Boolean = false) {

  /** Returns the map after the changes. */
  def apply(map: Map[String, String]): Map[String, String] =
    entries.foldLeft(if (replace) Map.empty[String, String] else map) {
      case (m, (key, Some(value))) => m + (key -> value)
      case (m, (key, None)) => m - key
    }

  private[transaction] def keys: Set[String] = entries.iterator.map(_._1).toSet

  private[transaction] def upserts: Set[String] =
    entries.iterator.collect { case (key, Some(_)) => key }.toSet

  private[transaction] def toMessage: proto.UpdateMap = {
    val b = proto.UpdateMap.newBuilder().setReplace(replace)
    entries.foreach { case (key, value) =>
      val e = b.addUpdateEntriesBuilder().setKey(key)
      value.foreach(e.setValue)
    }
    b.build()
  }
}

object UpdateMap {

  /** Sets these values and keeps all others. */
  def upsert(values: Map[String, String]): UpdateMap = UpdateMap(some(values))

  /** Replaces all values by these. */
  def replace(values: Map[String, String]): UpdateMap = UpdateMap(some(values), replace = true)

  /** Removes keys. */
  def remove(keys: Iterable[String]): UpdateMap =
    UpdateMap(keys.iterator.map(_ -> None).toIndexedSeq)

  private def some(values: Map[String, String]) =
    values.toSeq.sortBy(_._1).map { case (k, v) => k -> Some(v) }

  private[transaction] def parse(m: proto.UpdateMap): UpdateMap = UpdateMap(
    m.getUpdateEntriesList.asScala.iterator
      .map(e => e.getKey -> (if (e.hasValue) Some(e.getValue) else None))
      .toIndexedSeq,
    m.getReplace
  )
}
