// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.time.{Duration, Instant}

import io.github.pysparklance.core.{Optional, Parse}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.{CleanupPolicy, HumanTime}

/** Parses clean-up options, which have the names of pylance's arguments. */
private[spark] object CleanupRequest {

  /** Options that select versions. Without any, versions older than two weeks are removed. */
  private val conditions =
    Seq("older_than", "retain_versions", "before_version", "before_timestamp_millis", "versions")

  private val switches = Seq(
    "delete_unverified",
    "error_if_tagged_old_versions",
    "clean_referenced_branches",
    "delete_rate_limit",
    "delete_concurrency"
  )

  /** Names of all options. */
  val names: Seq[String] = conditions ++ switches

  private val defaultAge = Duration.ofDays(14)

  /** Returns the policy for options.
    *
    * @param requested the options
    * @param present existing version numbers, ascending
    * @param now current time
    * @throws io.github.pysparklance.core.InvalidRequestException if an option is unknown or a value
    *   is invalid
    */
  def apply(
      requested: Map[String, String],
      present: => IndexedSeq[Long],
      now: Instant = Instant.now()
  ): CleanupPolicy = {
    val o = new JobOptions("a clean-up", names, requested)
    o.long("delete_concurrency"): Unit
    val leastAge = o.text("older_than").map(age) orElse
      Optional.when(conditions.forall(o.text(_).isEmpty))(defaultAge)
    val timestamp = (leastAge.map(before(now, _)) ++
      o.long("before_timestamp_millis", 0).map(Instant.ofEpochMilli)).toIndexedSeq.sorted.headOption
    val retained = o.long("retain_versions").map { n =>
      CleanupPolicy.retaining(math.min(n, Int.MaxValue.toLong).toInt, present)
    }
    val policy = retained.getOrElse(CleanupPolicy())
    policy.copy(
      beforeTimestamp = timestamp,
      beforeVersion = (policy.beforeVersion ++ o.long("before_version", 0)).reduceOption(_ min _),
      versions = o.longs("versions"),
      deleteUnverified = o.boolean("delete_unverified").getOrElse(false),
      errorIfTaggedOldVersions = o.boolean("error_if_tagged_old_versions").getOrElse(true),
      cleanReferencedBranches = o.boolean("clean_referenced_branches").getOrElse(false),
      deletesPerSecond = o.long("delete_rate_limit")
    )
  }

  /** Returns the policy for a table. Lists its versions only if needed. */
  def apply(requested: Map[String, String], on: JobTable): CleanupPolicy =
    apply(requested, LanceTable.versions(on.location.store, on.table.path))

  /** Parses a duration. A number without a unit is in seconds. */
  private def age(text: String): Duration =
    Parse.long(text).filter(_ >= 0).fold(HumanTime.parse(text))(Duration.ofSeconds)

  private def before(now: Instant, age: Duration): Instant =
    try now.minus(age)
    catch { case _: java.time.DateTimeException | _: ArithmeticException => Instant.MIN }
}
