// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import org.apache.spark.sql.{Column, DataFrame, Row}

import io.github.pysparklance.core.{Field, InvalidRequestException, Place}
import io.github.pysparklance.spark.commit.{CommitNotes, TaskFiles}
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}
import io.github.pysparklance.spark.shim.{Frames, SparkShim}
import io.github.pysparklance.spark.types.{
  BlobFields,
  LanceFields,
  SparkTypes,
  StoredRules,
  TypeOptions
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.{
  ColumnTask,
  ColumnUpdate,
  NewColumns,
  NewFiles,
  SchemaUpdate
}
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}

/** Writes whole columns of a table and nothing else: each fragment that has new values gets one file with the columns,
  * all else stays where it is, the rows with their ids and addresses. A task of a Spark job writes the files of some
  * fragments; one commit names them.
  *
  * The values come as a frame with a column `_rowaddr`, or `_rowid`, that says whose they are. The rows may be in any
  * order; a row that is not in the frame has null in a new column, and keeps what it has in a column that changes. A
  * row that the table does not have, and one that comes twice, are refused, and nothing is changed.
  */
private[spark] object ColumnJob {

  /** Adds columns with values.
    *
    * @param values with the new columns, and what says whose they are
    * @param columns the new columns, with their types and notes
    * @param rows the rows of the same version with its metadata columns
    * @param settings properties about the new columns, such as the dimension of a vector
    * @throws org.apache.spark.sql.AnalysisException when the table has such a column
    */
  def add(
      on: JobTable,
      values: DataFrame,
      columns: StructType,
      rows: => DataFrame,
      settings: Map[String, String] = Map.empty,
      properties: Map[String, String] = Map.empty
  ): ColumnOutcome = LanceErrors.translated {
    refuseExisting(on.table, columns)
    val schema = BlobFields.in(on.table.fileVersion)(LanceFields.schema(columns, settings))
    val changes = schema.fields.map(f => SchemaChange.Add(FieldPath.root, f))
    val update = SchemaUpdate.plan(on.table, changes, withValues = true)
    val fields = update.evolution.schema.fields.takeRight(columns.length)
    // No constraint names a column that is new.
    val files = write(on, values, fields, update.tasks, rows, areChecked = true)
    val present = files.map(_.fragmentId).toSet
    val missing = update.tasks.filterNot(t => present(t.fragmentId))
    val commit = on.commit()
    val nulls = commit.preparing(TaskFiles(columns = files))(withoutValues(on, missing))
    val all = files ++ nulls
    val table = commit.change(TaskFiles(columns = all))(update.commit(all, properties))
    ColumnOutcome(table, files)
  }

  /** Adds columns whose values are made of the other columns of each row.
    *
    * @param columns the new columns, each with what it is made of
    */
  def compute(
      on: JobTable,
      columns: Seq[(StructField, Column)],
      rows: => DataFrame,
      settings: Map[String, String] = Map.empty,
      properties: Map[String, String] = Map.empty
  ): ColumnOutcome = LanceErrors.translated {
    on.checkVisible(MetadataColumn.RowAddr)
    val table = rows
    val made = columns.map { case (c, value) => value.as(c.name) }
    val values = table.select(table(MetadataColumn.RowAddr.name) +: made: _*)
    add(on, values, StructType(columns.map(_._1)), table, settings, properties)
  }

  /** Gives rows new values in columns that the table has.
    *
    * @param columns names of columns
    * @param notes of the commit, by the number of rows with new values
    * @param areChecked whether the values are known to keep the constraints of the table; else those that do not are
    *   refused
    * @throws org.apache.spark.sql.AnalysisException when the table has no such column, or a type does not fit
    */
  def update(
      on: JobTable,
      values: DataFrame,
      columns: Seq[String],
      rows: => DataFrame,
      notes: Long => CommitNotes = _ => CommitNotes.none,
      areChecked: Boolean = false
  ): ColumnOutcome = LanceErrors.translated {
    val names = columns.map(nameOf(on.table, _))
    val plan = ColumnUpdate.plan(on.table, names)
    StoredRules.checkTrusted(on.table, shown(on.table), on.table.path)
    val files = write(on, values, plan.fields, plan.tasks, rows, areChecked)
    val said = notes(ColumnOutcome.rowsIn(files))
    val table = on.commit(said).change(TaskFiles(columns = files)) {
      plan.commit(files, said.properties, said.options)
    }
    ColumnOutcome(table, files)
  }

  private def shown(table: LanceTable): StructType =
    SparkTypes.shownColumns(table.schema.fields, TypeOptions.default)

  private def write(
      on: JobTable,
      values: DataFrame,
      fields: IndexedSeq[Field],
      tasks: IndexedSeq[ColumnTask],
      rows: => DataFrame,
      areChecked: Boolean
  ): IndexedSeq[NewColumns] = {
    val prepared = ColumnValues(on, values, SparkTypes.structType(fields), rows, areChecked)
    val writer = new FragmentColumns(
      on.taskStore,
      on.table.path,
      tasks.map(t => t.fragmentId -> t).toMap,
      fields,
      prepared.schema
    )
    val names = fields.map(_.name).mkString(", ")
    SparkTasks
      .partitions(on.session, s"writing $names of ${on.table.path}", Frames.rows(prepared))(
        writer.write
      )(_.foreach(writer.remove))
      .flatten
  }

  /** Fragments of which nobody has values get nulls. */
  private def withoutValues(on: JobTable, tasks: IndexedSeq[ColumnTask]): IndexedSeq[NewColumns] = {
    val (store, path) = (on.taskStore, on.table.path)
    SparkTasks.run(on.session, s"filling new columns of $path with nulls", tasks)(
      _.run(store)
    )(NewFiles.remove(store, path, _))
  }

  private def refuseExisting(table: LanceTable, columns: StructType): Unit =
    columns.fieldNames
      .find(name => table.schema.fields.exists(f => SQLConf.get.resolver(f.name, name)))
      .foreach { name =>
        throw SparkShim.analysisException(
          "FIELD_ALREADY_EXISTS",
          Map(
            "op" -> "add",
            "fieldNames" -> quoteIdentifier(name),
            "struct" -> shown(table).sql
          ),
          new InvalidRequestException(
            s"there is a column $name already; UPDATE COLUMNS gives it new values",
            Place(path = Some(table.path), column = Some(name))
          )
        )
      }

  private def nameOf(table: LanceTable, name: String): String =
    table.schema.fields
      .map(_.name)
      .find(_ == name)
      .orElse(table.schema.fields.map(_.name).find(SQLConf.get.resolver(_, name)))
      .getOrElse(
        throw new InvalidRequestException(
          s"there is no column $name to update; there are " +
            table.schema.fields.map(_.name).mkString(", "),
          Place(path = Some(table.path))
        )
      )
}

/** What a job that wrote columns did.
  *
  * @param table the new version, or the same when there were no new values
  */
final private[spark] case class ColumnOutcome(
    table: LanceTable,
    rowsWritten: Long,
    fragmentsRewritten: Long
) extends JobResult {
  def schema: StructType = ColumnOutcome.schema

  def row: Row = Row(rowsWritten, fragmentsRewritten)
}

private[spark] object ColumnOutcome {
  val schema: StructType = new StructType()
    .add("rows_written", LongType, nullable = false)
    .add("fragments_rewritten", LongType, nullable = false)

  /** @param files with the new values */
  def apply(table: LanceTable, files: Seq[NewColumns]): ColumnOutcome =
    ColumnOutcome(table, rowsIn(files), files.length.toLong)

  /** Rows with new values. */
  def rowsIn(files: Seq[NewColumns]): Long = files.map(_.changed.getLongCardinality).sum
}
