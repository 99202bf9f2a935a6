// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

import io.github.pysparklance.table.maintenance.CompactionMode

/** An operation on a table, applied by the model and by either side. Everything that depends on the
  * table's state is determined when it is applied, so a change stays valid if earlier changes are
  * left out.
  */
sealed trait Change {

  /** Whether the change is possible in this state. */
  def isPossible(s: ModelState): Boolean

  /** Applies the change to the model. */
  def model(s: ModelState): ModelState

  /** Applies the change with this connector; `s` is the state before. */
  def ours(t: OurTable, s: ModelState): Unit

  /** Returns a Python statement for pylance, with its arguments. It can use the names in
    * `table_model.py`, and `path`.
    */
  def pylance(s: ModelState): (String, Map[String, Any])

  /** The sides that can apply the change. */
  def sides: Seq[Side] = Side.both

  /** Branch and version to compare afterwards; the latest version if none is given. */
  def shown: (String, Option[Long])
}

/** A change that commits to a branch. */
sealed trait BranchChange extends Change {
  def branch: String
  final def shown: (String, Option[Long]) = (branch, None)

  def isPossible(v: ModelVersion): Boolean
  final def isPossible(s: ModelState): Boolean =
    s.branches.contains(branch) && isPossible(s(branch))

  def change(v: ModelVersion): ModelVersion
  def model(s: ModelState): ModelState = s.commit(branch)(change)

  def python(v: ModelVersion): (String, Map[String, Any])
  def pylance(s: ModelState): (String, Map[String, Any]) = {
    val (code, arguments) = python(s(branch))
    (code, arguments + ("branch" -> branch))
  }
}

/** A change that adds rows. */
sealed trait RowsChange extends Change {
  def branch: String
  def numRows: Int
  def rowsPerFile: Int
  def salt: Int
  def mode: String
  protected def fields(s: ModelState): Vector[ModelField]

  final protected def files(s: ModelState): Seq[Seq[ModelVersion.Row]] =
    s.newRows(fields(s), numRows, salt).grouped(rowsPerFile).toIndexedSeq

  final def isPossible(s: ModelState): Boolean = s.branches.contains(branch)
  final def shown: (String, Option[Long]) = (branch, None)
  final def pylance(s: ModelState): (String, Map[String, Any]) = (
    "write(path, branch, arrow(fields, rows), mode, rows_per_file)",
    Map[String, Any](
      "branch" -> branch,
      "mode" -> mode,
      "rows_per_file" -> rowsPerFile
    ) ++ Change.rows(fields(s), files(s).flatten)
  )
}

final case class Append(branch: String, numRows: Int, rowsPerFile: Int, salt: Int)
    extends RowsChange {
  def mode: String = "append"
  protected def fields(s: ModelState): Vector[ModelField] = s(branch).fields
  def model(s: ModelState): ModelState = s.commit(branch)(_.append(files(s))).withKeys(numRows)
  def ours(t: OurTable, s: ModelState): Unit = t.append(branch, files(s))
}

final case class Overwrite(branch: String, numRows: Int, rowsPerFile: Int, salt: Int)
    extends RowsChange {
  def mode: String = "overwrite"
  protected def fields(s: ModelState): Vector[ModelField] = ModelVersion.newFields
  def model(s: ModelState): ModelState =
    s.commit(branch)(_.overwrite(ModelVersion.newFields, files(s))).withKeys(numRows)
  def ours(t: OurTable, s: ModelState): Unit = t.overwrite(branch, files(s))
}

final case class Delete(branch: String, where: Condition) extends BranchChange {
  def isPossible(v: ModelVersion): Boolean = v.matching(where).nonEmpty
  def change(v: ModelVersion): ModelVersion = v.delete(where)
  def ours(t: OurTable, s: ModelState): Unit = t.delete(branch, where)
  def python(v: ModelVersion): (String, Map[String, Any]) =
    ("at(path, branch).delete(where)", Map("where" -> where.sql))
}

/** A change, and an append that started before it. */
final case class StaleAppend(branch: String, meanwhile: Change, append: Append) extends Change {
  def shown: (String, Option[Long]) = (branch, None)
  def isPossible(s: ModelState): Boolean = meanwhile.isPossible(s)
  def model(s: ModelState): ModelState = append.model(meanwhile.model(s))
  def ours(t: OurTable, s: ModelState): Unit = append.ours(t, meanwhile.model(s))
  def pylance(s: ModelState): (String, Map[String, Any]) = append.pylance(meanwhile.model(s))
}

