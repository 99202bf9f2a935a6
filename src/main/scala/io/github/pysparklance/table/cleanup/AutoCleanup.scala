// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.time.{DateTimeException, Duration, Instant}

import io.github.pysparklance.core.{BestEffort, InvalidRequestException, Log, Parse}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{Manifest, ManifestFile, Versions}

/** Cleans up after a commit if the table configuration requests it.
  *
  * {{{
  *   lance.auto_cleanup.interval            after each version that is a multiple of it, 0: after each
  *   lance.auto_cleanup.older_than          versions of at least this age, as "14days" or "1h 30m"
  *   lance.auto_cleanup.retain_versions     all but this number of versions
  *   lance.auto_cleanup.referenced_branch   whether branches are cleaned first
  *   lance.auto_cleanup.delete_rate_limit   requests per second
  *   lance.auto_cleanup.delete_concurrency  parallel requests
  * }}}
  * Source: format page of the table, "Auto cleanup" and "Config keys".
  */
private[table] object AutoCleanup {
  private val log = Log(getClass)
  private val prefix = "lance.auto_cleanup."
  private val defaultConcurrency = 8

  /** Cleans up if the interval has passed. Failures are logged, because the commit has succeeded
    * already.
    *
    * @param root root of the table or branch
    * @param committed the new version
    * @param first the first version since the last check, if there are several
    * @return `None` if the interval has not passed or the clean-up failed
    */
  def after(
      store: FileStore,
      root: TablePath,
      committed: ManifestFile,
      first: Option[Long] = None
  ): Option[CleanupStats] =
    BestEffort.run(s"${root.root}: the automatic clean-up") {
      val m = committed.manifest
      if (!m.config.contains(prefix + "interval")) None
      else
        policy(m, new Versions(store, root).list().map(_.version), first).map { p =>
          val threads =
            number(m, "delete_concurrency").fold(defaultConcurrency)(n => math.min(n, 128L).toInt)
          val stats = new CleanupPlanner(store, root, committed).plan(p).run(store, threads)
          log.info(s"${root.root}: automatic clean-up after version ${m.version}: $stats")
          stats
        }
    }.flatten

  /** Returns the clean-up that the configuration requests after a version.
    *
    * @param present numbers of the present versions, ascending; evaluated only if a version is due
    * @param first of the versions to check; `None` for the given version only
    * @return `None` without configuration, or if no version is due
    * @throws InvalidRequestException for an invalid value
    */
  def policy(
      m: Manifest,
      present: => IndexedSeq[Long],
      first: Option[Long] = None
  ): Option[CleanupPolicy] =
    number(m, "interval", least = 0).filter { n =>
      n == 0 || m.version / n > (first.getOrElse(m.version) - 1) / n
    }.map { _ =>
      val retained = number(m, "retain_versions").map { n =>
        CleanupPolicy.retaining(math.min(n, Int.MaxValue.toLong).toInt, present)
      }
      retained.getOrElse(CleanupPolicy()).copy(
        beforeTimestamp = text(m, "older_than").map(age => before(HumanTime.parse(age))),
        errorIfTaggedOldVersions = false,
        cleanReferencedBranches = text(m, "referenced_branch").exists {
          case "true" => true
          case "false" => false
          case other => reject("referenced_branch", other, "true or false")
        },
        deletesPerSecond = number(m, "delete_rate_limit")
      )
    }

  private def before(age: Duration): Instant =
    try Instant.now().minus(age)
    catch { case _: DateTimeException | _: ArithmeticException => Instant.MIN }

  private def text(m: Manifest, key: String): Option[String] = m.config.get(prefix + key)

  private def number(m: Manifest, key: String, least: Long = 1): Option[Long] = text(m, key).map {
    t => Parse.long(t).filter(_ >= least).getOrElse(reject(key, t, s"a number of at least $least"))
  }

  private def reject(key: String, value: String, expected: String): Nothing =
    throw new InvalidRequestException(
      s"""the table property $prefix$key is "$value", expected $expected"""
    )
}
