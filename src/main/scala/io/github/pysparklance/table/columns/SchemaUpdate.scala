// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.{
  Column,
  CommitConflictException,
  Field,
  InvalidRequestException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange, SchemaChanges, SchemaEvolution}
import io.github.pysparklance.table.transaction.conflict.StoredConstraints
import io.github.pysparklance.table.transaction.operation.{EvolveRows, Merge, Operation, Project}
import io.github.pysparklance.table.transaction.{CommitOptions, Retry}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** Plans and commits changes of a table's columns. Before the commit, [[checks]] read data and
  * [[tasks]] write new data files. There is one of each per fragment, and they are independent of
  * each other. Renaming, moving, and dropping columns, metadata, and new columns of nulls need
  * neither, except for new members inside maps.
  *
  * {{{
  *   val update = SchemaUpdate.plan(table, Seq(SchemaChange.SetType(FieldPath.of("price"), Double)))
  *   val files = update.tasks.map(_.run(store))     // here, or on many machines
  *   val newTable = update.commit(files)
  * }}}
  * Committed as a `Project` if no file and no column is added, else as a `Merge`.
  *
  * Source: messages `Project` and `Merge`, transaction.proto.
  *
  * @param evolution the new schema
  * @param withValues whether new columns get values; the caller must then open the tasks and write
  *   rows
  * @param constants values of new columns that are equal in all rows, see [[SchemaUpdate.plan]]
  */