/** A change, and a deletion of other rows that started before it. */
final case class StaleDelete(branch: String, meanwhile: Change, where: Condition) extends Change {
  def shown: (String, Option[Long]) = (branch, None)
  private[model] def keys(s: ModelState): Set[Long] =
    s(branch).matching(where).map(s(branch).key).toSet
  def isPossible(s: ModelState): Boolean = {
    lazy val others: Set[Long] = meanwhile match {
      case Delete(_, w) => s(branch).matching(w).map(s(branch).key).toSet
      case UpdateRows(_, w, _, _) => s(branch).matching(w).map(s(branch).key).toSet
      case _ => Set.empty
    }
    meanwhile.isPossible(s) && keys(s).nonEmpty && keys(s).intersect(others).isEmpty
  }
  def model(s: ModelState): ModelState = meanwhile.model(s).commit(branch)(_.deleteKeys(keys(s)))
  def ours(t: OurTable, s: ModelState): Unit = t.delete(branch, where)
  def pylance(s: ModelState): (String, Map[String, Any]) = Delete(branch, where).pylance(s)
}

final case class UpdateRows(branch: String, where: Condition, column: String, factor: Long)
    extends BranchChange {
  private def value(v: ModelVersion) = Expression(v.field(column).kind, factor)
  def isPossible(v: ModelVersion): Boolean = v.has(column) && v.matching(where).nonEmpty
  def change(v: ModelVersion): ModelVersion = v.updateRows(where, column, value(v))
  def ours(t: OurTable, s: ModelState): Unit =
    t.updateRows(branch, where, column, value(s(branch)))
  def python(v: ModelVersion): (String, Map[String, Any]) = (
    "at(path, branch).update({column: value}, where=where)",
    Map("column" -> column, "value" -> value(v).sql, "where" -> where.sql)
  )
}

final case class AddColumn(branch: String, column: String, kind: Kind, factor: Long)
    extends BranchChange {
  private def value = Expression(kind, factor)
  def isPossible(v: ModelVersion): Boolean = !v.has(column) && v.fragments.nonEmpty
  def change(v: ModelVersion): ModelVersion = v.addColumn(column, value)
  def ours(t: OurTable, s: ModelState): Unit = t.addColumn(branch, column, value)
  def python(v: ModelVersion): (String, Map[String, Any]) =
    ("at(path, branch).add_columns({column: value})", Map("column" -> column, "value" -> value.sql))
}

final case class AddNullColumn(branch: String, column: String, kind: Kind) extends BranchChange {
  def isPossible(v: ModelVersion): Boolean = !v.has(column)
  def change(v: ModelVersion): ModelVersion = v.addNullColumn(column, kind)
  def ours(t: OurTable, s: ModelState): Unit = t.addNullColumn(branch, column, kind)
  def python(v: ModelVersion): (String, Map[String, Any]) = (
    "at(path, branch).add_columns(pa.field(column, pa.type_for_alias(kind)))",
    Map("column" -> column, "kind" -> kind.name)
  )
}

final case class DropColumn(branch: String, column: String) extends BranchChange {
  def isPossible(v: ModelVersion): Boolean = v.has(column)
  def change(v: ModelVersion): ModelVersion = v.dropColumn(column)
  def ours(t: OurTable, s: ModelState): Unit = t.dropColumn(branch, column)
  def python(v: ModelVersion): (String, Map[String, Any]) =
    ("at(path, branch).drop_columns([column])", Map("column" -> column))
}

final case class RenameColumn(branch: String, column: String, to: String) extends BranchChange {
  def isPossible(v: ModelVersion): Boolean = v.has(column) && !v.has(to)
  def change(v: ModelVersion): ModelVersion = v.renameColumn(column, to)
  def ours(t: OurTable, s: ModelState): Unit = t.renameColumn(branch, column, to)
  def python(v: ModelVersion): (String, Map[String, Any]) = (
    "at(path, branch).alter_columns({'path': column, 'name': to})",
    Map("column" -> column, "to" -> to)
  )
}

/** Widens an int32 column to int64. If a fragment has no file with the column, pylance writes a
  * file of nulls, and this connector writes none.
  */
final case class WidenColumn(branch: String, column: String) extends BranchChange {
  def isPossible(v: ModelVersion): Boolean =
    v.has(column) && v.field(column).kind == Kind.Small && v.fragments.nonEmpty &&
      v.fragments.forall(_.files.exists(_.contains(v.field(column).id))) && !v.isIndexed(column)
  def change(v: ModelVersion): ModelVersion = v.widenColumn(column)
  def ours(t: OurTable, s: ModelState): Unit = t.widenColumn(branch, column)
  def python(v: ModelVersion): (String, Map[String, Any]) = (
    "at(path, branch).alter_columns({'path': column, 'data_type': pa.int64()})",
    Map("column" -> column)
  )
}

