// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.{
  BinaryValues,
  Column,
  ConstantColumn,
  Field,
  LogicalType,
  LongValues,
  RowRange,
  Values
}
import io.github.pysparklance.table.deletion.DeletionVector

/** The change of a row in a commit.
  *
  * @param text the value of `_change_type`
  */
sealed abstract class ChangeType(val text: String) extends Serializable {

  /** Whether the values are from the version before the commit. */
  def isBefore: Boolean = this == ChangeType.Delete || this == ChangeType.UpdatePreimage
}

object ChangeType {

  /** The row is new. */
  case object Insert extends ChangeType("insert")

  /** The row is gone. */
  case object Delete extends ChangeType("delete")

  /** An updated row with the values before. */
  case object UpdatePreimage extends ChangeType("update_preimage")

  /** An updated row with the values after. */
  case object UpdatePostimage extends ChangeType("update_postimage")
}

/** The change that rows of a scan are part of.
  *
  * @param version the version that the commit made
  * @param timestampMicros time of the commit, microseconds since 1970 in UTC
  */
final case class RowChange(changeType: ChangeType, version: Long, timestampMicros: Long)

/** A column that a change feed adds to the columns of the table. Never null. */
sealed abstract class ChangeColumn(val name: String, logicalType: LogicalType)
    extends ComputedColumn {

  def field: Field = Field(Field.Unassigned, name, logicalType, nullable = false)

  def needsLineage: Boolean = false

  def needsLiveRowsBefore: Boolean = false

  def in(scan: FragmentScan, deletions: DeletionVector): ComputedColumn.Source = {
    val change = scan.change.getOrElse(
      throw new IllegalArgumentException(s"$name in a scan of rows that are not changes")
    )
    new ComputedColumn.Made {
      private val value = ChangeColumn.this.value(change)
      def column(rows: RowRange): Column = ConstantColumn(value, rows.numRows.toInt, null)
    }
  }

  /** The value for the rows of a change, as the only item. */
  protected def value(change: RowChange): Values

  final protected def number(n: Long): Values = {
    val values = new LongValues
    values.append(n)
    values
  }
}

object ChangeColumn {

  /** The text of the [[ChangeType]]. */
  case object Type extends ChangeColumn("_change_type", LogicalType.Utf8(large = false)) {
    protected def value(change: RowChange): Values = {
      val bytes = change.changeType.text.getBytes(UTF_8)
      val values = new BinaryValues
      values.append(bytes, 0, bytes.length)
      values
    }
  }

  /** The version that the commit made. */
  case object CommitVersion
      extends ChangeColumn("_commit_version", LogicalType.Integer(64, signed = true)) {
    protected def value(change: RowChange): Values = number(change.version)
  }

  /** Time of the commit. */
  case object CommitTimestamp
      extends ChangeColumn(
        "_commit_timestamp",
        LogicalType.Timestamp(LogicalType.Microsecond, Some("UTC"))
      ) {
    protected def value(change: RowChange): Values = number(change.timestampMicros)
  }

  /** In the order in which a change feed shows them. */
  val all: IndexedSeq[ChangeColumn] = IndexedSeq(Type, CommitVersion, CommitTimestamp)

  /** The column of that name. */
  def byName(name: String): Option[ChangeColumn] = all.find(_.name == name)
}