final class SchemaUpdate private (
    private[pysparklance] val table: LanceTable,
    changes: Seq[SchemaChange],
    val evolution: SchemaEvolution,
    withValues: Boolean,
    constants: Map[String, Column]
) {

  /** Checks of all fragments for columns that no longer allow nulls. */
  lazy val checks: IndexedSeq[NullCheck] =
    if (evolution.tightened.isEmpty) IndexedSeq.empty
    else table.fragments.indices.map(NullCheck(table, _, evolution.tightened))

  /** The files to write. */
  lazy val tasks: IndexedSeq[ColumnTask] = {
    val shapes = new ColumnShapes(evolution, table.fileVersion)
    if (withValues)
      table.fragments.indices.map { i =>
        shapes.checkValues(table.fragments(i))
        ColumnTask(table, i, shapes.added, ColumnTask.Nulls)
      }
    else {
      val constant = evolution.schema.fields.filter(f => constants.contains(f.name))
      if (shapes.areKept && constant.isEmpty) IndexedSeq.empty
      else
        table.fragments.indices.flatMap { i =>
          val (before, after) = shapes.rewritten(table.fragments(i)).unzip
          val base = ColumnTask.Cast(before, constant.map(f => constants(f.name)))
          if (after.isEmpty && constant.isEmpty) None
          else Some(ColumnTask(table, i, after ++ constant, base))
        }
    }
  }

  /** Runs checks and tasks in this process and commits. Retries on the latest version after a
    * conflict.
    *
    * @return this version if nothing changes
    */
  def run(
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = {
    if (withValues && table.fragments.nonEmpty)
      throw new InvalidRequestException(
        "new columns with values need rows; open the tasks and write them"
      )
    LocalTasks.run(checks)(_.run(table.store))(_ => ())
    val files = written(tasks)
    NewFiles.removedOnFailure(table, files) {
      commit(files, properties, options)
    }
  }

  /** Commits the files of all tasks. Run the checks before. After a conflict, performs the missing
    * work on the latest version and retries, if no rows are needed.
    *
    * @param rows new fragments with the new columns, to be added in the same version
    * @throws CommitConflictException if a concurrent commit conflicts, or added fragments that need
    *   values; the files remain, and a plan of the latest version can use the files of equal tasks,
    *   see [[reusable]]
    */
  def commit(
      files: Seq[NewColumns] = Nil,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions(),
      rows: IndexedSeq[Fragment] = IndexedSeq.empty
  ): LanceTable =
    if (evolution.schema == table.schema && rows.isEmpty) table
    else {
      val started = System.nanoTime()
      def attempt(update: SchemaUpdate, files: Seq[NewColumns], number: Int): LanceTable =
        try update.table.commit(update.operation(files, rows), properties, options)
        catch {
          case e: CommitConflictException if e.retryable && number < options.maxRetries =>
            Retry.backOff(number, (System.nanoTime() - started) / 1000000L / (number + 1))
            val found = table.latest
            val latest = SchemaUpdate.plan(found, changes, withValues, constants)
            if (rows.nonEmpty) checkSameRules(latest)
            val usable = latest.reusable(update, files)
            val done = usable.map(_.fragmentId).toSet
            val missing = latest.tasks.filterNot(t => done(t.fragmentId))
            if (withValues && missing.nonEmpty) throw e
            LocalTasks.run(latest.checks)(_.run(table.store))(_ => ())
            attempt(latest, usable ++ written(missing), number + 1)
        }
      attempt(this, files, 0)
    }

  /** Checks that rows which were written for this plan fit a plan of a later version: fields have
    * the same ids, also new ones, and the constraints are the same.
    */
  private def checkSameRules(later: SchemaUpdate): Unit = {
    SchemaUpdate.checkSameColumns(table, later.table)
    if (later.evolution.schema.fields != evolution.schema.fields)
      throw SchemaUpdate.conflict("field ids were assigned or released", table, later.table)
    if (!StoredConstraints.areSame(table.manifest, later.table.manifest))
      throw SchemaUpdate.conflict("constraints were changed", table, later.table)
  }

  /** Returns the version with its new columns without committing it, to be read before the commit.
    *
    * @param files files of all tasks; without them, columns with a new type read as null
    */
  private[pysparklance] def preview(files: Seq[NewColumns]): LanceTable =
    if (evolution.schema == table.schema) table
    else table.withColumns(evolution.schema, fragments(files))

  /** Commits the files of all tasks together with changes of rows. Conflicts with every concurrent
    * commit.
    *
    * @param rows offsets by fragment id, of rows to delete
    * @param added fragments without ids, with the new columns; with stable row ids they contain the
    *   ids of moved rows
    * @throws CommitConflictException retryable, after any concurrent commit; nothing was committed
    */
  private[pysparklance] def commitRows(
      files: Seq[NewColumns],
      rows: Map[Long, DeletionVector],
      added: IndexedSeq[Fragment],
      properties: Map[String, String],
      options: CommitOptions
  ): LanceTable = {
    checkComplete(files)
    // A removed fragment may have the id 0, which also means unassigned, so ids are assigned here.
    val firstId = table.manifest.maxFragmentId.fold(0L)(_ + 1)
    val numbered = added.zipWithIndex.map { case (f, i) =>
      Fragment(f.message.toBuilder.setId(firstId + i).build())
    }
    val operation = EvolveRows(
      rows,
      fragments(files),
      numbered,
      evolution.schema,
      evolution.preservesNullability
    )
    table.commit(operation, properties, options.copy(onlyOnBase = true))
  }

  private def written(tasks: IndexedSeq[ColumnTask]): IndexedSeq[NewColumns] =
    LocalTasks.run(tasks)(_.run(table.store))(NewFiles.remove(table.store, table.path, _))

  /** Returns the files of an earlier plan that tasks of this plan would write again.
    *
    * @param earlier a plan for the same changes on an earlier version
    */
  def reusable(earlier: SchemaUpdate, files: Seq[NewColumns]): Seq[NewColumns] = {
    val now = tasks.map(t => t.fragmentId -> t).toMap
    val before = earlier.tasks.map(t => t.fragmentId -> t).toMap
    files.filter { f =>
      now.get(f.fragmentId).zip(before.get(f.fragmentId)).exists { case (n, b) =>
        n.fields == b.fields && n.fragment.files == b.fragment.files
      }
    }
  }

  private def operation(files: Seq[NewColumns], rows: IndexedSeq[Fragment]): Operation =
    if (evolution.added.isEmpty && evolution.retyped.isEmpty && rows.isEmpty)
      Project(evolution.schema, evolution.preservesNullability)
    else {
      checkComplete(files)
      Merge(fragments(files) ++ rows, evolution.schema, evolution.preservesNullability)
    }

  private def checkComplete(files: Seq[NewColumns]): Unit = {
    val present = files.map(_.fragmentId).toSet
    tasks.find(t => !present(t.fragmentId)).foreach { t =>
      throw new InvalidRequestException(s"no new file for fragment ${t.fragmentId}")
    }
  }

  private def fragments(files: Seq[NewColumns]): IndexedSeq[Fragment] = {
    val byFragment = files.map(f => f.fragmentId -> f).toMap
    table.manifest.fragments.map { f =>
      byFragment.get(f.id).fold(f)(n => NewFiles.inFragment(f, n.file, evolution.schema))
    }
  }
}

object SchemaUpdate {

  /** Checks that two versions have the same columns, so that files written for the first fit the
    * second.
    *
    * @throws CommitConflictException not retryable
    */
  private[pysparklance] def checkSameColumns(before: LanceTable, now: LanceTable): Unit =
    if (now.schema.fields != before.schema.fields)
      throw conflict("the columns were changed", before, now)

  private def conflict(
      change: String,
      before: LanceTable,
      now: LanceTable
  ): CommitConflictException =
    new CommitConflictException(
      s"not committed: $change concurrently, up to version ${now.version}",
      now.version,
      retryable = false,
      Place(path = Some(before.path))
    )

  /** Checks changes and plans their execution.
    *
    * @param withValues whether new columns get values; otherwise they are null in all present rows
    * @param constants values of new columns that are equal in all rows, by name, each as a column
    *   of one row
    * @throws InvalidRequestException if a change is not valid
    * @throws UnsupportedFeatureException if files of the table's version do not support a change
    */
  def plan(
      table: LanceTable,
      changes: Seq[SchemaChange],
      withValues: Boolean = false,
      constants: Map[String, Column] = Map.empty
  ): SchemaUpdate = Place.in(Place(path = Some(table.path), version = Some(table.version))) {
    table.checkWritable()
    val evolution =
      new SchemaChanges(table.schema, highestFieldId(table), table.fileVersion)(changes)
    checkFiles(table, evolution)
    if (evolution.retyped.nonEmpty && evolution.tightened.nonEmpty)
      throw new InvalidRequestException(
        "a new type and SET NOT NULL cannot be combined; change the types first"
      )
    if (withValues && (evolution.retyped.nonEmpty || evolution.added.isEmpty))
      throw new InvalidRequestException(
        "values for new columns cannot be combined with other changes"
      )
    if (!withValues && table.fragments.nonEmpty) checkNullable(table, evolution, constants)
    checkDropped(table, evolution)
    checkIndices(table, evolution)
    checkWriteAheadLog(table, evolution, withValues || constants.nonEmpty)
    new SchemaUpdate(table, changes, evolution, withValues, constants)
  }

  /** Returns the highest field id in the schema or a data file. */
  private[table] def highestFieldId(table: LanceTable): Int =
    table.manifest.fragments.iterator
      .flatMap(_.files.iterator.flatMap(_.fields))
      .foldLeft(table.schema.maxFieldId)(math.max)

  private def checkNullable(
      table: LanceTable,
      evolution: SchemaEvolution,
      constants: Map[String, Column]
  ): Unit =
    evolution.added.foreach { path =>
      val place = Place(column = Some(path.toString))
      val constant = if (path.parent.isRoot) constants.get(path.name) else None
      if (!path.find(evolution.schema).last.nullable && constant.forall(_.isNull(0)))
        throw new InvalidRequestException(
          "a new column without values must be nullable, because the table has rows",
          place
        )
      if (table.fileVersion == FileVersion.V0_1 && constant.isEmpty)
        throw new UnsupportedFeatureException(
          "a new column without values in a table of file version 0.1",
          place
        )
    }

  /** Checks that files of the table's version can store new fields. Other columns are not checked,
    * because only other writers may support them.
    */
  private def checkFiles(table: LanceTable, evolution: SchemaEvolution): Unit = {
    val ids = (evolution.added.map(_.find(evolution.schema).last.id) ++
      evolution.retyped.map(_.after.last.id)).toSet
    val touched = evolution.schema.fields.filter(_.flatten.exists(f => ids(f.id)))
    if (touched.nonEmpty)
      FragmentWriter.check(evolution.schema.copy(fields = touched), table.fileVersion)
  }

  /** Rejects dropping all members of a list or struct that a fragment stores, because its rows and
    * lengths are stored with them.
    */
  private def checkDropped(table: LanceTable, evolution: SchemaEvolution): Unit = {
    val before = evolution.before.flatten.map(f => f.id -> f).toMap
    val ids = evolution.schema.flatten.map(_.id).toSet ++ evolution.retyped.map(_.before.last.id)
    def check(after: Field, path: FieldPath): Unit = if (!after.isLeaf) {
      after.children.foreach(c => check(c, path / c.name))
      before.get(after.id).map(_.flatten.map(_.id)).filterNot(_.forall(ids)).foreach { own =>
        table.fragments.foreach { f =>
          val stored = f.columns(own).keySet
          if (stored.nonEmpty && !stored.exists(ids))
            throw new UnsupportedFeatureException(
              s"dropping all members that have values in fragment ${f.id}, because the nulls and lengths of " +
                "the rest of " +
                "the column are stored with them; drop the whole column, or rewrite the table",
              Place(column = Some(path.toString))
            )
        }
      }
    }
    evolution.schema.fields.foreach(f => check(f, FieldPath.of(f.name)))
  }

  /** Rows in a write-ahead log belong to no fragment, so they are neither checked nor converted. */
  private def checkWriteAheadLog(
      table: LanceTable,
      evolution: SchemaEvolution,
      withValues: Boolean
  ): Unit =
    if (
      table.indices.exists(_.isMemWal) &&
      (withValues || evolution.retyped.nonEmpty || evolution.tightened.nonEmpty)
    )
      throw new UnsupportedFeatureException(
        "new values, types, and NOT NULL constraints in a table with a write-ahead log, because " +
          "they would miss its rows"
      )

  /** Rejects a new type for a column with an index, or inside an indexed list or struct. The change
    * would invalidate the index, so users must drop it first.
    */
  private def checkIndices(table: LanceTable, evolution: SchemaEvolution): Unit = {
    val retyped = evolution.retyped.map { r =>
      r -> (r.before ++ r.before.last.flatten).iterator.map(_.id).toSet
    }
    if (retyped.nonEmpty)
      table.indices.foreach { index =>
        retyped.find { case (_, related) => index.valueFields.exists(related) }.foreach {
          case (r, _) =>
            throw new InvalidRequestException(
              s"a new type would invalidate the index ${index.name} of the column; drop the index first",
              Place(column = Some(FieldPath(r.before.map(_.name)).toString))
            )
        }
      }
  }
}
