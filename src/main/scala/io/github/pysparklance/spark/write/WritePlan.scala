// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.zones.FragmentZones
import io.github.pysparklance.spark.commit.Published
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.write.steps.RowConstraints
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.NewColumns
import io.github.pysparklance.table.manifest.{BasePath, Fragment}

/** One write, decided.
  *
  * @param schema of the files, with the ids of its fields
  * @param columns of the rows that come
  * @param steps what happens to each row before it is written
  * @param base the version that the write began with; none when there was no table
  * @param bases where the files go in turn; none stands for the table's own folder
  * @param evolution column changes of the statement, whose files are committed with the rows
  * @param publish makes what was written visible, all at once; raises when that is not possible
  */
final private[spark] case class WritePlan(
    location: TableLocation,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    options: WriteOptions,
    base: Option[LanceTable] = None,
    steps: RowSteps = RowSteps(),
    bases: IndexedSeq[Option[BasePath]] = IndexedSeq(None),
    evolution: Option[ColumnEvolution] = None
)(val publish: WrittenRows => Published) {

  /** The same, where rows are held against the constraints among the properties of the table. */
  private[write] def constrained(properties: Map[String, String]): WritePlan =
    copy(steps = steps.copy(constraints = RowConstraints(properties, columns)))(publish)
}

/** What all tasks wrote.
  *
  * @param fragments without ids
  * @param keys the values that the rows have in the columns of the key, where they were asked for
  * @param columns new files of columns that change, see [[ColumnEvolution.handOver]]
  * @param zones of the fragments
  */
final private[spark] case class WrittenRows(
    fragments: IndexedSeq[Fragment],
    keys: Seq[InternalRow],
    columns: IndexedSeq[NewColumns] = IndexedSeq.empty,
    zones: IndexedSeq[FragmentZones] = IndexedSeq.empty
)
