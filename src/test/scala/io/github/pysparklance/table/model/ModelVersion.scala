// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

/** Types of the columns in the model. */
sealed abstract class Kind(val name: String)

object Kind {
  case object Number extends Kind("int64")
  case object Small extends Kind("int32")
  case object Text extends Kind("string")
}

final case class ModelField(
    id: Int,
    name: String,
    kind: Kind,
    nullable: Boolean = true,
    metadata: Map[String, String] = Map.empty
)

/** A row in the model.
  *
  * @param cells values by field id, none for null
  * @param rowId stable row id, if the table has them
  */
final case class ModelRow(cells: Map[Int, Any], rowId: Long, created: Long, updated: Long)

/** A fragment in the model.
  *
  * @param files field ids of each file, -2 for replaced columns
  * @param rows including deleted ones
  */
final case class ModelFragment(
    id: Long,
    files: Vector[Vector[Int]],
    rows: Vector[ModelRow],
    deleted: Set[Int] = Set.empty
) {
  def live: Vector[(Int, ModelRow)] =
    rows.indices.filterNot(deleted).map(i => i -> rows(i)).toVector
}

/** One version of an in-memory table. A minimal implementation of the manifests and operations on
  * the format page. Each operation returns the next version.
  *
  * @param maxFragmentId -1 if there never was a fragment
  * @param indices field ids by index name; the coverage is tested by lookups with pylance
  */
