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

/** Whether a transaction can be committed on top of one that was committed meanwhile.
  *
  * Source: format page of the table, "Conflict matrix".
  */
object Conflicts {

  /** How two transactions get along. */
  sealed trait Verdict

  /** Both can stand. */
  case object Compatible extends Verdict

  /** Not as it is: the operation has to be run again on the newer version. */
  final case class Retryable(reason: String) extends Verdict

  /** Running it again would not help, or would undo the other one. */
  final case class Incompatible(reason: String) extends Verdict

  /** Judges `ours` against `theirs`, which was committed since the version ours is based on.
    *
    * @param schema of the version that theirs was committed on
    * @param sameFiles whether their commit left the data files of a fragment as they were; always false when nobody
    *   knows
    */
  private[table] def check(
      ours: Operation,
      theirs: PlainOperation,
      schema: Schema,
      sameFiles: Long => Boolean
  ): Verdict = theirs match {
    case UnknownOperation if !standsAlone(ours) =>
      Incompatible("an operation was committed that this release does not know")
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

  /** One row of the matrix for each kind of operation. */
  private def row(
      ours: Operation,
      theirs: PlainOperation,
      schema: Schema,
      sameFiles: Long => Boolean
  ): Verdict =
    ours match {
      case _: Append => RowConflicts.append(theirs)
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
      case _ => Incompatible(s"nobody knows how ${ours.name} and ${theirs.name} get along")
    }

  /** Files of values that were written for one schema may lack columns, or have nulls, that another one forbids. */
  private def nullability(ours: Operation, theirs: Operation): Option[Verdict] =
    if (mayForbidNulls(ours) && suppliesValues(theirs))
      Some(Retryable("rows or values were written for the columns as they were"))
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

  /** Rows were checked against the rules of one version, or a rule against the rows of one. The format has no such rules,
    * and lets both stand.
    */
  private def rowRules(ours: Operation, theirs: Operation): Option[Verdict] =
    if (bringsRows(ours) && addsRowRule(theirs)) Some(Retryable("a constraint was added"))
    else if (addsRowRule(ours) && bringsRows(theirs))
      Some(Retryable("rows were written without regard to the constraint"))
    else None

  private def bringsRows(o: Operation): Boolean = suppliesValues(o) || o.isInstanceOf[Overwrite]

  private def addsRowRule(o: Operation): Boolean = o match {
    case u: UpdateConfig => u.config.exists(_.upserts.exists(_.startsWith(RowRules.checkPrefix)))
    case _ => false
  }

  /** A merge and a restore bring the metadata of their version along. */
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

  /** Compatible unless one of the fragments is among `ours`. */
  private[transaction] def unlessTouched(
      ours: Long => Boolean,
      theirs: Iterable[Long],
      how: String
  ): Verdict = theirs.find(ours) match {
    case Some(id) => Retryable(s"fragment $id was $how")
    case None => Compatible
  }

  /** The first verdict that is not favourable. */
  private[transaction] def all(verdicts: Verdict*): Verdict =
    verdicts.find(_ != Compatible).getOrElse(Compatible)

  /** Tables of the write-ahead log that both merged. */
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
