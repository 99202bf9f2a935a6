// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.util.concurrent.atomic.AtomicInteger

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.BasePath

/** The places that take turns in getting new data files. Deletion files, transactions and manifests always go to the
  * table's own root. Safe for use from many threads.
  *
  * Source: format page of the table, "Resolving a path".
  *
  * @param places at least one; none stands for the table's own root
  */
final class TargetBases private (val places: IndexedSeq[Option[BasePath]]) {
  private val turn = new AtomicInteger

  /** Where the next file goes; none: to the table's own root. */
  def next(): Option[BasePath] = places(Math.floorMod(turn.getAndIncrement(), places.length))
}

object TargetBases {

  /** The word for the table's own root in a list of places. */
  val root: String = "."

  /** The table's own root alone. */
  def primary: TargetBases = new TargetBases(IndexedSeq(None))

  /** Places by their names, paths or numbers.
    *
    * @param wanted in the order of their turns; [[root]] is the table's own
    * @param bases those of the table, or those it is created with
    * @throws InvalidRequestException when nothing is wanted, or something else
    */
  def of(wanted: Seq[String], bases: Iterable[BasePath]): TargetBases = {
    if (wanted.isEmpty)
      throw new InvalidRequestException("no target base is named; leave the setting out instead")
    new TargetBases(wanted.map {
      case TargetBases.root => None
      case w =>
        val found = bases
          .find(_.name.contains(w))
          .orElse(bases.find(_.path == w))
          .orElse(bases.find(_.id.toString == w))
        Some(found.getOrElse {
          val known = bases.map(b => b.name.getOrElse(b.path)).mkString(", ")
          throw new InvalidRequestException(
            s"$w is no base path of the table; it has ${if (known.isEmpty) "none" else known}"
          )
        })
    }.toIndexedSeq)
  }

  /** Bases for a table that is to be created, with the ids they will have: those given, and from 1 on for those that
    * have 0.
    */
  def numbered(bases: Seq[BasePath]): IndexedSeq[BasePath] = {
    val taken = bases.map(_.id).filter(_ != 0).toSet
    val free = Iterator.from(1).filterNot(taken)
    bases.map(b => if (b.id == 0) b.copy(id = free.next()) else b).toIndexedSeq
  }
}
