// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.time.{Clock, Instant, ZoneId, ZoneOffset}
import java.util.concurrent.atomic.AtomicLong

/** A clock that a test sets, for all threads. */
object TestClock extends Clock with Serializable {
  private val now = new AtomicLong

  def set(millis: Long): Unit = now.set(millis)

  override def millis(): Long = now.get
  override def instant(): Instant = Instant.ofEpochMilli(millis())
  override def getZone: ZoneId = ZoneOffset.UTC
  override def withZone(zone: ZoneId): Clock = this
}
