// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Place, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.commit.{CommitInfo, Published, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.{HiddenColumns, SchemaTasks, TableLocation}
import io.github.pysparklance.spark.types.{
  BlobFields,
  ColumnOptions,
  EncodingOverrides,
  LanceFields,
  SparkTypes,
  TableKeys,
  TypeOptions
}
import io.github.pysparklance.spark.write.steps.RowExpressions
import io.github.pysparklance.table.columns.{NewColumns, NewFiles, SchemaUpdate}
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.transaction.operation.Overwrite
import io.github.pysparklance.table.{LanceTable, TargetBases}

/** A write to an existing table.
  *
  * @param table base version of the commit
  * @param anySchema whether the write, not Spark, matches the columns of rows and table
  * @param evolution column changes of the statement; the rows already have the new columns
  * @param byName whether the write matches the columns by name, although it does not change the
  *   columns of the table. Spark does this for batch writes only
  * @param readsItself whether appended rows were selected by reading `table`
  */
final private[spark] case class ExistingTable(
    location: TableLocation,
    table: LanceTable,
    anySchema: Boolean,
    evolution: Option[ColumnEvolution] = None,
    byName: Boolean = false,
    readsItself: Boolean = false
) extends WriteTarget {

  def properties: Map[String, String] = table.manifest.config

  def existing: Option[LanceTable] = Some(table)

  def plan(
      columns: StructType,
      properties: Map[String, String],
      options: WriteOptions,
      mode: WriteMode
  ): WritePlan = {
    table.checkWritable()
    if (anySchema && options.overwriteSchema && mode != WriteMode.Replace)
      invalid("overwriteSchema requires mode overwrite, which replaces all rows")
    if (options.mergeSchema && options.overwriteSchema)
      invalid("the options mergeSchema and overwriteSchema cannot be combined")
    val write = new Write(columns, ColumnOptions(properties), options)
    mode match {
      case WriteMode.Append => write.append()
      case WriteMode.Replace => write.replace()
      case WriteMode.ReplaceWhere(condition, check) => write.replaceWhere(condition, check)
      case WriteMode.ReplaceKeys => write.replaceKeys()
    }
  }

  /** A single write, with the parts that all modes share. */
  final private class Write(rows: StructType, columnOptions: ColumnOptions, options: WriteOptions) {
    private val info = if (readsItself) options.info.unlessRowsChanged else options.info
    private val isMerged = anySchema && options.mergeSchema

    /** The column changes that the rows require. */
    private val update: Option[SchemaUpdate] =
      if (evolution.isDefined) evolution.map(_.plan)
      else if (!isMerged) None
      else {
        val declared = ColumnOptions.declared(table.manifest.config, table.schema.fields)
        val changes =
          MergedColumns.changes(
            shown(table.schema),
            rows,
            declared ++ columnOptions,
            table.fileVersion
          )
        if (changes.isEmpty) None else Some(SchemaUpdate.plan(table, changes))
      }

    private val bases =
      if (options.targetBases.isEmpty) IndexedSeq(None)
      else TargetBases.of(options.targetBases, table).places

    private def shown(schema: Schema): StructType =
      SparkTypes.shownColumns(schema.fields, TypeOptions.default)

    private def evolved: Schema = update.fold(table.schema)(_.evolution.schema)

    def append(): WritePlan = {
      checkVersion("files of version %s cannot be appended")
      planned(added, table.fileVersion) { written =>
        Published(Some(
          update match {
            case _ if written.fragments.isEmpty && evolution.isEmpty => table
            case Some(u) if evolution.isDefined =>
              u.commit(written.columns, info.properties, info.options, written.fragments)
            case Some(u) =>
              val columns = columnsOf(u)
              NewFiles.removedOnFailure(table, columns) {
                u.commit(columns, info.properties, info.options, written.fragments)
              }
            case None if readsItself =>
              // An update, so that other statements detect that these rows were selected.
              table.update(
                Map.empty,
                written.fragments,
                Set.empty,
                CommitInfo.by("INSERT") ++ info.properties,
                info.options
              )
            case None => table.append(written.fragments, info.properties, info.options)
          }
        ))
      }
    }

    def replace(): WritePlan = {
      val version = options.fileVersion.getOrElse(table.fileVersion)
      val keepsColumns = !(anySchema && options.overwriteSchema)
      val schema = BlobFields.in(version) {
        if (keepsColumns) EncodingOverrides(evolved.withFreshIds, typesOf(evolved))
        else LanceFields.schema(rows, columnOptions)
      }
      planned(schema, version) { written =>
        val operation =
          Overwrite(written.fragments, schema, Some(version), keepsColumns = keepsColumns)
        val done = table.commit(operation, info.properties, info.options)
        Published(Some(done), table.rowCount.getOrElse(0L))
      }
    }

    def replaceWhere(condition: Expression, check: Option[String]): WritePlan = {
      checkReplacing()
      val columns = shown(added)
      // Resolves the condition before writing, so that errors are reported early.
      val bound = RowExpressions.condition(columns, condition, check.getOrElse(condition.sql))
      val steps = RowSteps(check = check.map(bound -> _))
      planned(added, table.fileVersion, steps) { written =>
        val base = withColumns()
        val replace = new RowReplacement(location, base, info, _.where(condition))
        replaced(replace(written.fragments))
      }
    }

    def replaceKeys(): WritePlan = {
      checkReplacing()
      val nested = TableKeys.nestedClusteringFields(table.schema)
      if (nested.nonEmpty)
        invalid(
          s"a dynamic overwrite of a table that is clustered by nested fields (${nested.mkString(", ")}) " +
            "is not supported; replaceWhere selects the rows to replace"
        )
      val key = TableKeys.clusteringColumns(table.schema)
      if (key.isEmpty)
        invalid(
          "a dynamic overwrite needs a table with a clustering key, from PARTITIONED BY or CLUSTER BY; " +
            "replaceWhere selects the rows to replace in other tables"
        )
      val columns = shown(added)
      val steps = RowSteps(key = RowExpressions.columns(columns, key))
      planned(added, table.fileVersion, steps) { written =>
        val fields = key.map(columns(_))
        val replace =
          new RowReplacement(location, withColumns(), info, _.having(fields, written.keys))
        replaced(replace(written.fragments))
      }
    }

    private def checkReplacing(): Unit = {
      checkVersion("files of version %s cannot be added")
      HiddenColumns.check(table, MetadataColumn.RowAddr)
    }

    private def replaced(done: (LanceTable, Long)): Published = Published(Some(done._1), done._2)

    /** Commits new columns of the rows as a separate version, before the version with the rows. */
    private def withColumns(): LanceTable = update.fold(table) { u =>
      val columns = columnsOf(u)
      val changed = TableCommit(table).change(TaskFiles(columns = columns)) {
        u.commit(columns, options = info.options)
      }
      if (changed.schema.fields != u.evolution.schema.fields)
        invalid("the columns were changed meanwhile; run the write again")
      changed
    }

    private def columnsOf(update: SchemaUpdate): IndexedSeq[NewColumns] =
      SchemaTasks.write(SparkSession.active, location.taskStore(existing), update)

    /** The schema of new files: the table schema with encoder properties of the write. */
    private def added: Schema = EncodingOverrides(evolved, typesOf(evolved))

    /** Properties without new columns, whose properties are already in the schema. */
    private def typesOf(schema: Schema): ColumnOptions =
      if (update.isEmpty) columnOptions
      else columnOptions.copy(members = columnOptions.members.filter { case (name, _) =>
        table.schema.fields.exists(_.name.equalsIgnoreCase(name)) ||
        !schema.fields.exists(_.name.equalsIgnoreCase(name))
      })

    private def checkVersion(problem: String): Unit =
      options.fileVersion.filter(_ != table.fileVersion).foreach { v =>
        invalid(s"the table has files of version ${table.fileVersion}, ${problem.format(v)}")
      }

    private def planned(schema: Schema, version: FileVersion, steps: RowSteps = RowSteps())(
        publish: WrittenRows => Published
    ): WritePlan = {
      val columns = shown(schema)
      if (!isMerged && !byName)
        WritePlan(location, schema, rows, version, options, existing, steps, bases, evolution)(
          publish
        )
      else {
        val projection = RowExpressions.projection(location.path, columns, rows)
        val projected = steps.copy(projection = Some(projection))
        WritePlan(location, schema, columns, version, options, existing, projected, bases)(publish)
      }
    }
  }

  private def invalid(problem: String): Nothing =
    throw new InvalidRequestException(problem, Place(path = Some(location.path)))
}
