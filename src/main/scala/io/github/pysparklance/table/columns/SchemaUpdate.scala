// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.{
  CommitConflictException,
  Field,
  InvalidRequestException,
  LogicalType,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange, SchemaChanges, SchemaEvolution}
import io.github.pysparklance.table.transaction.{CommitOptions, Merge, Operation, Project, Retry}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** Changes of the columns of one version of a table, and what is to be done for them before they can be committed:
  * [[checks]] read, [[tasks]] write new data files, both one for each fragment and independent of one another. New names,
  * places and notes, dropped columns and new columns of nulls take neither.
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
  */
final class SchemaUpdate private (
    private val table: LanceTable,
    changes: Seq[SchemaChange],
    val evolution: SchemaEvolution,
    withValues: Boolean
) {

  /** Fragments in which columns that forbid nulls from now on have to be looked at. */
  lazy val checks: IndexedSeq[NullCheck] =
    if (evolution.tightened.isEmpty) IndexedSeq.empty
    else table.fragments.indices.map(NullCheck(table, _, evolution.tightened))

  /** The files to write. */
  lazy val tasks: IndexedSeq[ColumnTask] =
    if (withValues) {
      val fields = ColumnShapes.added(evolution)
      table.fragments.indices.map { i =>
        ColumnShapes.checkLists(fields, evolution, table.fragments(i))
        ColumnTask(table, i, fields, ColumnTask.Nulls)
      }
    } else if (evolution.retyped.isEmpty) IndexedSeq.empty
    else
      table.fragments.indices.flatMap { i =>
        val (before, after) =
          ColumnShapes.retyped(evolution, table.fileVersion, table.fragments(i)).unzip
        if (after.isEmpty) None
        else Some(ColumnTask(table, i, after, ColumnTask.Cast(before)))
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
    val files = LocalTasks.run(tasks)(_.run(table.store))(NewFiles.remove(table, _))
    NewFiles.removedOnFailure(table, files) {
      commit(files, properties, options)
    }
  }

  /** Commits the files of all tasks, after the checks. When the table was changed meanwhile, does on the newest version
    * what is missing there, if it can be done without rows.
    *
    * @throws CommitConflictException when somebody else changed the table in a way that does not go together with it,
    *   or added fragments that need values; the files stay, and a plan of the newest version can use those for which it
    *   has the same task, see [[reusable]]
    */
  def commit(
      files: Seq[NewColumns] = Nil,
      properties: Map[String, String] = Map.empty,
      options: CommitOptions = CommitOptions()
  ): LanceTable =
    if (evolution.schema == table.schema) table
    else {
      val started = System.nanoTime()
      def attempt(update: SchemaUpdate, files: Seq[NewColumns], number: Int): LanceTable =
        try update.table.commit(update.operation(files), properties, options)
        catch {
          case e: CommitConflictException if e.retryable && number < SchemaUpdate.maxRetries =>
            Retry.backOff(number, (System.nanoTime() - started) / 1000000L / (number + 1))
            val newest = SchemaUpdate.plan(table.newest, changes, withValues)
            val usable = newest.reusable(update, files)
            val done = usable.map(_.fragmentId).toSet
            val missing = newest.tasks.filterNot(t => done(t.fragmentId))
            if (withValues && missing.nonEmpty) throw e
            LocalTasks.run(newest.checks)(_.run(table.store))(_ => ())
            val more = LocalTasks.run(missing)(_.run(table.store))(NewFiles.remove(table, _))
            attempt(newest, usable ++ more, number + 1)
        }
      attempt(this, files, 0)
    }

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

  private def operation(files: Seq[NewColumns]): Operation =
    if (evolution.added.isEmpty && evolution.retyped.isEmpty)
      Project(evolution.schema, evolution.preservesNullability)
    else {
      val byFragment = files.map(f => f.fragmentId -> f).toMap
      tasks.find(t => !byFragment.contains(t.fragmentId)).foreach { t =>
        throw new InvalidRequestException(s"no new file for fragment ${t.fragmentId}")
      }
      val fragments = table.manifest.fragments.map { f =>
        byFragment.get(f.id).fold(f)(n => NewFiles.inFragment(f, n.file, evolution.schema))
      }
      Merge(fragments, evolution.schema, evolution.preservesNullability)
    }
}

object SchemaUpdate {
  private val maxRetries = 10

  /** Checks changes and finds out what they take.
    *
    * @param withValues whether new columns get values; else they are null in all rows that are there
    * @throws InvalidRequestException when a change cannot be made
    * @throws UnsupportedFeatureException when files of the table's version cannot follow
    */
  def plan(
      table: LanceTable,
      changes: Seq[SchemaChange],
      withValues: Boolean = false
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
    if (!withValues && table.fragments.nonEmpty) checkNullable(table, evolution)
    checkIndices(table, evolution)
    checkWriteAheadLog(table, evolution, withValues)
    new SchemaUpdate(table, changes, evolution, withValues)
  }

