// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import org.apache.spark.sql.connector.catalog.{
  Changelog,
  ChangelogContext,
  ChangelogRange,
  Column,
  Identifier
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.changes.ChangeBound

/** Implements the change queries that Spark has since 4.2: `t CHANGES FROM VERSION 1`,
  * `spark.read.changes`.
  */
trait ChangelogCatalog extends ChangeTables {

  override def loadChangelog(
      ident: Identifier,
      context: ChangelogContext,
      options: CaseInsensitiveStringMap
  ): Changelog = {
    val (begin, end) = ChangelogCatalog.bounds(context.range())
    val net = context.deduplicationMode() == ChangelogContext.DeduplicationMode.NET_CHANGES
    new ChangelogCatalog.OfTable(changeTable(ident, begin, end, net, options))
  }
}

object ChangelogCatalog {

  /** The first and the last version of a range. */
  private def bounds(range: ChangelogRange): (Option[ChangeBound], Option[ChangeBound]) = {
    // A range without bounds throws.
    def after: Long = if (range.startingBoundInclusive()) 0L else 1L
    def before: Long = if (range.endingBoundInclusive()) 0L else 1L
    def version(text: String, shift: Long): ChangeBound =
      try ChangeBound.Version(Math.addExact(text.trim.toLong, shift))
      catch {
        case _: NumberFormatException | _: ArithmeticException =>
          throw LanceErrors.rejected(
            s"'$text' is not a version number: use a number, or FROM TIMESTAMP with a time"
          )
      }
    // A bound includes its whole microsecond, and versions have times in nanoseconds.
    def time(micros: Long, shift: Long): ChangeBound =
      ChangeBound.Time(Instant.EPOCH.plus(Math.addExact(micros, shift), MICROS))
    range match {
      case v: ChangelogRange.VersionRange =>
        val end = if (v.endingVersion().isPresent) Some(v.endingVersion().get) else None
        (Some(version(v.startingVersion(), after)), end.map(version(_, -before)))
      case t: ChangelogRange.TimestampRange =>
        val end = if (t.endingTimestamp().isPresent) Some(t.endingTimestamp().get) else None
        (Some(time(t.startingTimestamp(), after)), end.map(e => time(e.longValue, -before)))
      case _ => (None, None)
    }
  }

  /** Changes in the form that Spark expects: updates are pairs of images, rows that did not change
    * are omitted, and the scan itself collapses the changes of a row if the read requests
    * net changes.
    */
  final private class OfTable(private val read: ChangeRead) extends Changelog {
    override def name(): String = read.table.name()

    override def columns(): Array[Column] = read.table.columns()

    override def containsCarryoverRows(): Boolean = false

    override def containsIntermediateChanges(): Boolean = false

    override def representsUpdateAsDeleteAndInsert(): Boolean = false

    /** Builds a scan. Spark's options lack the bounds of the clause, and since 4.3 `loadChangelog`
      * receives only the options in `tableStateOptionKeys`.
      */
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
      read.table.newScanBuilder(read.scanOptions(options))

    override def equals(other: Any): Boolean = other match {
      case o: OfTable => read == o.read
      case _ => false
    }

    override def hashCode: Int = read.hashCode
  }
}
