// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import io.github.pysparklance.core.Parse

/** The latest numbered write of each application, in the properties of the table.
  *
  * A numbered write is identified by two commit properties. Its commit also sets a property of the
  * table, in the same manifest as its rows:
  *
  * {{{
  *   lance.spark.txnAppId           commit property: id of the application, or of a streaming query
  *   lance.spark.txnVersion         commit property: number of the write, or of the micro-batch
  *   lance.spark.txn.<application>  table property: number of its latest write, time in milliseconds
  * }}}
  * All writers repeat the properties of a table in later manifests. The property therefore outlives
  * the transaction, which clean-up removes. A restored version has the number that fits its rows.
  *
  * If a table has more than [[AppliedWrites.keptApplications]] properties, those without a write
  * for [[AppliedWrites.keptMillis]] are removed, the oldest first. A query that is only paused must
  * keep its number, however many other applications write. There are never more than
  * [[AppliedWrites.maxApplications]] properties.
  */
private[pysparklance] object AppliedWrites {

  /** Commit property: id of the application. */
  val AppId: String = "lance.spark.txnAppId"

  /** Commit property: number of the write, which increases. */
  val Number: String = "lance.spark.txnVersion"

  private val prefix = "lance.spark.txn."

  /** Up to this many properties remain, however old they are. */
  private[build] val keptApplications = 100

  /** Newer properties remain, up to [[maxApplications]]: 7 days. */
  private[build] val keptMillis: Long = 7L * 24 * 60 * 60 * 1000

  /** Maximum number of properties. They take at most a few hundred KiB of a manifest. */
  private[build] val maxApplications = 1000

  /** Longer ids are only in the transactions. */
  private[build] val maxIdLength = 200

  /** Whether a table property contains the latest write of an application. */
  def isProperty(name: String): Boolean = name.startsWith(prefix)

  /** Returns the number of the latest write of an application, if the table properties contain it.
    *
    * @param config table properties
    */
  def latest(config: Map[String, String], appId: String): Option[Long] =
    config.get(prefix + appId).flatMap(numbers).map(_._1)

  /** Returns the table properties of a version that a numbered write creates.
    *
    * @param config table properties without the write
    * @param commit commit properties of the write
    * @param nowMillis time of the commit
    * @return `None` if it is not a numbered write, or its id is too long
    */
  private[transaction] def recorded(
      config: Map[String, String],
      commit: Map[String, String],
      nowMillis: Long
  ): Option[Map[String, String]] = for {
    id <- commit.get(AppId).filter(id => id.nonEmpty && id.length <= maxIdLength)
    number <- commit.get(Number).flatMap(Parse.long)
  } yield {
    val all = config + ((prefix + id) -> s"$number,$nowMillis")
    def millis(property: String): Long = numbers(all(property)).fold(0L)(_._2)
    val others = all.keys.filter(k => isProperty(k) && k != prefix + id).toSeq
    val (surplus, excess) =
      (others.length + 1 - keptApplications, others.length + 1 - maxApplications)
    val old = others.sortBy(k => (millis(k), k)).take(surplus).zipWithIndex.collect {
      case (k, i) if i < excess || nowMillis - millis(k) > keptMillis => k
    }
    all -- old
  }

  private def numbers(value: String): Option[(Long, Long)] = value.split(',') match {
    case Array(number, millis) =>
      for (n <- Parse.long(number); m <- Parse.long(millis)) yield (n, m)
    case _ => None
  }
}
