// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.catalog.{
  StagedTable,
  SupportsRead,
  SupportsWrite,
  TableCapability
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.spark.scan.EmptyScan
import io.github.pysparklance.spark.streaming.sink.StreamingWrites
import io.github.pysparklance.spark.types.ColumnOptions
import io.github.pysparklance.spark.write.{
  LanceWriteBuilder,
  WriteMode,
  WriteOptions,
  WriteTarget,
  WrittenRows
}
import io.github.pysparklance.table.FragmentWriter

/** A path without a table. A write creates the table; reads fail. Spark loads the table in the same
  * way for reads and writes, so only the later calls distinguish them.
  */
final private[spark] class AbsentTable(location: TableLocation) extends SupportsWrite {
  override def name(): String = location.path

  override def schema(): StructType = new StructType

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(BATCH_WRITE, TRUNCATE, ACCEPT_ANY_SCHEMA)

  override def properties(): util.Map[String, String] =
    LanceSparkTable.properties(location.path).asJava

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new LanceWriteBuilder(info, WriteTarget.New(location, None, Map.empty))
}

/** A table that another catalog records, but whose location is empty. It has no rows, and the first
  * write creates it.
  *
  * @param columnTypes the declared columns
  * @param declared the declared table properties
  */
final private[spark] class DeclaredTable(
    location: Option[TableLocation],
    columnTypes: StructType,
    declared: Map[String, String]
) extends SupportsRead
    with SupportsWrite {
  private val path = location.fold("")(_.path)

  override def name(): String = s"lance $path"

  override def schema(): StructType = columnTypes

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(BATCH_READ, BATCH_WRITE, STREAMING_WRITE, TRUNCATE)

  override def properties(): util.Map[String, String] =
    (declared ++ LanceSparkTable.properties(path)).asJava

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    LanceErrors.translated(LanceOptions(options).checkNames(OptionUse.Read))
    () => new EmptyScan(path, columnTypes)
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = {
    val place = location.getOrElse(throw LanceErrors.rejected("option path is missing"))
    if (StreamingWrites.isStream(info)) inStream(place, info)
    else new LanceWriteBuilder(info, WriteTarget.New(place, Some(columnTypes), declared))
  }

  /** Starts the write of a micro-batch. The first one creates the empty table, like `toTable`, so
    * that queries which start at the same time write to one table.
    */
  private def inStream(place: TableLocation, info: LogicalWriteInfo): WriteBuilder = {
    LanceErrors.translated(StreamingWrites.check(info, place))
    if (PathTables.open(place).isEmpty) create(place, info.options())
    PathTables.load(place) match {
      case Some(table: SupportsWrite) => table.newWriteBuilder(info)
      case _ => throw LanceErrors.pathNotFound(place.path)
    }
  }

  private def create(place: TableLocation, options: CaseInsensitiveStringMap): Unit =
    LanceErrors.translated {
      // For a table by path, the options of the query are declared as properties.
      val properties = declared.filterNot { case (name, value) => options.get(name) == value }
      val columns = options.asCaseSensitiveMap().asScala.toMap
        .filter(o => ColumnOptions.isColumnOption(o._1))
      val write =
        WriteOptions(LanceOptions(OptionUse.Write, options, properties, place.options))
      // The session may number its batch writes, which this is not.
      val info = CommitInfo.none.withProperties(CommitInfo.by("CREATE TABLE"))
      val plan = WriteTarget.New(place, Some(DeclaredTable.nullable(columnTypes)), properties)
        .plan(columnTypes, columns, write.copy(info = info), WriteMode.Append)
      FragmentWriter.check(plan.schema, plan.fileVersion)
      try plan.publish(WrittenRows(IndexedSeq.empty, Nil)): Unit
      catch {
        // Another writer created it.
        case _: CommitConflictException if PathTables.open(place).isDefined => ()
      }
    }
}

private object DeclaredTable {

  /** Returns columns that accept nulls, as Spark declares them for queries. */
  private def nullable(columns: StructType): StructType =
    StructType(columns.map(_.copy(nullable = true)))
}

/** A table that is created or replaced together with its rows. It becomes visible with
  * [[commitStagedChanges]].
  *
  * @param target uncommitted write to the table
  */
final private[spark] class StagedLanceTable(
    target: WriteTarget.Staged,
    committed: () => Unit = () => (),
    aborted: () => Unit = () => ()
) extends StagedTable
    with SupportsWrite {

  /** Returns a copy that calls `next` after the table became visible. */
  def onCommit(next: () => Unit): StagedLanceTable = new StagedLanceTable(target, next, aborted)

  /** Returns a copy that calls `next` if the table is not created. */
  def onAbort(next: () => Unit): StagedLanceTable = new StagedLanceTable(target, committed, next)

  override def name(): String = target.location.path

  override def schema(): StructType = target.columns

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(BATCH_WRITE, TRUNCATE)

  override def properties(): util.Map[String, String] =
    (target.properties ++ LanceSparkTable.properties(target.location.path)).asJava

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new LanceWriteBuilder(info, target)

  override def commitStagedChanges(): Unit = {
    LanceErrors.translated(target.publish())
    committed()
  }

  /** Spark also calls this if [[commitStagedChanges]] fails after the table was created. */
  override def abortStagedChanges(): Unit = target.discard(aborted())
}
