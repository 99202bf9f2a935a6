// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.commit.{CommitInfo, Published, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.types.{BlobFields, ColumnOptions, LanceFields, TableKeys}
import io.github.pysparklance.table.{LanceTable, OtherTables, TargetBases}

/** The target of a write. Determines schema and file version, and commits the written fragments. */
private[spark] trait WriteTarget {
  def location: TableLocation

  /** Table properties, which are defaults of write options. */
  def properties: Map[String, String]

  /** The existing table at the base version of the write. */
  def existing: Option[LanceTable]

  /** Whether the table already contains a write, so that its rows must not be written.
    *
    * @param options options of the write
    */
  def has(options: WriteOptions): Boolean = existing.exists(options.info.isCommittedIn)

  /** The columns of the clustering key. */
  final def clusteringKey: Seq[String] =
    existing.toSeq.flatMap(t => TableKeys.clusteringColumns(t.schema))

  /** Plans a write of rows with these columns.
    *
    * @param columns columns of the rows
    * @param properties properties of the write, including column options
    * @param options options of the write
    * @param mode how to treat existing rows
    */
  def plan(
      columns: StructType,
      properties: Map[String, String],
      options: WriteOptions,
      mode: WriteMode
  ): WritePlan
}

/** Kinds of targets. */
private[spark] object WriteTarget {

  /** A location without a table.
    *
    * @param declared declared columns; `None` for the columns of the rows
    */
  final case class New(
      location: TableLocation,
      declared: Option[StructType],
      properties: Map[String, String]
  ) extends WriteTarget {

    def existing: Option[LanceTable] = None

    def plan(
        columns: StructType,
        columnOptions: Map[String, String],
        options: WriteOptions,
        mode: WriteMode
    ): WritePlan = {
      noBases(options)
      OtherTables.reject(location.store, location.path)
      val version = options.fileVersion.getOrElse(FileVersion.default)
      val schema = BlobFields.in(version)(LanceFields.schema(
        declared.getOrElse(columns),
        ColumnOptions(properties) ++ ColumnOptions(columnOptions)
      ))
      WritePlan(location, schema, columns, version, options) { written =>
        Published(Some(LanceTable.create(
          location.store,
          location.path,
          schema,
          written.fragments,
          version,
          TableProperties.kept(properties),
          options.info.properties,
          options.enableStableRowIds
        )))
      }
    }
  }

  /** A table that is created or replaced together with its rows. `publish` is called after the
    * write, or without a write.
    *
    * @param columns columns of the new table
    * @param replaced the existing table, at the version that is replaced
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
    private var tableCommit = TableCommit(location, replaced, options.info)
    private var version = options.fileVersion
      .getOrElse(replaced.fold[FileVersion](FileVersion.default)(_.fileVersion))
    private var schema: Schema = BlobFields.in(version)(LanceFields.schema(columns, properties))

    replaced match {
      case Some(table) => table.checkWritable()
      case None => OtherTables.reject(location.store, location.path)
    }

    /** Returns `None`, because the replaced table is not the base of the write. */
    def existing: Option[LanceTable] = None

    override def has(options: WriteOptions): Boolean = {
      commitBy(options)
      replaced.exists(options.info.isCommittedIn)
    }

    /** Sets the options of the write for [[publish]]. Spark plans the write after it staged the
      * table.
      */
    private def commitBy(write: WriteOptions): Unit = {
      options = write
      tableCommit = TableCommit(location, replaced, write.info)
    }

    def plan(
        columns: StructType,
        columnOptions: Map[String, String],
        options: WriteOptions,
        mode: WriteMode
    ): WritePlan = {
      noBases(options)
      options.fileVersion.foreach(version = _)
      commitBy(options)
      schema = BlobFields.in(version)(LanceFields.schema(
        this.columns,
        ColumnOptions(properties) ++ ColumnOptions(columnOptions)
      ))
      WritePlan(location, schema, columns, version, options) { rows =>
        written = TaskFiles(rows.fragments, zones = rows.zones)
        Published(None)
      }
    }

    /** Commits the table. */
    def publish(): Unit = {
      val outcome = tableCommit.run(written)(Published(Some(made())))
      outcome.published: Unit
    }

    private def made(): LanceTable = replaced match {
      case Some(table) =>
        val info = options.info
        val properties = info.properties ++ CommitInfo.by("REPLACE TABLE AS SELECT")
        table.overwrite(written.fragments, schema, version, config, properties, info.options)
      case None =>
        LanceTable.create(
          location.store,
          location.path,
          schema,
          written.fragments,
          version,
          config,
          options.info.properties ++ CommitInfo.by("CREATE TABLE AS SELECT"),
          options.enableStableRowIds
        )
    }

    /** Deletes the written files, and runs `andThen`. Does nothing if the table may have been
      * committed.
      */
    def discard(andThen: => Unit): Unit =
      if (!tableCommit.mayBeVisible) {
        try tableCommit.abort(written)
        finally andThen
      }
  }

  /** Rejects target base paths, because a new table has none. */
  private def noBases(options: WriteOptions): Unit =
    if (options.targetBases.nonEmpty) TargetBases.of(options.targetBases, Nil): Unit
}
