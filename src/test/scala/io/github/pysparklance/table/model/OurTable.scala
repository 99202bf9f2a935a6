// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import io.github.pysparklance.core.{
  BinaryValues,
  Column,
  Field,
  IntValues,
  LeafColumn,
  LogicalType,
  LongValues,
  RowRange,
  Schema,
  Validity,
  Values
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.columns.{ColumnTask, ColumnUpdate, NewColumns, SchemaUpdate}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.maintenance.{Compaction, CompactionMode, CompactionOptions}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.refs.{Branches, Revision, Tags}
import io.github.pysparklance.table.rowid.RowIdSequence
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.table.transaction.operation.UpdateMap
import io.github.pysparklance.table.{FragmentWriter, LanceTable}
import io.github.pysparklance.testkit.ColumnRows

/** This connector's side of the model-based test, through the public API of the table layer. */
final class OurTable(path: String) {
  private val store = Storage.local

  private var held = Option.empty[LanceTable]

  def at(branch: String, version: Option[Long] = None): LanceTable =
    held.getOrElse(LanceTable.open(store, path, Revision.OnBranch(branch, version)))

  /** Runs `later` on the version that is the latest before `first`. */
  def holding(branch: String)(first: => Unit)(later: => Unit): Unit = {
    val now = at(branch)
    first
    held = Some(now)
    try later
    finally held = None
  }

  def create(configuration: ModelConfiguration, rows: Seq[ModelVersion.Row]): Unit = {
    val schema = schemaOf(ModelVersion.newFields)
    val files = rows.grouped(configuration.rowsPerFile).toIndexedSeq
    LanceTable.create(
      store,
      path,
      schema,
      files.map(write(path, schema, configuration.fileVersion, _)).toIndexedSeq,
      configuration.fileVersion,
      enableStableRowIds = configuration.stableRowIds
    ): Unit
  }

  def append(branch: String, files: Seq[Seq[ModelVersion.Row]]): Unit = {
    val t = at(branch)
    t.append(files.map(write(t.path, t.schema, t.fileVersion, _)).toIndexedSeq): Unit
  }

  def overwrite(branch: String, files: Seq[Seq[ModelVersion.Row]]): Unit = {
    val t = at(branch)
    val schema = schemaOf(ModelVersion.newFields)
    t.overwrite(files.map(write(t.path, schema, t.fileVersion, _)).toIndexedSeq, schema): Unit
  }

  def delete(branch: String, where: Condition): Unit = {
    val t = at(branch)
    t.delete(vectors(matching(t, where)), where.sql): Unit
  }

  def updateRows(branch: String, where: Condition, column: String, value: Expression): Unit = {
    val t = at(branch)
    val rows = matching(t, where)
    val changed = rows.map { r =>
      r.cells - column ++ value(r.id).map(column -> _)
    }
    val file = write(t.path, t.schema, t.fileVersion, changed)
    val added =
      if (t.hasStableRowIds) {
        val ids = RowIdSequence.of(rows.map(_.rowId).toArray).toBytes
        Fragment.unassigned(file.files, rows.length.toLong, Some(ids))
      } else file
    t.update(vectors(rows), IndexedSeq(added), Set(t.schema.field(column).get.id)): Unit
  }

  private def change(t: LanceTable, c: SchemaChange): Unit =
    SchemaUpdate.plan(t, Seq(c)).run(): Unit

  private def added(name: String, kind: Kind): SchemaChange = SchemaChange.Add(
    FieldPath.root,
    Field(Field.Unassigned, name, LogicalType.parse(kind.name), nullable = true)
  )

  def addNullColumn(branch: String, name: String, kind: Kind): Unit =
    change(at(branch), added(name, kind))

  def addColumn(branch: String, name: String, value: Expression): Unit = {
    val t = at(branch)
    val update = SchemaUpdate.plan(t, Seq(added(name, value.kind)), withValues = true)
    update.commit(update.tasks.zipWithIndex.map { case (task, i) =>
      written(task, rows(t, i), value)
    }): Unit
  }

