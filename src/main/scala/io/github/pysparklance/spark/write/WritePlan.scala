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

/** A planned write.
  *
  * @param schema schema of the files, with field ids
  * @param columns columns of the input rows
  * @param steps steps that are applied to each row
  * @param base base version of the write; `None` if there was no table
  * @param bases base paths among which files are distributed; `None` is the folder of the table
  * @param evolution column changes of the statement, whose files are committed with the rows
  * @param publish commits the written rows
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

  /** Returns the plan with checks of the constraints in table properties that Spark does not check.
    */
  private[write] def constrained(properties: Map[String, String]): WritePlan =
    // Spark checks rows before the projection, which may round numbers.
    if (steps.projection.isDefined) constrainedBy(RowConstraints.all(properties, columns))
    else constrainedBy(RowConstraints(properties, columns))

  /** Returns the plan of a streaming write, for which Spark checks no constraints. */
  private[spark] def constrainedInStream(properties: Map[String, String]): WritePlan =
    constrainedBy(RowConstraints.all(properties, columns))

  private def constrainedBy(constraints: RowConstraints): WritePlan =
    copy(steps = steps.copy(constraints = constraints))(publish)
}

/** The result of all tasks.
  *
  * @param fragments new fragments without ids
  * @param keys distinct values of the key columns, if requested
  * @param columns new files of changed columns, see [[ColumnEvolution.handOver]]
  * @param zones zones of the fragments
  */
final private[spark] case class WrittenRows(
    fragments: IndexedSeq[Fragment],
    keys: Seq[InternalRow],
    columns: IndexedSeq[NewColumns] = IndexedSeq.empty,
    zones: IndexedSeq[FragmentZones] = IndexedSeq.empty
)
