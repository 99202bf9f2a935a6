// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.{CommitConflictException, Field, InvalidRequestException, Place}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.transaction.conflict.StoredConstraints
import io.github.pysparklance.table.transaction.operation.{
  DataReplacement,
  Operation,
  Update,
  UpdateMode
}
import io.github.pysparklance.table.transaction.{CommitOptions, Retry}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** Updates whole columns of some fragments in place. Rows keep their addresses and ids, and other
  * columns keep their files. Each fragment gets one new file with the changed columns, whose
  * entries in old files become tombstones.
  *
  * {{{
  *   val update = ColumnUpdate.plan(table, Seq("price"))
  *   val files = update.tasks.map { t => val w = t.open(store); w.write(offsets, columns); w.finish() }
  *   val newTable = update.commit(files)
  * }}}
  * Committed as an `Update` in the mode `REWRITE_COLUMNS`, or as a `DataReplacement`.
  *
  * Source: messages `Update` and `DataReplacement`, transaction.proto.
  *
  * @param fields the columns to change
  * @param tasks one for each requested fragment
  */
final class ColumnUpdate private (
    table: LanceTable,
    val fields: IndexedSeq[Field],
    val tasks: IndexedSeq[ColumnTask],
    isReplacement: Boolean
) {

  /** Commits the files of some tasks. An update omits files without new values.
    *
    * @return this version if there is nothing to do
    * @throws CommitConflictException if a concurrent commit changed one of the rows, the columns,
    *   or the files of one of the fragments; nothing was committed
    */
  def commit(
      files: Seq[NewColumns],
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = {
    val known = tasks.map(_.fragmentId).toSet
    files.find(f => !known(f.fragmentId)).foreach { f =>
      throw new InvalidRequestException(
        s"a new file for fragment ${f.fragmentId}, which has no task"
      )
    }
    val used = if (isReplacement) files else files.filterNot(_.changed.isEmpty)
    if (used.isEmpty) table
    else {
      val started = System.nanoTime()
      def attempt(on: LanceTable, number: Int): LanceTable =
        try on.commit(operation(on, used), properties, options)
        catch {
          case e: CommitConflictException if e.retryable && number < ColumnUpdate.maxRetries =>
            Retry.backOff(number, (System.nanoTime() - started) / 1000000L / (number + 1))
            val latest = table.latest
            if (!fits(latest, used)) throw e
            attempt(latest, number + 1)
        }
      attempt(table, 0)
    }
  }

  /** Whether the files can be committed on a later version unchanged. The columns, constraints, and
    * files of the fragments must be the same, and no row with new values may have been deleted or
    * moved.
    */
  private def fits(latest: LanceTable, files: Seq[NewColumns]): Boolean = {
    val present = latest.manifest.fragments.map(f => f.id -> f).toMap
    val before = table.manifest.fragments.map(f => f.id -> f).toMap
    val hasSameRules = StoredConstraints.areSame(latest.manifest, table.manifest)
    val hasSameFields = fields.forall(f => latest.schema.field(f.name).contains(f))
    hasSameRules && hasSameFields && files.forall { n =>
      present.get(n.fragmentId).exists { now =>
        val earlier = before(n.fragmentId)
        now.files == earlier.files && (now.deletionFile == earlier.deletionFile ||
          !latest
            .deletionVector(now)
            .minus(table.deletionVector(earlier))
            .intersects(DeletionVector.of(n.changed)))
      }
    }
  }

  private def operation(on: LanceTable, files: Seq[NewColumns]): Operation =
    if (isReplacement) DataReplacement(files.map(f => f.fragmentId -> f.file))
    else {
      val present = on.manifest.fragments.map(f => f.id -> f).toMap
      val updated = files.toIndexedSeq.sortBy(_.fragmentId).map { n =>
        val f: Fragment = present(n.fragmentId)
        NewFiles.inFragment(f, n.file, on.schema)
      }
      Update(
        updatedFragments = updated,
        // Other writers compare them with the fields of indices, which can be lists or structs
        // above the columns.
        fieldsModified = fields.flatMap(_.flatten.map(_.id)).sorted,
        updateMode = UpdateMode.RewriteColumns,
        updatedFragmentOffsets = files.map(f => f.fragmentId -> f.changed).toMap
      )
    }
}

object ColumnUpdate {
  private val maxRetries = 10

  /** Plans new values for some rows. Other rows keep their values.
    *
    * @param columns names of columns
    * @param fragments ids of the fragments with rows to change; `None` for all
    * @throws InvalidRequestException if a column or fragment does not exist
    */
  def plan(
      table: LanceTable,
      columns: Seq[String],
      fragments: Option[Set[Long]] = None
  ): ColumnUpdate = plan(table, columns, fragments, ColumnTask.Values, isReplacement = false)

  /** Plans new values for all rows. Rows without a new value become null.
    *
    * @param columns names of columns
    * @param fragments ids of the fragments whose columns are replaced; `None` for all
    * @throws InvalidRequestException if a column or fragment does not exist, or the table has file
    *   version 0.1
    */
  def replace(
      table: LanceTable,
      columns: Seq[String],
      fragments: Option[Set[Long]] = None
  ): ColumnUpdate = {
    if (table.fileVersion == FileVersion.V0_1)
      throw new InvalidRequestException(
        "columns of a table of file version 0.1 cannot be replaced; update them instead",
        Place(path = Some(table.path))
      )
    plan(table, columns, fragments, ColumnTask.Nulls, isReplacement = true)
  }

  private def plan(
      table: LanceTable,
      columns: Seq[String],
      fragments: Option[Set[Long]],
      base: ColumnTask.Base,
      isReplacement: Boolean
  ): ColumnUpdate = Place.in(Place(path = Some(table.path), version = Some(table.version))) {
    table.checkWritable()
    if (columns.isEmpty) throw new InvalidRequestException("no columns to change")
    columns.find(c => table.schema.field(c).isEmpty).foreach { c =>
      throw new InvalidRequestException(s"""there is no column "$c"""")
    }
    val fields = table.schema.fields.filter(f => columns.contains(f.name))
    FragmentWriter.check(table.schema.copy(fields = fields), table.fileVersion)
    val ids = table.fragments.map(_.id)
    fragments.flatMap(_.find(id => !ids.contains(id))).foreach { id =>
      throw new InvalidRequestException(s"there is no fragment $id")
    }
    val tasks = table.fragments.indices
      .filter(i => fragments.forall(_(table.fragments(i).id)))
      .map(ColumnTask(table, _, fields, base))
    new ColumnUpdate(table, fields, tasks, isReplacement)
  }
}