  /** The highest field id that the schema or a file names. */
  private[table] def highestFieldId(table: LanceTable): Int =
    table.manifest.fragments.iterator
      .flatMap(_.files.iterator.flatMap(_.fields))
      .foldLeft(table.schema.maxFieldId)(math.max)

  private def checkNullable(table: LanceTable, evolution: SchemaEvolution): Unit =
    evolution.added.foreach { path =>
      val place = Place(column = Some(path.toString))
      if (!path.find(evolution.schema).last.nullable)
        throw new InvalidRequestException(
          "a new column without values has to allow nulls: the table has rows",
          place
        )
      if (table.fileVersion == FileVersion.V0_1)
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

  /** An index on a column whose type changes would be lost; it has to be dropped by somebody who means it. */
  private def checkIndices(table: LanceTable, evolution: SchemaEvolution): Unit = {
    val ids = evolution.retyped.map(r => r.before.last.id -> r).toMap
    if (ids.nonEmpty)
      table.indices.foreach { index =>
        index.fields.flatMap(ids.get(_)).headOption.foreach { r =>
          throw new InvalidRequestException(
            s"the column has the index ${index.name}, which a new type would invalidate; drop the index first",
            Place(column = Some(FieldPath(r.before.map(_.name)).toString))
          )
        }
      }
  }
}

/** Which columns a new file holds: those that change, with as much of their nesting as a file has to repeat. */
private object ColumnShapes {

  /** New columns and members, in the order of the schema. */
  def added(evolution: SchemaEvolution): IndexedSeq[Field] = {
    val ids = evolution.added.map(_.find(evolution.schema).last.id).toSet
    evolution.schema.fields.flatMap(pruned(_, ids))
  }

  /** A file's deleted rows have no values, so lists in them would be shorter than in the other files. */
  def checkLists(fields: IndexedSeq[Field], evolution: SchemaEvolution, f: Fragment): Unit =
    if (f.deletionFile.isDefined)
      fields.find(c => evolution.before.byId(c.id).isDefined && hasLists(c)).foreach { c =>
        throw new UnsupportedFeatureException(
          s"new members inside of lists in fragment ${f.id}, which has deleted rows; compact the table first",
          Place(column = Some(c.name))
        )
      }

  /** Pairs of what is read and what is written. Files before 2.1 hold whole columns; and a list whose parts lie in
    * several files has to have the same items in all of them, in deleted rows too. Columns that the fragment lacks are
    * left out: they stay nulls.
    */
  def retyped(
      evolution: SchemaEvolution,
      version: FileVersion,
      fragment: Fragment
  ): IndexedSeq[(Field, Field)] = {
    val beforeIds = evolution.retyped.map(_.before.last.id).toSet
    val afterIds = evolution.retyped.map(_.after.last.id).toSet
    val inParts = version != FileVersion.V0_1 && version != FileVersion.V2_0
    evolution.schema.fields.flatMap { after =>
      val changed = evolution.retyped.filter(_.after.head.id == after.id)
      changed.headOption.map { first =>
        val before = first.before.head
        val isWhole =
          !inParts || (fragment.deletionFile.isDefined && changed.exists(_.after.exists(hasLists)))
        if (isWhole) (ordered(before, after, evolution), after)
        else {
          val prunedAfter = pruned(after, afterIds).get
          (ordered(pruned(before, beforeIds).get, prunedAfter, evolution), prunedAfter)
        }
      }
    }.filter { case (before, _) => fragment.columns(before.flatten.map(_.id)).nonEmpty }
  }

  /** The field as it was, its members in the order of the new one, those that it lacks as nulls. */
  private def ordered(before: Field, after: Field, evolution: SchemaEvolution): Field = {
    val origin = evolution.retyped.map(r => r.after.last.id -> r.before.last.id).toMap
    if (before.isLeaf || after.isLeaf) before
    else
      before.copy(children = after.children.map { a =>
        before.children.find(_.id == origin.getOrElse(a.id, a.id)).fold(a)(ordered(_, a, evolution))
      })
  }

  private def pruned(field: Field, ids: Set[Int]): Option[Field] =
    if (ids(field.id)) Some(field)
    else if (field.isLeaf) None
    else {
      val children = field.children.flatMap(pruned(_, ids))
      if (children.isEmpty) None else Some(field.copy(children = children))
    }

  private def hasLists(f: Field): Boolean = f.logicalType match {
    case _: LogicalType.List | LogicalType.Map | LogicalType.FixedSizeList(LogicalType.Struct, _) =>
      true
    case _ => !f.isLeaf && f.children.exists(hasLists)
  }
}