  def dropColumn(branch: String, name: String): Unit =
    change(at(branch), SchemaChange.Drop(FieldPath.of(name)))

  def renameColumn(branch: String, from: String, to: String): Unit =
    change(at(branch), SchemaChange.Rename(FieldPath.of(from), to))

  def widenColumn(branch: String, name: String): Unit = {
    val int64 = LogicalType.parse(Kind.Number.name)
    change(at(branch), SchemaChange.SetType(FieldPath.of(name), int64))
  }

  def updateColumn(branch: String, where: Condition, name: String, value: Expression): Unit = {
    val t = at(branch)
    val found = matching(t, where).groupBy(_.fragment)
    val update = ColumnUpdate.plan(t, Seq(name), Some(found.keySet))
    update.commit(update.tasks.map(task => written(task, found(task.fragmentId), value))): Unit
  }

  private def written(task: ColumnTask, rows: Seq[Found], value: Expression): NewColumns = {
    val writer = task.open(store)
    val column = OurTable.column(task.fields.head, rows.map(r => value(r.id)))
    writer.write(rows.map(_.offset.toLong).toArray, IndexedSeq(column))
    writer.finish()
  }

  def compact(branch: String, mode: CompactionMode): Unit =
    new Compaction(at(branch)).run(CompactionOptions(mode = mode)): Unit

  def setMetadata(branch: String, of: String, entries: Map[String, Option[String]]): Unit = {
    val t = at(branch)
    val changes = new MetadataChanges(t)
    val update = UpdateMap(entries.toSeq)
    val changed = of match {
      case "config" => changes.config(update)
      case "table" => changes.tableMetadata(update)
      case "schema" => changes.schemaMetadata(update)
      case column => changes.fieldMetadata(Map(t.schema.field(column).get.id -> update))
    }
    require(changed.version == t.version + 1)
  }

  def restore(branch: String, version: Long): Unit =
    new History(at(branch, Some(version))).restore(): Unit

  def createBranch(name: String, from: String, version: Long): Unit =
    branches.create(name, Revision.OnBranch(from, Some(version))): Unit

  def tags: Tags = LanceTable.tags(store, path)

  def branches: Branches = LanceTable.branches(store, path)

  def setTag(name: String, branch: String, version: Long, isThere: Boolean): Unit = {
    val revision = Revision.OnBranch(branch, Some(version))
    if (isThere) tags.update(name, revision): Unit else tags.create(name, revision): Unit
  }

  def cleanup(branch: String): Unit = {
    val policy = CleanupPolicy(errorIfTaggedOldVersions = false)
    at(branch).planCleanup(policy).run(store): Unit
  }

  /** A live row returned by a read. */
  private case class Found(
      fragment: Long,
      offset: Int,
      cells: Map[String, Any],
      rowId: Long,
      created: Long,
      updated: Long
  ) {
    def id: Long = cells("id").asInstanceOf[Long]
  }

  private def matching(t: LanceTable, where: Condition): Seq[Found] =
    t.fragments.indices.flatMap(rows(t, _)).filter(r => where(r.id))

  private def vectors(rows: Seq[Found]): Map[Long, DeletionVector] =
    rows.groupBy(_.fragment).map { case (f, rs) =>
      f -> DeletionVector.of(rs.map(_.offset).toArray)
    }

