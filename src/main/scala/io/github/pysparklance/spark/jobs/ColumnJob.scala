// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import org.apache.spark.sql.{Column, DataFrame, Row}

import io.github.pysparklance.core.{Field, InvalidRequestException, Place}
import io.github.pysparklance.spark.commit.{CommitInfo, TaskFiles}
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

/** Writes complete columns of a table. Each fragment with new values gets one new file with these
  * columns. All other files stay, and rows keep their ids and addresses. The tasks of a Spark job
  * write the files; a single commit adds them.
  *
  * The values are a data frame with a column `_rowaddr` or `_rowid` that identifies the rows, in
  * any order. Rows that are not in the frame get null in new columns, and keep their values in
  * existing columns. Unknown or duplicate rows are rejected, without changing the table.
  */
private[spark] object ColumnJob {

  /** Adds columns with values.
    *
    * @param values data frame with the new columns and the row identifier
    * @param columns the new columns, with their types and metadata
    * @param rows rows of the same version with its metadata columns
    * @param columnOptions column options, such as the dimension of a vector
    * @throws org.apache.spark.sql.AnalysisException if the table has a column with the same name
    */
  def add(
      on: JobTable,
      values: DataFrame,
      columns: StructType,
      rows: => DataFrame,
      columnOptions: Map[String, String] = Map.empty,
      properties: Map[String, String] = Map.empty
  ): ColumnOutcome = LanceErrors.translated {
    rejectExisting(on.table, columns)
    val schema = BlobFields.in(on.table.fileVersion)(LanceFields.schema(columns, columnOptions))
    val changes = schema.fields.map(f => SchemaChange.Add(FieldPath.root, f))
    val update = SchemaUpdate.plan(on.table, changes, withValues = true)
    val fields = update.evolution.schema.fields.takeRight(columns.length)
    // Existing constraints cannot reference a new column.
    val files = write(on, values, fields, update.tasks, rows, areChecked = true)
    val present = files.map(_.fragmentId).toSet
    val missing = update.tasks.filterNot(t => present(t.fragmentId))
    val commit = on.commit()
    val nulls = commit.preparing(TaskFiles(columns = files))(withoutValues(on, missing))
    val all = files ++ nulls
    val table = commit.change(TaskFiles(columns = all))(update.commit(all, properties))
    ColumnOutcome(table, files)
  }

  /** Adds columns that are computed from the other columns of each row.
    *
    * @param columns the new columns and their expressions
    */
  def compute(
      on: JobTable,
      columns: Seq[(StructField, Column)],
      rows: => DataFrame,
      columnOptions: Map[String, String] = Map.empty,
      properties: Map[String, String] = Map.empty
  ): ColumnOutcome = LanceErrors.translated {
    on.checkVisible(MetadataColumn.RowAddr)
    val table = rows
    val made = columns.map { case (c, value) => value.as(c.name) }
    val values = table.select(table(MetadataColumn.RowAddr.name) +: made: _*)
    add(on, values, StructType(columns.map(_._1)), table, columnOptions, properties)
  }

  /** Updates existing columns.
    *
    * @param columns names of columns
    * @param info returns the commit properties and options for the number of updated rows
    * @param areChecked whether the values are known to satisfy the constraints of the table;
    *   otherwise they are checked
    * @throws org.apache.spark.sql.AnalysisException if a column does not exist, or a type does not
    *   fit
    */
  def update(
      on: JobTable,
      values: DataFrame,
      columns: Seq[String],
      rows: => DataFrame,
      info: Long => CommitInfo = _ => CommitInfo.none,
      areChecked: Boolean = false
  ): ColumnOutcome = LanceErrors.translated {
    val names = columns.map(nameOf(on.table, _))
    val plan = ColumnUpdate.plan(on.table, names)
    StoredRules.checkTrusted(on.table, shown(on.table), on.table.path)
    val files = write(on, values, plan.fields, plan.tasks, rows, areChecked)
    val said = info(ColumnOutcome.rowsIn(files))
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

  /** Writes nulls to new columns of fragments without values. */
  private def withoutValues(on: JobTable, tasks: IndexedSeq[ColumnTask]): IndexedSeq[NewColumns] = {
    val (store, path) = (on.taskStore, on.table.path)
    SparkTasks.run(on.session, s"filling new columns of $path with nulls", tasks)(
      _.run(store)
    )(NewFiles.remove(store, path, _))
  }

  private def rejectExisting(table: LanceTable, columns: StructType): Unit =
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

/** The result of a job that wrote columns.
  *
  * @param table the new version, or the previous one if nothing changed
  */
final private[spark] case class ColumnOutcome(
    table: LanceTable,
    rowsWritten: Long,
    fragmentsRewritten: Long
) extends JobResult {
  def schema: StructType = ColumnOutcome.schema

  def row: Row = Row(rowsWritten, fragmentsRewritten)
}

/** The schema of the result. */
private[spark] object ColumnOutcome {
  val schema: StructType = new StructType()
    .add("rows_written", LongType, nullable = false)
    .add("fragments_rewritten", LongType, nullable = false)

  /** @param files files with the new values */
  def apply(table: LanceTable, files: Seq[NewColumns]): ColumnOutcome =
    ColumnOutcome(table, rowsIn(files), files.length.toLong)

  /** Returns the number of updated rows. */
  def rowsIn(files: Seq[NewColumns]): Long = files.map(_.changed.getLongCardinality).sum
}
