// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.util.concurrent.atomic.AtomicInteger

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.table.manifest.BasePath

/** The base paths for new data files, used in turn. Deletion files, transactions, and manifests
  * always go to the table's own root. Thread-safe.
  *
  * Source: format page of the table, "Resolving a path".
  *
  * @param places at least one; `None` is the table's own root
  */
final class TargetBases private (val places: IndexedSeq[Option[BasePath]]) {
  private val turn = new AtomicInteger

  /** Returns the base path for the next file; `None` for the table's own root. */
  def next(): Option[BasePath] = places(Math.floorMod(turn.getAndIncrement(), places.length))
}

object TargetBases {

  /** Denotes the table's own root in a list of base paths. */
  val root: String = "."

  /** Only the table's own root. */
  def primary: TargetBases = new TargetBases(IndexedSeq(None))

  /** Returns base paths by name, path, or number.
    *
    * @param wanted in the order of use; [[root]] is the table's own root
    * @param bases bases of the table
    * @throws InvalidRequestException if `wanted` is empty or contains an unknown base path
    */
  def of(wanted: Seq[String], bases: Iterable[BasePath]): TargetBases = {
    if (wanted.isEmpty)
      throw new InvalidRequestException(
        "the list of target bases is empty; omit the option instead"
      )
    new TargetBases(wanted.map {
      case TargetBases.root => None
      case w =>
        val found = bases
          .find(_.name.contains(w))
          .orElse(bases.find(_.path == w))
          .orElse(bases.find(_.id.toString == w))
        Some(found.getOrElse {
          val names = bases.map(b => b.name.getOrElse(b.path)).mkString(", ")
          val known = if (names.isEmpty) "none" else names
          throw new InvalidRequestException(
            s"$w is not a base path of the table; its base paths are: $known"
          )
        })
    }.toIndexedSeq)
  }

  /** Returns base paths of a table by name, path, or number, see [[of]].
    *
    * @throws InvalidRequestException if another table or branch is in the folder of a base path, as
    *   in shallow clones. Its clean-up would remove the files
    */
  def of(wanted: Seq[String], table: LanceTable): TargetBases = {
    val found = of(wanted, table.manifest.basePaths.values)
    found.places.flatten.distinct.foreach { base =>
      val folder = base.folder(table.root)
      val roots =
        if (base.isDatasetRoot) Some(folder.root)
        else Some(folder.root).filter(_.endsWith(dataSuffix)).map(_.stripSuffix(dataSuffix))
      roots.filter(LanceTable.exists(table.store, _)).foreach { root =>
        throw new InvalidRequestException(
          s"files cannot be added to the base path ${base.path}, because $root is a table of its own, " +
            "whose clean-up would remove them",
          Place(path = Some(table.path))
        )
      }
    }
    found
  }

  private val dataSuffix = s"/${LanceTable.dataFolder}"

  /** Assigns ids to base paths of a new table. Keeps ids other than 0, and numbers the rest from 1
    * on.
    */
  def numbered(bases: Seq[BasePath]): IndexedSeq[BasePath] = {
    val taken = bases.map(_.id).filter(_ != 0).toSet
    val free = Iterator.from(1).filterNot(taken)
    bases.map(b => if (b.id == 0) b.copy(id = free.next()) else b).toIndexedSeq
  }
}
