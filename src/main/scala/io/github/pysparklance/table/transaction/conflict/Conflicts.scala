// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.core.Schema
import io.github.pysparklance.table.transaction.operation.{
  Append,
  Clone,
  CloneOf,
  CompactedSsTable,
  CreateIndex,
  DataOverlay,
  DataReplacement,
  Delete,
  DeletesRows,
  EvolveRows,
  Merge,
  Operation,
  Overwrite,
  PlainOperation,
  Project,
  ReserveFragments,
  Restore,
  Rewrite,
  UnknownOperation,
  Update,
  UpdateBases,
  UpdateConfig,
  UpdateMemWalState,
  UpdateRows
}

/** Checks whether a transaction can be committed on top of a concurrent one.
  *
  * Source: format page of the table, "Conflict matrix".
  */
object Conflicts {

  /** The result of a conflict check. */
  sealed trait Verdict

  /** Both transactions can be committed. */
  case object Compatible extends Verdict

  /** The operation conflicts, but can be retried on the latest version. */
  final case class Retryable(reason: String) extends Verdict

  /** The operation conflicts, and a retry would fail as well or undo the other transaction. */
  final case class Incompatible(reason: String) extends Verdict

  /** Checks `ours` against `theirs`, which was committed after the base version of ours.
    *
    * @param schema schema of the version that theirs was committed on
    * @param sameFiles whether their commit kept the data files of a fragment; false if unknown
    */
  private[table] def check(
      ours: Operation,
      theirs: PlainOperation,
      schema: Schema,
      sameFiles: Long => Boolean
  ): Verdict = theirs match {
    case UnknownOperation if !standsAlone(ours) =>
      Incompatible("the operation is unknown to this release")
    case _ =>
      nullability(ours, theirs)
        .orElse(rowRules(ours, theirs))
        .orElse(metadata(ours, theirs))
        .getOrElse(row(ours, theirs, schema, sameFiles))
  }

  private def standsAlone(ours: Operation): Boolean = ours match {
    case _: Clone | _: CloneOf | _: UpdateBases => true
    case _ => false
  }

  /** Applies the row of the matrix for our kind of operation. */
  private def row(
      ours: Operation,
      theirs: PlainOperation,
      schema: Schema,
      sameFiles: Long => Boolean
  ): Verdict =
    ours match {
      case _: Append => RowConflicts.append(theirs, schema)
      case _: EvolveRows => FileConflicts.merge(theirs)
      case o: DeletesRows => RowConflicts.deletesRows(o, theirs, sameFiles)
      case o: Delete => RowConflicts.delete(o, theirs)
      case o: Update => RowConflicts.update(o, theirs)
      case o: DataOverlay => RowConflicts.overlay(o, theirs)
      case o: Rewrite => FileConflicts.rewrite(o, theirs)
      case _: Merge => FileConflicts.merge(theirs)
      case o: DataReplacement => FileConflicts.replacement(o, theirs, schema)
      case o: CreateIndex => FileConflicts.createIndex(o, theirs, schema)
      case o: Overwrite => TableConflicts.overwrite(o, theirs)
      case _: Restore => TableConflicts.restore(theirs)
      case _: ReserveFragments => TableConflicts.reserve(theirs)
      case _: Project => TableConflicts.project(theirs)
      case o: UpdateConfig => TableConflicts.config(o, theirs)
      case o: UpdateMemWalState => TableConflicts.memWal(o, theirs)
      case o: UpdateBases => TableConflicts.bases(o, theirs)
      case _: Clone | _: CloneOf => Compatible
      case _ =>
        Incompatible(s"it is unknown whether ${ours.name} and ${theirs.name} are compatible")
    }

  /** Checks nullability. Files written for one schema may lack columns, or contain nulls, that are
    * not nullable in another schema.
    */
  private def nullability(ours: Operation, theirs: Operation): Option[Verdict] =
    if (mayForbidNulls(ours) && suppliesValues(theirs))
      Some(Retryable("rows or values were written for the previous columns"))
    else if (suppliesValues(ours) && mayForbidNulls(theirs))
      Some(Retryable("columns were added, dropped or changed"))
    else None

