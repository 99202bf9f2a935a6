// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{
  DeltaWrite,
  DeltaWriteBuilder,
  LogicalWriteInfo,
  RowLevelOperation,
  SupportsDelta
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{LogicalType, Optional, Place, UnsupportedFeatureException}
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{
  HiddenColumns,
  LanceErrors,
  LanceOptions,
  OptionUse,
  TableLocation
}
import io.github.pysparklance.spark.scan.LanceScanBuilder
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.spark.write.steps.RowConstraints
import io.github.pysparklance.spark.write.{
  ColumnEvolution,
  ExistingTable,
  LanceWriteBuilder,
  WriteMode,
  WriteOptions,
  WriteWithOptions
}
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.transaction.Retry
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** A DELETE, UPDATE, or MERGE by row address. Deletion files record the removed rows. Rows with new
  * values are written to new fragments, and keep their stable id if the table has stable row ids.
  *
  * @param table the version that is read, and that the commit is based on
  * @param scans creates the scan of a version
  * @param evolution column changes that are part of the command
  * @param commandOptions options of the command
  * @param condition SQL text of the condition, stored in the commit; requires the session extension
  */
final private[spark] class LanceRowLevelOperation(
    location: TableLocation,
    table: LanceTable,
    override val command: RowLevelOperation.Command,
    scans: (LanceTable, CaseInsensitiveStringMap) => LanceScanBuilder,
    private[spark] val evolution: Option[ColumnEvolution] = None,
    commandOptions: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty(),
    condition: Option[String] = None
) extends SupportsDelta {
  private var scan = Option.empty[LanceScanBuilder]

  LanceErrors.translated {
    table.checkWritable()
    HiddenColumns.check(table, MetadataColumn.RowAddr +: rowMetadata: _*)
    val internal = LanceRowLevelOperation.internal(command)
    HiddenColumns.checkInternal(table, evolved, command.toString, internal)
  }

  /** The version that is read, with the changed columns. */
  private def evolved: LanceTable = evolution.fold(table)(_.table)

  private def rowMetadata: Seq[MetadataColumn] =
    if (table.hasStableRowIds) Seq(MetadataColumn.RowId) else Nil

  /** Returns a copy with the condition of its command. */
  private[rowlevel] def describing(condition: Expression): LanceRowLevelOperation = {
    val text = condition.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql
    on(table, Some(text))
  }

  private def on(version: LanceTable, condition: Option[String]): LanceRowLevelOperation =
    new LanceRowLevelOperation(
      location,
      version,
      command,
      scans,
      evolution,
      commandOptions,
      condition
    )

  /** The version that it reads and that its commit is based on, and its location. */
  private[spark] def target: (TableLocation, LanceTable) = (location, table)

  /** Returns the same operation on the latest version.
    *
    * @return `None` if that version has other columns or constraints, so that the command must be
    *   analyzed again
    */
  private[rowlevel] def onLatest: Option[LanceRowLevelOperation] = {
    val latest = table.latest
    Optional.when(RowLevelTarget.haveSameRules(table, latest)) {
      evolution.foreach(_.moveTo(SparkSession.active, latest))
      on(latest, condition)
    }
  }

  override def description(): String = s"$command of ${table.path} version ${table.version}"

  override def rowId(): Array[NamedReference] =
    Array(Expressions.column(MetadataColumn.RowAddr.name))

  override def requiredMetadataAttributes(): Array[NamedReference] =
    rowMetadata.map(c => Expressions.column(c.name)).toArray

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    val builder = scans(evolved, options)
    scan = Some(builder)
    builder
  }

  override def newWriteBuilder(info: LogicalWriteInfo): DeltaWriteBuilder = new DeltaWriteBuilder {
    override def build(): DeltaWrite = LanceErrors.translated(new LanceDeltaWrite(plan(info)))
  }

  /** Returns the number of retries of the command.
    *
    * @param options write options
    */
  private[rowlevel] def retry(options: CaseInsensitiveStringMap): Retry =
    Retry.of(CommitInfo(writeOptions(options)).options)

  private def writeOptions(options: CaseInsensitiveStringMap): LanceOptions = {
    val requested = WriteWithOptions.of(commandOptions, options)
    LanceOptions(OptionUse.Write, requested, table.manifest.config, location.options)
  }

  private def plan(info: LogicalWriteInfo): DeltaPlan = {
    val options = WriteOptions(writeOptions(info.options()))
    val newRows = Optional.when(command != RowLevelOperation.Command.DELETE) {
      // Metadata columns of the condition follow the columns of the table.
      newRowsOf(StructType(info.schema().take(evolved.schema.fields.length)), options)
    }
    val metadata = info.metadataSchema().map[Seq[String]](_.fieldNames.toSeq).orElse(Nil)
    val rowIdAt = Optional.when(table.hasStableRowIds)(metadata.indexOf(MetadataColumn.RowId.name))
    DeltaPlan(
      location,
      table,
      evolution,
      command.toString,
      newRows,
      rowIdAt,
      options,
      condition.getOrElse(scan.toSeq.flatMap(_.pushedPredicates()).mkString(" AND "))
    )
  }

  private def newRowsOf(columns: StructType, options: WriteOptions): NewRows = {
    val write = ExistingTable(location, evolved, anySchema = false)
      .plan(columns, Map.empty, options, WriteMode.Append)
    if (command == RowLevelOperation.Command.UPDATE) checkReadable()
    LanceWriteBuilder.checkColumns(write)
    FragmentWriter.check(write.schema, write.fileVersion)
    NewRows(write.schema, columns, RowConstraints(table.manifest.config, columns))
  }

  /** Rejects types whose values would be lost in the rewritten rows. */
  private def checkReadable(): Unit =
    SparkTypes.unreadable(evolved.schema.fields).headOption.foreach { case (column, field) =>
      throw new UnsupportedFeatureException(
        s"UPDATE by new rows, which would lose the values of type ${LogicalType.text(field.logicalType)} in Spark; " +
          "set updateMode to columns, which needs the session extension of pyspark-lance",
        Place(path = Some(table.path), column = Some(column))
      )
    }
}

private object LanceRowLevelOperation {

  /** Names of the columns that Spark adds to the plan of a command, and resolves by name. */
  def internal(command: RowLevelOperation.Command): Seq[String] = command match {
    case RowLevelOperation.Command.DELETE => Nil
    case RowLevelOperation.Command.UPDATE => Seq(RowDeltaUtils.OPERATION_COLUMN)
    case RowLevelOperation.Command.MERGE =>
      Seq(
        RowDeltaUtils.OPERATION_COLUMN,
        "__row_from_source",
        "__row_from_target",
        "__row_id"
      )
  }
}
