// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.commit.{CommitNotes, Published, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.types.{BlobFields, ColumnSettings, LanceFields, TableKeys}
import io.github.pysparklance.table.{LanceTable, OtherTables, TargetBases}

/** What a write goes to: decides schema and file version, and how the written fragments become visible. */
private[spark] trait WriteTarget {
  def location: TableLocation

  /** Properties of the table, which count where the write says nothing. */
  def properties: Map[String, String]

  /** The table that is there, at the version that the write begins with. */
  def existing: Option[LanceTable]

  /** Whether the table has a write already, so that its rows are not written.
    *
    * @param options of the write
    */
  def has(options: WriteOptions): Boolean = existing.exists(options.notes.areIn)

  /** Columns that say what its rows are near to. */
  final def clusteringKey: Seq[String] =
    existing.toSeq.flatMap(t => TableKeys.clusteringColumns(t.schema))

  /** The write that puts rows with these columns there.
    *
    * @param columns of the rows
    * @param properties given with the write, of which those about columns are used
    * @param mode what becomes of the rows that are there
    */
  def plan(
      columns: StructType,
      properties: Map[String, String],
      options: WriteOptions,
      mode: WriteMode
  ): WritePlan
}

private[spark] object WriteTarget {

  /** A place without a table.
    *
    * @param declared its columns where they are settled, else those of the rows
    */
  final case class New(
      location: TableLocation,
      declared: Option[StructType],
      properties: Map[String, String]
  ) extends WriteTarget {

    def existing: Option[LanceTable] = None

    def plan(
        columns: StructType,
        settings: Map[String, String],
        options: WriteOptions,
        mode: WriteMode
    ): WritePlan = {
      noBases(options)
      OtherTables.refuse(location.store, location.path)
      val version = options.fileVersion.getOrElse(FileVersion.default)
      val schema = BlobFields.in(version)(LanceFields.schema(
        declared.getOrElse(columns),
        ColumnSettings(properties) ++ ColumnSettings(settings)
      ))
      WritePlan(location, schema, columns, version, options) { written =>
        Published(Some(LanceTable.create(
          location.store,
          location.path,
          schema,
          written.fragments,
          version,
          TableProperties.kept(properties),
          options.notes.properties,
          options.enableStableRowIds
        )))
      }
    }
  }

  /** A table made or replaced in one step with its rows: `publish` comes after the write, or without any.
    *
    * @param columns the new table's
    * @param replaced the table that is there, at the version that is replaced
    */
  final class Staged(
      val location: TableLocation,
      val columns: StructType,
      val properties: Map[String, String],
      replaced: Option[LanceTable]
  ) extends WriteTarget {
    private var written = TaskFiles.none
    private val config = TableProperties.kept(properties)

    private var options = WriteOptions(TableProperties.options(properties, location))
    private var tableCommit = TableCommit(location, replaced, options.notes)
    private var version = options.fileVersion
      .getOrElse(replaced.fold[FileVersion](FileVersion.default)(_.fileVersion))
    private var schema: Schema = BlobFields.in(version)(LanceFields.schema(columns, properties))

    replaced match {
      case Some(table) => table.checkWritable()
      case None => OtherTables.refuse(location.store, location.path)
    }

    /** What is replaced is not what is written. */
    def existing: Option[LanceTable] = None

    override def has(options: WriteOptions): Boolean = {
      commitBy(options)
      replaced.exists(options.notes.areIn)
    }

    /** Lets [[publish]] commit by the options of the write, which Spark plans after it staged the table. */
    private def commitBy(write: WriteOptions): Unit = {
      options = write
      tableCommit = TableCommit(location, replaced, write.notes)
    }

    def plan(
        columns: StructType,
        settings: Map[String, String],
        options: WriteOptions,
        mode: WriteMode
    ): WritePlan = {
      noBases(options)
      options.fileVersion.foreach(version = _)
      commitBy(options)
      schema = BlobFields.in(version)(LanceFields.schema(
        this.columns,
        ColumnSettings(properties) ++ ColumnSettings(settings)
      ))
      WritePlan(location, schema, columns, version, options) { rows =>
        written = TaskFiles(rows.fragments, zones = rows.zones)
        Published(None)
      }
    }

    /** Makes the table visible. */
    def publish(): Unit = {
      val outcome = tableCommit.run(written)(Published(Some(made())))
      outcome.published: Unit
    }

    private def made(): LanceTable = replaced match {
      case Some(table) =>
        val notes = options.notes
        val properties = notes.properties ++ CommitNotes.by("REPLACE TABLE AS SELECT")
        table.overwrite(written.fragments, schema, version, config, properties, notes.options)
      case None =>
        LanceTable.create(
          location.store,
          location.path,
          schema,
          written.fragments,
          version,
          config,
          options.notes.properties ++ CommitNotes.by("CREATE TABLE AS SELECT"),
          options.enableStableRowIds
        )
    }

    /** Removes what was written, and does what else is to be done when there is no table; nothing when there may be
      * one.
      */
    def discard(andThen: => Unit): Unit =
      if (!tableCommit.mayBeVisible) {
        try tableCommit.abort(written)
        finally andThen
      }
  }

  /** A table that is made has no base paths yet. */
  private def noBases(options: WriteOptions): Unit =
    if (options.targetBases.nonEmpty) TargetBases.of(options.targetBases, Nil): Unit
}