final case class ModelVersion(
    version: Long,
    stableRowIds: Boolean,
    fields: Vector[ModelField],
    fragments: Vector[ModelFragment],
    maxFragmentId: Long,
    nextRowId: Long,
    config: Map[String, String] = Map.empty,
    tableMetadata: Map[String, String] = Map.empty,
    schemaMetadata: Map[String, String] = Map.empty,
    indices: Map[String, Int] = Map.empty
) {
  import ModelVersion._

  private def next: ModelVersion = copy(version = version + 1)

  /** Appends files with these rows, one fragment per file. */
  def append(files: Seq[Seq[Row]]): ModelVersion =
    files.foldLeft(next)((v, rows) => v.withFragment(rows.map(v.newRow(_)).toVector))

  def overwrite(fields: Vector[ModelField], files: Seq[Seq[Row]]): ModelVersion =
    copy(
      fields = fields,
      fragments = Vector.empty,
      schemaMetadata = Map.empty,
      indices = Map.empty
    ).append(files)

  private def newRow(row: Row): ModelRow =
    ModelRow(
      fields.flatMap(f => row.get(f.name).map(f.id -> _)).toMap,
      rowId = Unassigned,
      created = version,
      updated = version
    )

  /** Rows without ids get the next ids. */
  private def withFragment(rows: Vector[ModelRow]): ModelVersion = {
    val fresh = rows.indices.filter(rows(_).rowId == Unassigned)
    val ids = fresh.zipWithIndex.map { case (row, i) => row -> (nextRowId + i) }.toMap
    val numbered = rows.zipWithIndex.map { case (r, i) =>
      r.copy(rowId = ids.getOrElse(i, r.rowId))
    }
    copy(
      fragments = fragments :+ ModelFragment(maxFragmentId + 1, Vector(fields.map(_.id)), numbered),
      maxFragmentId = maxFragmentId + 1,
      nextRowId = nextRowId + fresh.length
    )
  }

  private def cell(row: ModelRow, name: String): Option[Any] =
    fields.find(_.name == name).flatMap(f => row.cells.get(f.id))

  def field(name: String): ModelField = fields.find(_.name == name).get

  def has(name: String): Boolean = fields.exists(_.name == name)

  /** The value of `id`. */
  def key(row: ModelRow): Long = cell(row, "id").get.asInstanceOf[Long]

  private def matches(where: Condition)(row: ModelRow): Boolean = where(key(row))

  /** Live rows that match the condition. */
  def matching(where: Condition): Vector[ModelRow] =
    fragments.flatMap(_.live.map(_._2)).filter(matches(where))

  def liveRows: Vector[ModelRow] = fragments.flatMap(_.live.map(_._2))

  def delete(where: Condition): ModelVersion = next.copy(fragments = without(where(_)))

  def deleteKeys(keys: Set[Long]): ModelVersion = next.copy(fragments = without(keys))

  private def without(gone: Long => Boolean): Vector[ModelFragment] =
    fragments.map { f =>
      f.copy(deleted = f.deleted ++ f.live.collect { case (i, r) if gone(key(r)) => i })
    }.filter(_.live.nonEmpty)

  /** Moves rows with their new values to a new fragment. */
  def updateRows(where: Condition, column: String, value: Expression): ModelVersion =
    updateKeys(matching(where).map(key).toSet, column, value)

  def updateKeys(keys: Set[Long], column: String, value: Expression): ModelVersion = {
    val moved = liveRows.filter(r => keys(key(r))).map { r =>
      withCell(r, field(column).id, value)
        .copy(updated = version + 1, rowId = if (stableRowIds) r.rowId else Unassigned)
    }
    next.copy(fragments = without(keys)).withFragment(moved)
  }

  private def withCell(row: ModelRow, id: Int, value: Expression): ModelRow =
    value(key(row)) match {
      case Some(v) => row.copy(cells = row.cells + (id -> v))
      case None => row.copy(cells = row.cells - id)
    }

  /** An id above all ids in the schema and in files. */
  def nextFieldId: Int =
    (fields.map(_.id) ++ fragments.flatMap(_.files.flatten)).reduceOption(_ max _).getOrElse(-1) + 1

  /** Writes a new file per fragment. */
  def addColumn(name: String, value: Expression): ModelVersion = {
    val id = nextFieldId
    next.copy(
      fields = fields :+ ModelField(id, name, value.kind),
      fragments = fragments.map { f =>
        f.copy(
          files = f.files :+ Vector(id),
          rows = f.rows.map(withCell(_, id, value).copy(updated = version + 1))
        )
      }
    )
  }

  def addNullColumn(name: String, kind: Kind): ModelVersion =
    next.copy(fields = fields :+ ModelField(nextFieldId, name, kind))

  def dropColumn(name: String): ModelVersion = {
    val left = fields.filter(_.name != name)
    val ids = left.map(_.id).toSet
    next.copy(
      fields = left,
      indices = indices.filter(i => ids(i._2)),
      fragments = fragments.map { f =>
        f.copy(
          files = f.files.filter(_.exists(ids)),
          // Another column may get the id if no file contains it anymore.
          rows = f.rows.map(r => r.copy(cells = r.cells.filter(c => ids(c._1))))
        )
      }
    )
  }

  def renameColumn(from: String, to: String): ModelVersion =
    next.copy(fields = fields.map(f => if (f.name == from) f.copy(name = to) else f))

  /** Assigns a new id, and writes a new file per fragment. */
  def widenColumn(name: String): ModelVersion = {
    val (old, id) = (field(name).id, nextFieldId)
    val after = fields.map(f => if (f.id == old) f.copy(id = id, kind = Kind.Number) else f)
    val ids = after.map(_.id).toSet
    next.copy(
      fields = after,
      fragments = fragments.map { f =>
        f.copy(
          files = f.files.filter(_.exists(ids)) :+ Vector(id),
          rows = f.rows.map { r =>
            val cells = r.cells.map { case (i, v) => (if (i == old) id else i) -> v }
            r.copy(cells = cells, updated = version + 1)
          }
        )
      }
    )
  }

  /** Replaces values of a column in place, in fragments with matching rows. */
  def updateColumn(where: Condition, column: String, value: Expression): ModelVersion = {
    val id = field(column).id
    next.copy(fragments = fragments.map { f =>
      val changed = f.live.collect { case (i, r) if matches(where)(r) => i }.toSet
      if (changed.isEmpty) f
      else
        f.copy(
          files = f.files.map(_.map(i => if (i == id) -2 else i)).filter(_.exists(_ >= 0)) :+
            Vector(id),
          rows = f.rows.zipWithIndex.map { case (r, i) =>
            if (changed(i)) withCell(r, id, value).copy(updated = version + 1) else r
          }
        )
    })
  }

  /** Moves the rows of these fragments to one new fragment, if worthwhile; the other fragments are
    * newer. Creates two versions; the first reserves the id.
    */
  def compact(ids: Set[Long]): ModelVersion = {
    val (old, others) = fragments.partition(f => ids(f.id))
    val isWorthIt = old match {
      case Vector(one) => one.deleted.size > 0.1 * one.rows.length
      case several => several.nonEmpty
    }
    if (!isWorthIt) this
    else {
      val kept = old.flatMap(_.live.map(_._2))
      next.next
        .copy(fragments = others)
        .withFragment(kept.map(r => if (stableRowIds) r else r.copy(rowId = Unassigned)))
    }
  }

  def createIndex(column: String): ModelVersion = {
    val id = field(column).id
    next.copy(indices = indices + (s"index_$id" -> id))
  }

  def isIndexed(column: String): Boolean = has(column) && indices.values.toSet(field(column).id)

  /** The content of an earlier version of this branch. */
  def restore(old: ModelVersion): ModelVersion = old.copy(
    version = version + 1,
    maxFragmentId = math.max(maxFragmentId, old.maxFragmentId),
    nextRowId = math.max(nextRowId, old.nextRowId)
  )

  def setConfig(entries: Map[String, Option[String]]): ModelVersion =
    next.copy(config = merged(config, entries))

  def setTableMetadata(entries: Map[String, Option[String]]): ModelVersion =
    next.copy(tableMetadata = merged(tableMetadata, entries))

  def setSchemaMetadata(entries: Map[String, Option[String]]): ModelVersion =
    next.copy(schemaMetadata = merged(schemaMetadata, entries))

  def setFieldMetadata(name: String, entries: Map[String, Option[String]]): ModelVersion =
    next.copy(fields = fields.map { f =>
      if (f.name == name) f.copy(metadata = merged(f.metadata, entries)) else f
    })

  private def merged(
      old: Map[String, String],
      entries: Map[String, Option[String]]
  ): Map[String, String] = entries.foldLeft(old) {
    case (m, (k, Some(v))) => m + (k -> v)
    case (m, (k, None)) => m - k
  }

  /** The expected lines in the view of pylance and of this connector. */
  def view: Vector[String] = {
    def pairs(m: Map[String, String]): String = ModelView.pairs(m)
    Vector(s"version $version") ++
      fields.map(f => ModelView.field(f.id, f.name, f.kind.name, f.nullable, f.metadata)) ++
      Vector(s"schema metadata${pairs(schemaMetadata)}") ++
      fragments.flatMap { f =>
        ModelView.fragment(f.id, f.rows.length, f.files, f.deleted.toSeq.sorted) +: f.live.map {
          case (i, r) =>
            ModelView.row(
              f.id,
              i,
              fields.map(x => x.name -> r.cells.getOrElse(x.id, "null").toString),
              if (stableRowIds) r.rowId else f.id << 32 | i,
              if (stableRowIds) r.created else 1,
              if (stableRowIds) r.updated else 1
            )
        }
      } ++ Vector(s"config${pairs(config)}", s"table metadata${pairs(tableMetadata)}") ++
      indices.toVector.sorted.map { case (name, id) =>
        ModelView.index(name, fields.find(_.id == id).get.name)
      }
  }
}

