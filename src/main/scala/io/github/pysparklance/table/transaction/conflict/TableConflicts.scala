// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.table.transaction.conflict.Conflicts._
import io.github.pysparklance.table.transaction.operation.{
  CreateIndex,
  Merge,
  Overwrite,
  PlainOperation,
  Project,
  ReserveFragments,
  Restore,
  Rewrite,
  Update,
  UpdateBases,
  UpdateConfig,
  UpdateMap,
  UpdateMemWalState
}

/** The rows of the conflict matrix for operations on the whole table.
  *
  * Source: format page of the table, "Conflict matrix", rows O, R, F, P, G, S, B.
  */
private[transaction] object TableConflicts {

  def overwrite(ours: Overwrite, theirs: PlainOperation): Verdict = theirs match {
    case o: Overwrite =>
      ours.configUpserts.keys.find(o.configUpserts.contains) match {
        case Some(key) => Incompatible(s"the table was overwritten and its property $key changed")
        case None => Retryable("the table was created or overwritten")
      }
    case u: UpdateConfig => sameConfigKey(ours.configUpserts.keySet, u)
    case _: UpdateMemWalState => memWalChanged
    case _ => Compatible
  }

  private def sameConfigKey(keys: Set[String], theirs: UpdateConfig): Verdict =
    keys.find(k => theirs.config.exists(c => c.replace || c.keys(k))) match {
      case Some(key) => Incompatible(s"the property $key was changed")
      case None => Compatible
    }

  def restore(theirs: PlainOperation): Verdict = theirs match {
    case _: UpdateMemWalState => memWalChanged
    case _ => Compatible
  }

  def reserve(theirs: PlainOperation): Verdict = theirs match {
    case _: Overwrite => overwritten
    case _: Restore => restored
    case _ => Compatible
  }

  def project(theirs: PlainOperation): Verdict = theirs match {
    case _: Merge => columnsChanged
    case _: Project => Retryable("columns were dropped or changed")
    case _: Overwrite => overwritten
    case _: Restore => restored
    case _: UpdateMemWalState => memWalChanged
    case _ => Compatible
  }

  def config(ours: UpdateConfig, theirs: PlainOperation): Verdict = theirs match {
    case _: Overwrite if ours.touchesSchema => overwritten
    case o: Overwrite => sameConfigKey(o.configUpserts.keySet, ours)
    case u: UpdateConfig => bothConfigured(ours, u)
    case _ => Compatible
  }

  private def bothConfigured(ours: UpdateConfig, theirs: UpdateConfig): Verdict = {
    def sameMap(a: Option[UpdateMap], b: Option[UpdateMap]): Boolean = (a, b) match {
      case (Some(x), Some(y)) => x.replace || y.replace || (x.keys & y.keys).nonEmpty
      case _ => false
    }
    val field = ours.fieldMetadata.keySet & theirs.fieldMetadata.keySet
    if (sameConfigKey(ours.config, theirs.config))
      Incompatible("the same properties were changed")
    else if (sameMap(ours.tableMetadata, theirs.tableMetadata))
      Incompatible("the same table metadata was changed")
    else if (ours.schemaMetadata.isDefined && theirs.schemaMetadata.isDefined)
      Incompatible("the schema metadata was changed")
    else
      field.headOption match {
        case Some(id) => Incompatible(s"the metadata of field $id was changed")
        case None => Compatible
      }
  }

  /** Both writers may remove the same property. */
  private def sameConfigKey(a: Option[UpdateMap], b: Option[UpdateMap]): Boolean = (a, b) match {
    case (Some(x), Some(y)) =>
      x.replace || y.replace || (x.upserts & y.keys).nonEmpty || (y.upserts & x.keys).nonEmpty
    case _ => false
  }

  def memWal(ours: UpdateMemWalState, theirs: PlainOperation): Verdict = theirs match {
    case s: UpdateMemWalState => sameShards(ours.compactedSsTables, s.compactedSsTables)
    case u: Update => sameShards(ours.compactedSsTables, u.compactedSsTables)
    case c: CreateIndex if c.newIndices.exists(_.isMemWal) =>
      Retryable("a write-ahead log was set up")
    case _: CreateIndex | _: Rewrite | _: ReserveFragments | _: UpdateConfig | _: UpdateBases =>
      Compatible
    case _: Overwrite => overwritten
    case _: Restore => restored
    case _ => Incompatible(s"the table was changed (${theirs.name})")
  }

  def bases(ours: UpdateBases, theirs: PlainOperation): Verdict = theirs match {
    case b: UpdateBases =>
      val same = for {
        mine <- ours.newBases.iterator
        other <- b.newBases
        if (mine.id != 0 && mine.id == other.id) || mine.path == other.path ||
          (mine.name.isDefined && mine.name == other.name)
      } yield other
      same.find(_ => true) match {
        case Some(other) => Incompatible(s"the base path ${other.path} was added")
        case None => Compatible
      }
    case _ => Compatible
  }
}