  private def mayForbidNulls(o: Operation): Boolean = o match {
    case m: Merge => !m.preservesNullability
    case e: EvolveRows => !e.preservesNullability
    case p: Project => !p.preservesNullability
    case _ => false
  }

  private def suppliesValues(o: Operation): Boolean = o match {
    case _: Append | _: Update | _: UpdateRows | _: EvolveRows => true
    case _: DataReplacement | _: DataOverlay => true
    case _ => false
  }

  /** Checks CHECK constraints. Rows were checked against the constraints of one version, or a new
    * constraint against the rows of one version. The format has no constraints, so its matrix
    * allows both.
    */
  private def rowRules(ours: Operation, theirs: Operation): Option[Verdict] =
    if (mayBringRows(ours) && addsRowRule(theirs)) Some(Retryable("a constraint was added"))
    else if (addsRowRule(ours) && (mayBringRows(theirs) || theirs.isInstanceOf[Restore]))
      Some(Retryable("rows were written without checking the constraint"))
    else None

  /** Whether an operation adds rows, or changes values of rows. */
  private[table] def bringsRows(o: Operation): Boolean =
    suppliesValues(o) || o.isInstanceOf[Overwrite]

  /** A merge may add rows beside columns. */
  private def mayBringRows(o: Operation): Boolean = bringsRows(o) || o.isInstanceOf[Merge]

  private def addsRowRule(o: Operation): Boolean = o match {
    case u: UpdateConfig =>
      u.config.exists(_.upserts.exists(_.startsWith(StoredConstraints.checkPrefix)))
    case _ => false
  }

  /** Checks metadata of the schema, which a merge or a restore takes from its own version. */
  private def metadata(ours: Operation, theirs: Operation): Option[Verdict] = (ours, theirs) match {
    case (_: Merge | _: EvolveRows, u: UpdateConfig) if u.changesSchema =>
      Some(Retryable("metadata of the schema were changed"))
    case (u: UpdateConfig, _: Merge) if u.changesSchema =>
      Some(Retryable("columns were added or changed"))
    case (_: Restore, u: UpdateConfig) if u.changesSchema =>
      Some(Incompatible("metadata of the schema were changed"))
    case (u: UpdateConfig, _: Restore) if u.changesSchema =>
      Some(Incompatible("an earlier version was restored"))
    case _ => None
  }

  private[transaction] val overwritten: Verdict = Incompatible("the table was overwritten")
  private[transaction] val restored: Verdict = Incompatible("an earlier version was restored")
  private[transaction] val memWalChanged: Verdict =
    Incompatible("the state of the write-ahead log was changed")
  private[transaction] val columnsChanged: Verdict = Retryable("columns were added or changed")

  /** Compatible unless one of their fragments is among `ours`. */
  private[transaction] def unlessTouched(
      ours: Long => Boolean,
      theirs: Iterable[Long],
      how: String
  ): Verdict = theirs.find(ours) match {
    case Some(id) => Retryable(s"fragment $id was $how")
    case None => Compatible
  }

  /** Returns the first verdict that is not [[Compatible]]. */
  private[transaction] def all(verdicts: Verdict*): Verdict =
    verdicts.find(_ != Compatible).getOrElse(Compatible)

  /** Checks write-ahead log tables that both transactions merged. */
  private[transaction] def sameShards(
      ours: Seq[CompactedSsTable],
      theirs: Seq[CompactedSsTable]
  ): Verdict = {
    val pairs = for (t <- theirs.iterator; o <- ours if o.shardId == t.shardId) yield (t, o)
    pairs.find(_ => true) match {
      case None => Compatible
      case Some((t, o))
          if java.lang.Long.compareUnsigned(t.generation, o.generation) >= 0 =>
        Incompatible(s"generation ${t.generation} of the same shard was merged")
      case Some(_) => Retryable("an earlier generation of the same shard was merged")
    }
  }
}
