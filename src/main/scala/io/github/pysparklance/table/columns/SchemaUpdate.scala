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
import io.github.pysparklance.table.{FragmentWriter, LanceTable}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange, SchemaChanges, SchemaEvolution}
import io.github.pysparklance.table.transaction.{CommitOptions, Retry}
import io.github.pysparklance.table.transaction.operation.{EvolveRows, Merge, Operation, Project}

/** Changes of the columns of one version of a table, and what is to be done for them before they can be committed:
  * [[checks]] read, [[tasks]] write new data files, both one for each fragment and independent of one another. New names,
  * places and notes, dropped columns and new columns of nulls take neither, but for new members inside of maps.
  *
  * {{{
  *   val update = SchemaUpdate.plan(table, Seq(SchemaChange.SetType(FieldPath.of("price"), Double)))
  *   val files = update.tasks.map(_.run(store))     // here, or on many machines
  *   val newTable = update.commit(files)
  * }}}
  * Becomes a `Project` when no file is added and no column, else a `Merge`.
  *
  * Source: messages `Project` and `Merge`, transaction.proto.
  *
  * @param evolution what becomes of the schema
  * @param withValues whether new columns get values: then the tasks are to be opened and given rows
  * @param constants values of new columns that are the same in all rows, see [[SchemaUpdate.plan]]
  */
final class SchemaUpdate private (
    private[pysparklance] val table: LanceTable,
    changes: Seq[SchemaChange],
    val evolution: SchemaEvolution,
    withValues: Boolean,
    constants: Map[String, Column]
) {

  /** Fragments in which columns that forbid nulls from now on have to be looked at. */
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

  /** Runs what can be run here, and commits. Goes on with the newest version when others were faster.
    *
    * @return this version when nothing changes
    */
  def run(
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable = {
    if (withValues && table.fragments.nonEmpty)
      throw new InvalidRequestException(
        "new columns with values, whose tasks have to be given rows"
      )
    LocalTasks.run(checks)(_.run(table.store))(_ => ())
    val files = written(tasks)
    NewFiles.removedOnFailure(table, files) {
      commit(files, properties, options)
    }
  }

  /** Commits the files of all tasks, after the checks. When the table was changed meanwhile, does on the newest version
    * what is missing there, if it can be done without rows.
    *
    * @param rows new fragments with the columns as they become, to be added in the same version
    * @throws CommitConflictException when somebody else changed the table in a way that does not go together with it,
    *   or added fragments that need values; the files stay, and a plan of the newest version can use those for which it
    *   has the same task, see [[reusable]]
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
            val found = table.newest
            if (rows.nonEmpty) SchemaUpdate.checkSameColumns(table, found)
            val newest = SchemaUpdate.plan(found, changes, withValues, constants)
            val usable = newest.reusable(update, files)
            val done = usable.map(_.fragmentId).toSet
            val missing = newest.tasks.filterNot(t => done(t.fragmentId))
            if (withValues && missing.nonEmpty) throw e
            LocalTasks.run(newest.checks)(_.run(table.store))(_ => ())
            attempt(newest, usable ++ written(missing), number + 1)
        }
      attempt(this, files, 0)
    }

  /** The version with its columns as they become, which is not committed: to be read before it is.
    *
    * @param files of all tasks; without them, rows have null in columns with a new type
    */
  private[pysparklance] def preview(files: Seq[NewColumns]): LanceTable =
    if (evolution.schema == table.schema) table
    else table.withColumns(evolution.schema, fragments(files))

  /** Commits the files of all tasks together with changes of rows. Whatever others committed meanwhile is a conflict.
    *
    * @param rows offsets by fragment id, of rows that go
    * @param added fragments without ids, with the columns as they become; with stable row ids they name the rows that
    *   moved there
    * @throws CommitConflictException that is retryable when somebody else committed anything; nothing was committed
    */
  private[pysparklance] def commitRows(
      files: Seq[NewColumns],
      rows: Map[Long, DeletionVector],
      added: IndexedSeq[Fragment],
      properties: Map[String, String],
      options: CommitOptions
  ): LanceTable = {
    checkComplete(files)
    // A fragment that goes may have the id 0, which stands for none.
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

  /** The files of an earlier plan that tasks of this one would write again.
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

  /** Fails when the columns changed between two versions, so that what was written for the first does not fit.
    *
    * @throws CommitConflictException that running again does not help
    */
  private[pysparklance] def checkSameColumns(before: LanceTable, now: LanceTable): Unit =
    if (now.schema.fields != before.schema.fields)
      throw new CommitConflictException(
        s"not committed: the columns were changed meanwhile, up to version ${now.version}",
        now.version,
        retryable = false,
        Place(path = Some(before.path))
      )

  /** Checks changes and finds out what they take.
    *
    * @param withValues whether new columns get values; else they are null in all rows that are there
    * @param constants names of new columns that all rows get the same value in, each with a column of one row
    * @throws InvalidRequestException when a change cannot be made
    * @throws UnsupportedFeatureException when files of the table's version cannot follow
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
        "a new type and a ban on nulls at once: change the types first"
      )
    if (withValues && (evolution.retyped.nonEmpty || evolution.added.isEmpty))
      throw new InvalidRequestException("values for new columns, together with other changes")
    if (!withValues && table.fragments.nonEmpty) checkNullable(table, evolution, constants)
    checkDropped(table, evolution)
    checkIndices(table, evolution)
    checkWriteAheadLog(table, evolution, withValues || constants.nonEmpty)
    new SchemaUpdate(table, changes, evolution, withValues, constants)
  }

  /** The highest field id that the schema or a file names. */
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
          "a new column without values has to allow nulls: the table has rows",
          place
        )
      if (table.fileVersion == FileVersion.V0_1 && constant.isEmpty)
        throw new UnsupportedFeatureException(
          "a new column without values in a table of file version 0.1",
          place
        )
    }

  /** Whether files of the table's version can hold what is new. Other columns may be ones that only others write. */
  private def checkFiles(table: LanceTable, evolution: SchemaEvolution): Unit = {
    val ids = (evolution.added.map(_.find(evolution.schema).last.id) ++
      evolution.retyped.map(_.after.last.id)).toSet
    val touched = evolution.schema.fields.filter(_.flatten.exists(f => ids(f.id)))
    if (touched.nonEmpty)
      FragmentWriter.check(evolution.schema.copy(fields = touched), table.fileVersion)
  }

  /** Lists and structs are stored with their members: where the last one goes that a file holds, they would go too. */
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
              s"dropping all members that have values in fragment ${f.id}: which rows have the rest of the column, or " +
                "how many items, is stored with them; drop the whole column, or write the table anew",
              Place(column = Some(path.toString))
            )
        }
      }
    }
    evolution.schema.fields.foreach(f => check(f, FieldPath.of(f.name)))
  }

  /** Rows in a write-ahead log are in no fragment: nobody looked at them, and they have neither new values nor types.
    */
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
        "new values, types and bans on nulls in a table with a write-ahead log, whose rows they would miss"
      )

  /** An index on a column whose type changes, or on a list or struct around it, would be lost; it has to be dropped by
    * somebody who means it.
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
              s"the column has the index ${index.name}, which a new type would invalidate; drop the index first",
              Place(column = Some(FieldPath(r.before.map(_.name)).toString))
            )
        }
      }
  }
}