final case class UpdateColumn(branch: String, where: Condition, column: String, factor: Long)
    extends BranchChange {
  private def value(v: ModelVersion) = Expression(v.field(column).kind, factor)
  def isPossible(v: ModelVersion): Boolean = v.has(column) && v.matching(where).nonEmpty
  def change(v: ModelVersion): ModelVersion = v.updateColumn(where, column, value(v))
  def ours(t: OurTable, s: ModelState): Unit =
    t.updateColumn(branch, where, column, value(s(branch)))
  def python(v: ModelVersion): (String, Map[String, Any]) = (
    "update_column(path, branch, column, value, where)",
    Map("column" -> column, "value" -> value(v).sql, "where" -> where.sql)
  )
}

/** Compacts all fragments.
  *
  * @param mode how the new file is written
  */
final case class Compact(branch: String, mode: CompactionMode) extends BranchChange {
  // Indexed and unindexed fragments would not be compacted together.
  def isPossible(v: ModelVersion): Boolean = v.indices.isEmpty
  def change(v: ModelVersion): ModelVersion = v.compact(v.fragments.map(_.id).toSet)
  def ours(t: OurTable, s: ModelState): Unit = t.compact(branch, mode)
  def python(v: ModelVersion): (String, Map[String, Any]) =
    ("at(path, branch).optimize.compact_files(compaction_mode=mode)", Map("mode" -> mode.text))
}

/** An append, and a compaction that started before it. */
final case class StaleCompact(branch: String, meanwhile: Append, compact: Compact) extends Change {
  def shown: (String, Option[Long]) = (branch, None)
  def isPossible(s: ModelState): Boolean = compact.isPossible(s)
  def model(s: ModelState): ModelState =
    meanwhile.model(s).commit(branch)(_.compact(s(branch).fragments.map(_.id).toSet))
  def ours(t: OurTable, s: ModelState): Unit = compact.ours(t, s)
  def pylance(s: ModelState): (String, Map[String, Any]) = compact.pylance(s)
}

/** A change, and an update of other rows that started before it. */
final case class StaleUpdate(branch: String, meanwhile: Change, update: UpdateRows) extends Change {
  private def asDelete = StaleDelete(branch, meanwhile, update.where)
  def shown: (String, Option[Long]) = (branch, None)
  def isPossible(s: ModelState): Boolean = update.isPossible(s) && asDelete.isPossible(s)
  def model(s: ModelState): ModelState = {
    val keys = asDelete.keys(s)
    val value = Expression(s(branch).field(update.column).kind, update.factor)
    meanwhile.model(s).commit(branch)(_.updateKeys(keys, update.column, value))
  }
  def ours(t: OurTable, s: ModelState): Unit = update.ours(t, s)
  def pylance(s: ModelState): (String, Map[String, Any]) = update.pylance(s)
}

final case class Restore(branch: String, version: Long) extends Change {
  def shown: (String, Option[Long]) = (branch, None)
  def isPossible(s: ModelState): Boolean =
    s.branches.get(branch).exists(_.versions.exists(_.version == version))
  def model(s: ModelState): ModelState =
    s.commit(branch)(_.restore(s.branches(branch)(version)))
  def ours(t: OurTable, s: ModelState): Unit = t.restore(branch, version)
  def pylance(s: ModelState): (String, Map[String, Any]) =
    ("at(path, branch, version).restore()", Map("branch" -> branch, "version" -> version))
}

/** Changes metadata: values by key, none to remove the key. */
final case class SetMetadata(branch: String, of: String, entries: Map[String, Option[String]])
    extends BranchChange {
  def isPossible(v: ModelVersion): Boolean = Set("config", "table", "schema")(of) || v.has(of)
  def change(v: ModelVersion): ModelVersion = of match {
    case "config" => v.setConfig(entries)
    case "table" => v.setTableMetadata(entries)
    case "schema" => v.setSchemaMetadata(entries)
    case column => v.setFieldMetadata(column, entries)
  }
  def ours(t: OurTable, s: ModelState): Unit = t.setMetadata(branch, of, entries)
  def python(v: ModelVersion): (String, Map[String, Any]) =
    ("set_metadata(path, branch, of, entries)", Map("of" -> of, "entries" -> entries))
}

/** Creates or recreates an index. */
final case class CreateIndex(branch: String, column: String) extends BranchChange {
  override def sides: Seq[Side] = Seq(Side.Pylance)
  def isPossible(v: ModelVersion): Boolean = v.has(column) && v.fragments.nonEmpty
  def change(v: ModelVersion): ModelVersion = v.createIndex(column)
  def ours(t: OurTable, s: ModelState): Unit =
    throw new UnsupportedOperationException("this connector builds no indices yet")
  def python(v: ModelVersion): (String, Map[String, Any]) = (
    "at(path, branch).create_scalar_index(column, 'BTREE', name=name)",
    Map("column" -> column, "name" -> s"index_${v.field(column).id}")
  )
}

