// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta
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

import io.github.pysparklance.spark.common.{
  LanceErrors,
  LanceOptions,
  OptionUse,
  TableLocation
}
import io.github.pysparklance.spark.scan.LanceScanBuilder
import io.github.pysparklance.spark.write.{
  ExistingTable,
  LanceWriteBuilder,
  WriteMode,
  WriteOptions
}
import io.github.pysparklance.table.transaction.{Retry, RowRules}
import io.github.pysparklance.table.{FragmentWriter, LanceTable, MetadataColumn}

/** A DELETE, UPDATE or MERGE by row addresses: rows that go are noted in deletion files, rows with new values are
  * written to new fragments and keep their stable id where the table has such.
  *
  * @param loaded the version that is read and that the commit is based on
  * @param scans how a version is read
  */
final private[spark] class LanceRowLevelOperation(
    location: TableLocation,
    loaded: LanceTable,
    override val command: RowLevelOperation.Command,
    scans: (LanceTable, CaseInsensitiveStringMap) => LanceScanBuilder
) extends SupportsDelta {
  private var table = loaded
  private var scan = Option.empty[LanceScanBuilder]
  private var analysed = Option.empty[WriteDelta]
  private var isRerun = false

  LanceErrors.translated(table.checkWritable())

  private def rowMetadata: Seq[MetadataColumn] =
    if (table.hasStableRowIds) Seq(MetadataColumn.RowId) else Nil

  /** Notes the command that this is the operation of. */
  private[rowlevel] def remember(command: WriteDelta): Unit = analysed = Some(command)

  /** The version that it reads and that its commit is based on, and where it is. */
  private[spark] def target: (TableLocation, LanceTable) = (location, table)

  /** From now on the newest version is read, and the commit is based on it.
    *
    * @return false when it has other columns or constraints, so that the command has to be analysed anew
    */
  private[rowlevel] def moveToNewest(): Boolean = {
    val newest = table.newest
    val isSame = newest.schema == table.schema &&
      RowRules.areSame(newest.manifest, table.manifest)
    if (isSame) {
      table = newest
      isRerun = true
    }
    isSame
  }

  override def description(): String = s"$command of ${table.path} version ${table.version}"

  override def rowId(): Array[NamedReference] =
    Array(Expressions.column(MetadataColumn.RowAddr.name))

  override def requiredMetadataAttributes(): Array[NamedReference] =
    rowMetadata.map(c => Expressions.column(c.name)).toArray

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    val builder = scans(table, options)
    scan = Some(builder)
    builder
  }

  override def newWriteBuilder(info: LogicalWriteInfo): DeltaWriteBuilder = new DeltaWriteBuilder {
    override def build(): DeltaWrite = LanceErrors.translated(new LanceDeltaWrite(plan(info)))
  }

  private def plan(info: LogicalWriteInfo): DeltaPlan = {
    // Metadata columns that the condition names come behind those of the table.
    val columns = StructType(info.schema().take(table.schema.fields.length))
    val options = WriteOptions(
      LanceOptions(OptionUse.Write, info.options(), table.manifest.config, location.settings)
    )
    val write = ExistingTable(location, table, anySchema = false)
      .plan(columns, Map.empty, options, WriteMode.Append)
    if (command != RowLevelOperation.Command.DELETE) {
      LanceWriteBuilder.checkColumns(write)
      FragmentWriter.check(write.schema, write.fileVersion)
    }
    val metadata = info.metadataSchema().map[Seq[String]](_.fieldNames.toSeq).orElse(Nil)
    val rowIdAt = Option.when(table.hasStableRowIds)(metadata.indexOf(MetadataColumn.RowId.name))
    val runs = Retry.of(options.notes.options).maxRetries
    val rerun = if (isRerun || runs == 0) None else analysed.map(new Rerun(this, _, runs))
    DeltaPlan(location, table, write.schema, columns, rowIdAt, options, condition, rerun)
  }

  /** Without the session's extension no more is known of it than what the scan took. */
  private def condition: String = analysed.fold(
    scan.toSeq.flatMap(_.pushedPredicates()).mkString(" AND ")
  )(_.condition.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql)
}
