// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Place, Schema}
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.types.{
  BlobFields,
  ColumnSettings,
  EncodingOverrides,
  LanceFields
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment

/** What a write goes to: decides schema and file version, and how the written fragments become visible. */
sealed private[spark] trait WriteTarget {
  def location: TableLocation

  /** Properties of the table, which count where the write says nothing. */
  def properties: Map[String, String]

  /** The write that puts rows with these columns there.
    *
    * @param columns of the rows
    * @param properties given with the write, of which those about columns are used
    * @param overwrite whether the rows replace what is there
    */
  def plan(
      columns: StructType,
      properties: Map[String, String],
      options: WriteOptions,
      overwrite: Boolean
  ): WritePlan
}

private[spark] object WriteTarget {

  /** A table, at the version that the commit will be based on.
    *
    * @param anySchema whether an overwrite may replace the schema
    */
  final case class Existing(location: TableLocation, table: LanceTable, anySchema: Boolean)
      extends WriteTarget {

    def properties: Map[String, String] = table.manifest.config

    def plan(
        columns: StructType,
        properties: Map[String, String],
        options: WriteOptions,
        overwrite: Boolean
    ): WritePlan = {
      table.checkWritable()
      if (overwrite) replace(columns, properties, options)
      else append(columns, properties, options)
    }

    private def append(
        columns: StructType,
        properties: Map[String, String],
        options: WriteOptions
    ): WritePlan = {
      if (anySchema) invalid("overwriteSchema goes with mode overwrite only")
      options.fileVersion.filter(_ != table.fileVersion).foreach { v =>
        invalid(
          s"the table has files of version ${table.fileVersion}, files of version $v cannot be appended"
        )
      }
      // The table keeps its schema; the new files alone go by what the options say.
      val schema = EncodingOverrides(table.schema, ColumnSettings(properties))
      WritePlan(location, schema, columns, table.fileVersion, options) { fragments =>
        if (fragments.nonEmpty) table.append(fragments): Unit
      }
    }

    private def replace(
        columns: StructType,
        properties: Map[String, String],
        options: WriteOptions
    ): WritePlan = {
      val version = options.fileVersion.getOrElse(table.fileVersion)
      val schema = BlobFields.in(version) {
        if (anySchema) LanceFields.schema(columns, properties)
        else EncodingOverrides(table.schema.withFreshIds, ColumnSettings(properties))
      }
      WritePlan(location, schema, columns, version, options) { fragments =>
        table.overwrite(fragments, schema, version): Unit
      }
    }

    private def invalid(problem: String): Nothing =
      throw new InvalidRequestException(problem, Place(path = Some(location.path)))
  }

  /** A place without a table.
    *
    * @param declared its columns where they are settled, else those of the rows
    */
  final case class New(
      location: TableLocation,
      declared: Option[StructType],
      properties: Map[String, String]
  ) extends WriteTarget {

    def plan(
        columns: StructType,
        settings: Map[String, String],
        options: WriteOptions,
        overwrite: Boolean
    ): WritePlan = {
      val version = options.fileVersion.getOrElse(FileVersion.default)
      val schema = BlobFields.in(version)(LanceFields.schema(
        declared.getOrElse(columns),
        ColumnSettings(properties) ++ ColumnSettings(settings)
      ))
      WritePlan(location, schema, columns, version, options) { fragments =>
        LanceTable.create(
          location.store,
          location.path,
          schema,
          fragments,
          version,
          TableProperties.kept(properties)
        ): Unit
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
    private var written = IndexedSeq.empty[Fragment]
    private val config = TableProperties.kept(properties)
    private var version = TableProperties
      .fileVersion(properties)
      .getOrElse(replaced.fold[FileVersion](FileVersion.default)(_.fileVersion))
    private var schema: Schema = BlobFields.in(version)(LanceFields.schema(columns, properties))

    replaced.foreach(_.checkWritable())

    def plan(
        columns: StructType,
        settings: Map[String, String],
        options: WriteOptions,
        overwrite: Boolean
    ): WritePlan = {
      options.fileVersion.foreach(version = _)
      schema = BlobFields.in(version)(LanceFields.schema(
        this.columns,
        ColumnSettings(properties) ++ ColumnSettings(settings)
      ))
      WritePlan(location, schema, columns, version, options)(fragments => written = fragments)
    }

    /** Makes the table visible. */
    def publish(): Unit = replaced match {
      case Some(table) => table.overwrite(written, schema, version, config): Unit
      case None =>
        LanceTable.create(location.store, location.path, schema, written, version, config): Unit
    }

    /** Removes what was written. */
    def discard(): Unit = WrittenFiles.delete(location, written)
  }
}