/** Changes nothing, but compares an older version. */
final case class LookBack(branch: String, version: Long) extends Change {
  override def sides: Seq[Side] = Seq(Side.Ours)
  def shown: (String, Option[Long]) = (branch, Some(version))
  def isPossible(s: ModelState): Boolean =
    s.branches.get(branch).exists(_.versions.exists(_.version == version))
  def model(s: ModelState): ModelState = s
  def ours(t: OurTable, s: ModelState): Unit = ()
  def pylance(s: ModelState): (String, Map[String, Any]) = ("pass", Map.empty)
}

/** Creates or updates a tag. */
final case class SetTag(name: String, branch: String, version: Long) extends Change {
  def shown: (String, Option[Long]) = (branch, Some(version))
  def isPossible(s: ModelState): Boolean =
    s.branches.get(branch).exists(_.versions.exists(_.version == version))
  def model(s: ModelState): ModelState = s.copy(tags = s.tags + (name -> (branch -> version)))
  def ours(t: OurTable, s: ModelState): Unit =
    t.setTag(name, branch, version, s.tags.contains(name))
  def pylance(s: ModelState): (String, Map[String, Any]) = {
    val call = if (s.tags.contains(name)) "update" else "create"
    (s"dataset(path).tags.$call(name, (branch, version))", Change.named(name, branch, version))
  }
}

final case class DeleteTag(name: String) extends Change {
  def shown: (String, Option[Long]) = ("main", None)
  def isPossible(s: ModelState): Boolean = s.tags.contains(name)
  def model(s: ModelState): ModelState = s.copy(tags = s.tags - name)
  def ours(t: OurTable, s: ModelState): Unit = t.tags.delete(name)
  def pylance(s: ModelState): (String, Map[String, Any]) =
    ("dataset(path).tags.delete(name)", Map("name" -> name))
}

final case class CreateBranch(name: String, from: String, version: Long) extends Change {
  def shown: (String, Option[Long]) = (name, None)
  def isPossible(s: ModelState): Boolean = !s.branches.contains(name) &&
    s.branches.get(from).exists(_.versions.exists(_.version == version))
  def model(s: ModelState): ModelState = {
    val first = s.branches(from)(version)
    s.copy(branches = s.branches + (name -> ModelBranch(Some(from -> version), Vector(first))))
  }
  def ours(t: OurTable, s: ModelState): Unit = t.createBranch(name, from, version)
  def pylance(s: ModelState): (String, Map[String, Any]) = (
    "dataset(path).create_branch(name, (branch, version))",
    Change.named(name, from, version)
  )
}

final case class DeleteBranch(name: String) extends Change {
  def shown: (String, Option[Long]) = ("main", None)
  def isPossible(s: ModelState): Boolean =
    s.branches.contains(name) && name != "main" && s.pinned(name).isEmpty
  def model(s: ModelState): ModelState = s.copy(branches = s.branches - name)
  def ours(t: OurTable, s: ModelState): Unit = t.branches.delete(name)
  def pylance(s: ModelState): (String, Map[String, Any]) =
    ("dataset(path).branches.delete(name)", Map("name" -> name))
}

/** Deletes all versions of a branch that no tag or branch references. */
final case class Cleanup(branch: String) extends Change {
  def shown: (String, Option[Long]) = (branch, None)
  def isPossible(s: ModelState): Boolean = s.branches.contains(branch)
  def model(s: ModelState): ModelState = {
    val b = s.branches(branch)
    val kept = s.pinned(branch) + b.latest.version
    val left = b.copy(versions = b.versions.filter(v => kept(v.version)))
    s.copy(branches = s.branches + (branch -> left))
  }
  def ours(t: OurTable, s: ModelState): Unit = t.cleanup(branch)
  def pylance(s: ModelState): (String, Map[String, Any]) =
    ("cleanup(path, branch)", Map("branch" -> branch))
}

object Change {
  private[model] def rows(
      fields: Seq[ModelField],
      rows: Seq[ModelVersion.Row]
  ): Map[String, Any] =
    Map("fields" -> fields.map(f => Seq[Any](f.name, f.kind.name, f.nullable)), "rows" -> rows)

  private[model] def named(name: String, branch: String, version: Long): Map[String, Any] = Map(
    "name" -> name,
    "branch" -> Some(branch).filter(_ != "main"),
    "version" -> version
  )
}
