// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn => SparkMetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  TableCapability
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Place}
import io.github.pysparklance.spark.common.{
  LanceErrors,
  LanceOptions,
  LocatedTable,
  OptionUse,
  TableLocation
}
import io.github.pysparklance.spark.scan.ScanStreams
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes, TypeOptions}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.{ChangeFeed, Changes}
import io.github.pysparklance.table.scan.ChangeColumn

/** The changes of a table as a Spark table: its columns, and the columns that describe the change
  * of a row. The range of versions is fixed on creation. All columns are nullable, because rows of
  * earlier versions lack columns that were added later.
  *
  * @param name name for messages
  * @param home where the whole table is, also for a branch
  * @param table the version that is read up to, unless the request names another one
  * @param types how values are represented
  * @param streams makes streams of the table, for the options of a read
  */
final private[spark] class ChangeTable(
    override val name: String,
    home: TableLocation,
    table: LanceTable,
    request: ChangeRequest,
    types: TypeOptions,
    streams: CaseInsensitiveStringMap => ScanStreams
) extends SupportsRead
    with SupportsMetadataColumns
    with LocatedTable {

  private val feed = new ChangeFeed(table)
  private val range = LanceErrors.translated(feed.range(request.begin, request.end))
  private val end = LanceErrors.translated(feed.at(range.end))
  private val fields = LanceErrors.translated(ChangeTable.fields(end, types))

  // A feed of the last version does not read its manifest again.
  private lazy val changes: Changes = {
    val identifiers = IdentifierColumns.resolved(request.identifierColumns, end.schema)
    new ChangeFeed(end).read(range, request.net, identifiers)
  }

  override private[spark] def homePath: String = home.path

  override def schema(): StructType = ChangeTable.schema(fields, types)

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ)

  override def metadataColumns(): Array[SparkMetadataColumn] = MetadataFields.ofChanges

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceErrors.translated {
      val set = LanceOptions(OptionUse.Read, options, end.manifest.config, home.options)
      val parallelism = SparkSession.active.sparkContext.defaultParallelism
      val read = ReadOptions(set, SQLConf.get, types, parallelism)
      if (read.includesDeleted)
        throw new InvalidRequestException(
          "includeDeletedRows and readChangeFeed are for different reads: a change feed has deleted rows in any case"
        )
      val location = home.copy(path = end.path)
      new ChangeScanBuilder(
        () => changes,
        fields,
        location.taskStore(Some(end)),
        read,
        request,
        streams(options)
      )
    }

  override def toString: String = name

  private def identity: Seq[Any] =
    Seq(
      name,
      table.path,
      range,
      end.manifest.transactionFile,
      request.net,
      request.identifierColumns,
      types
    )

  override def equals(other: Any): Boolean = other match {
    case t: ChangeTable => identity == t.identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode
}

private[spark] object ChangeTable {

  /** The columns of the table in its change feed.
    *
    * @throws InvalidRequestException if one has the name of a column of the change feed
    */
  def fields(table: LanceTable, types: TypeOptions): IndexedSeq[Field] = {
    val fields = types.fields(table.schema).map(nullable)
    ChangeColumn.all.map(_.name).find(c => fields.exists(_.name.equalsIgnoreCase(c))).foreach { c =>
      throw new InvalidRequestException(
        "the table has a column of this name, which its change feed would have as well: rename it to read changes",
        Place(path = Some(table.path), column = Some(c))
      )
    }
    fields
  }

  /** The columns of a change feed in Spark. */
  def schema(fields: IndexedSeq[Field], types: TypeOptions): StructType = StructType(
    SparkTypes.shownColumns(
      fields,
      types
    ).fields ++ ChangeColumn.all.map(MetadataFields.structField)
  )

  /** A field that may be null, with those below it, but for keys of maps. */
  private def nullable(field: Field): Field = field.logicalType match {
    case LogicalType.Map =>
      val entries = field.children.head
      val (key, value) = (entries.children(0), nullable(entries.children(1)))
      field.copy(
        nullable = true,
        children = IndexedSeq(entries.copy(children = IndexedSeq(key, value)))
      )
    case _ => field.copy(nullable = true, children = field.children.map(nullable))
  }
}
