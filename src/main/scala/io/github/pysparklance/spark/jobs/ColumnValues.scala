// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.analysis.TableOutputResolver
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.functions.{col, shiftright}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{LongType, StructType}

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.shim.Frames
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.scan.MetadataColumn

/** Prepares new values for [[FragmentColumns]]: the address of each row, followed by the values
  * with the types of the columns. All rows of a fragment are in one partition, ordered by address.
  */
private[jobs] object ColumnValues {
  private val address = MetadataColumn.RowAddr.name
  private val id = MetadataColumn.RowId.name

  /** @param values data frame with the columns and `_rowaddr` or `_rowid`
    * @param columns the columns with their target types, in order
    * @param rows rows of the table, to map ids to addresses and to check constraints
    * @param areChecked whether the values are known to satisfy the constraints of the table
    * @throws InvalidRequestException if the frame does not identify rows
    * @throws org.apache.spark.sql.AnalysisException if a column is missing or its type does not fit
    */
  def apply(
      on: JobTable,
      values: DataFrame,
      columns: StructType,
      rows: => DataFrame,
      areChecked: Boolean
  ): DataFrame = {
    val located = addressed(on, values, columns.fieldNames.toIndexedSeq, rows)
    val expected = AttributeReference(address, LongType)() +:
      // The file writer rejects nulls, with the name of the column.
      SparkTypes.attributes(columns).map(_.withNullability(true))
    val plan = TableOutputResolver.resolveOutputColumns(
      s"lance.`${on.table.path}`",
      expected,
      Frames.plan(located),
      byName = true,
      SQLConf.get
    )
    val typed = Frames.of(on.session, plan)
    val fragments = math.max(1, on.table.fragments.length)
    (if (areChecked) typed else CheckedValues(on, typed, rows))
      .repartition(math.min(fragments, partitions(on)), shiftright(col(address), fragmentBits))
      .sortWithinPartitions(col(address))
  }

  private def partitions(on: JobTable): Int =
    math.max(
      SQLConf.get.numShufflePartitions,
      on.session.sparkContext.defaultParallelism
    )

  private val fragmentBits = 32

  private def addressed(
      on: JobTable,
      values: DataFrame,
      columns: IndexedSeq[String],
      rows: => DataFrame
  ): DataFrame = {
    def has(name: String) = values.columns.exists(_.equalsIgnoreCase(name))
    val wanted = columns.map(c => col(quoteIdentifier(c)))
    // A frame that reads the table has the table's own column if that hides the metadata column.
    on.checkVisible(MetadataColumn.RowAddr)
    if (!has(address)) on.checkVisible(MetadataColumn.RowId)
    if (has(address)) values.select(col(address).as(address) +: wanted: _*)
    else if (!has(id))
      throw new InvalidRequestException(
        s"rows without a column $address or $id, which say whose the values are; there are " +
          values.columns.mkString(", "),
        Place(path = Some(on.table.path))
      )
    else if (!on.table.hasStableRowIds) values.select(col(id).as(address) +: wanted: _*)
    else {
      val where = rows.select(col(id).as(wantedId), col(address).as(address))
      values
        .join(where, values(id) === where(wantedId), "left")
        .select(where(address).as(address) +: wanted: _*)
    }
  }

  private val wantedId = "__lance_rowid"
}