object ModelVersion {

  /** Values by column, none for null. */
  type Row = Map[String, Any]

  private val Unassigned = -1L

  /** The columns of a new table. */
  val newFields: Vector[ModelField] = Vector(
    ModelField(0, "id", Kind.Number, nullable = false),
    ModelField(1, "v", Kind.Number),
    ModelField(2, "s", Kind.Text)
  )

  def create(stableRowIds: Boolean, files: Seq[Seq[Row]]): ModelVersion =
    ModelVersion(0, stableRowIds, newFields, Vector.empty, -1, 0).append(files)
}

/** Selects rows by the column `id`. */
final case class Condition(modulus: Long, remainder: Long) {
  def apply(id: Long): Boolean = id % modulus == remainder
  def sql: String = s"id % $modulus = $remainder"
}

/** A value computed from the column `id`; none for null. */
final case class Expression(kind: Kind, factor: Long) {
  def apply(id: Long): Option[Any] = kind match {
    case Kind.Number | Kind.Small => Some(id % 7 * factor).filter(_ != 0)
    case Kind.Text => Some(s"t${factor}_${id % 3}").filter(_ => id % 3 != 0)
  }
  def sql: String = kind match {
    case Kind.Number => s"nullif(id % 7 * $factor, 0)"
    case Kind.Small => s"cast(nullif(id % 7 * $factor, 0) as int)"
    case Kind.Text => s"nullif(concat('t${factor}_', cast(id % 3 as string)), 't${factor}_0')"
  }
}
