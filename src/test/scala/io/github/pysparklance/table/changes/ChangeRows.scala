// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.util.Using

import io.github.pysparklance.core.{Field, RowRange}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{
  ChangeColumn,
  ComputedColumn,
  FragmentReader,
  FragmentScan
}
import io.github.pysparklance.testkit.ColumnRows

/** A changed row.
  *
  * @param values values of the columns that were read, in their order
  */
final case class ChangeRow(change: String, version: Long, values: Seq[Any]) {

  /** Whether the table had the row before the commit. */
  def isBefore: Boolean = change == "delete" || change == "update_preimage"

  override def toString: String = s"$version $change ${values.mkString(",")}"
}

/** Reads changed rows as plain Scala values. */
object ChangeRows {

  /** All rows in order of commits. */
  def apply(
      store: FileStore,
      changes: Changes,
      fields: Option[IndexedSeq[Field]] = None,
      computed: IndexedSeq[ComputedColumn] = IndexedSeq.empty
  ): IndexedSeq[ChangeRow] = {
    val read = fields.getOrElse(changes.schema.fields)
    changes.checkReadable(read)
    val all = IndexedSeq(ChangeColumn.Type, ChangeColumn.CommitVersion) ++ computed
    changes.parts.flatMap { part =>
      val span = RowRange(0, part.selection.ranges.last.until)
      part.scan(span, FragmentScan.defaultGapRows, all).toIndexedSeq.flatMap { scan =>
        val rows = IndexedSeq.newBuilder[ChangeRow]
        Using.resource(FragmentReader.open(store, scan, read, all, batchRows = 7)) { r =>
          while (r.next()) {
            val columns = r.columns.map(ColumnRows(_))
            val live = if (r.live == null) 0 until r.numRows else r.live.toSeq.take(r.numLive)
            live.foreach { i =>
              val (values, more) = columns.map(_(i)).splitAt(read.length)
              val Seq(change, version) = more.take(2): @unchecked
              rows += ChangeRow(text(change), version.asInstanceOf[Long], values ++ more.drop(2))
            }
          }
        }
        rows.result()
      }
    }
  }

  private def text(value: Any): String = value match {
    case bytes: Seq[_] => new String(bytes.map(_.asInstanceOf[Byte]).toArray)
    case other => other.toString
  }

  /** The rows after changes were applied to rows, as a multiset.
    *
    * @throws AssertionError if a row is not there that a change deletes
    */
  def applied(rows: Seq[Seq[Any]], changes: Seq[ChangeRow]): Map[Seq[Any], Int] = {
    val start = counts(rows)
    changes.groupBy(_.version).toSeq.sortBy(_._1).foldLeft(start) { case (state, (_, of)) =>
      val (before, after) = of.partition(_.isBefore)
      val left = before.foldLeft(state) { (s, c) =>
        val n = s.getOrElse(c.values, 0)
        if (n == 0) throw new AssertionError(s"no row for: $c")
        if (n == 1) s - c.values else s + (c.values -> (n - 1))
      }
      after.foldLeft(left)((s, c) => s + (c.values -> (s.getOrElse(c.values, 0) + 1)))
    }
  }

  /** How often each row occurs. */
  def counts(rows: Seq[Seq[Any]]): Map[Seq[Any], Int] =
    rows.groupBy(identity).map { case (row, same) => row -> same.length }
}