  private def rows(t: LanceTable, index: Int): IndexedSeq[Found] = {
    import MetadataColumn._
    val metadata = IndexedSeq(RowAddr, RowId, RowCreatedAtVersion, RowLastUpdatedAtVersion)
    val fields = t.schema.fields
    val all = RowRange(0, t.fragments(index).physicalRows.get)
    val scan = FragmentScan(t, index, all, None, FragmentScan.defaultGapRows, metadata)
    Using.resource(FragmentReader.open(store, scan, fields, metadata, batchRows = 5)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        val columns = reader.columns.map(ColumnRows(_))
        val live = if (reader.live == null) 0 until reader.numRows else reader.live.toSeq
        live.map { i =>
          val identity = (fields.length until columns.length).map(columns(_)(i).asInstanceOf[Long])
          val cells = fields.indices.flatMap { c =>
            Option(columns(c)(i)).map(v => fields(c).name -> OurTable.value(v))
          }
          Found(
            identity(0) >>> 32,
            (identity(0) & 0xffffffffL).toInt,
            cells.toMap,
            identity(1),
            identity(2),
            identity(3)
          )
        }.toVector
      }.toVector
    }
  }

  private def write(
      path: String,
      schema: Schema,
      version: FileVersion,
      rows: Seq[ModelVersion.Row]
  ): Fragment = {
    val writer = FragmentWriter.open(store, path, schema, version)
    writer.write(schema.fields.map(f => OurTable.column(f, rows.map(_.get(f.name)))), rows.length)
    writer.finish()
  }

  private def schemaOf(fields: Seq[ModelField]): Schema = Schema(
    fields.map(f => Field(f.id, f.name, LogicalType.parse(f.kind.name), f.nullable)).toIndexedSeq
  )

  /** The view of a version, see [[ModelView]]. */
  def view(branch: String, version: Option[Long] = None): Vector[String] = {
    val t = at(branch, version)
    Vector(s"version ${t.version}") ++
      t.schema.fields.map { f =>
        ModelView.field(f.id, f.name, LogicalType.text(f.logicalType), f.nullable, f.metadata)
      } ++
      Vector(s"schema metadata${ModelView.pairs(t.schema.metadata)}") ++
      t.fragments.indices.flatMap(fragmentView(t, _)) ++
      Vector(
        s"config${ModelView.pairs(t.manifest.config)}",
        s"table metadata${ModelView.pairs(t.manifest.tableMetadata)}"
      ) ++
      t.indices.map(i => ModelView.index(i.name, t.schema.byId(i.fields.head).get.name)).sorted
  }

  private def fragmentView(t: LanceTable, index: Int): Seq[String] = {
    val f = t.fragments(index)
    val numRows = f.physicalRows.get.toInt
    val deletions = t.deletionVector(f)
    val deleted = (0 until numRows).filter(i => deletions.isDeleted(i.toLong))
    ModelView.fragment(f.id, numRows, f.files.map(_.fields), deleted) +:
      rows(t, index).map { r =>
        val cells = t.schema.fields.map(c => c.name -> r.cells.getOrElse(c.name, "null").toString)
        ModelView.row(r.fragment, r.offset, cells, r.rowId, r.created, r.updated)
      }
  }

  /** The view of branches and tags, see [[ModelView]]. */
  def references: Vector[String] = {
    def versions(branch: String): Seq[Long] =
      LanceTable.history(store, path, Some(branch)).map(_.version).toSeq
    Vector(ModelView.branch("main", None, versions("main"))) ++
      branches.list().sortBy(_.name).map { b =>
        val parent = b.parentBranch.getOrElse("main") -> b.parentVersion
        ModelView.branch(b.name, Some(parent), versions(b.name))
      } ++
      tags.list().sortBy(_.name).map { t =>
        ModelView.tag(t.name, t.branch.getOrElse("main"), t.version)
      }
  }
}

object OurTable {

  private def value(read: Any): Any = read match {
    case bytes: Seq[_] => new String(bytes.map(_.asInstanceOf[Byte]).toArray, UTF_8)
    case number => number
  }

  private def column(field: Field, cells: Seq[Option[Any]]): Column = {
    val values = Values.allocate(field.valueType)
    val validity = new Validity
    cells.foreach { cell =>
      validity.append(cell.isDefined)
      (values, cell) match {
        case (v: LongValues, Some(n: Number)) => v.append(n.longValue)
        case (v: IntValues, Some(n: Number)) => v.append(n.intValue)
        case (v: BinaryValues, Some(text: String)) =>
          val bytes = text.getBytes(UTF_8)
          v.append(bytes, 0, bytes.length)
        case (v, None) => v.appendFiller(1)
        case other => throw new IllegalArgumentException(other.toString)
      }
    }
    LeafColumn(values, if (validity.hasNulls) validity else null)
  }
}
