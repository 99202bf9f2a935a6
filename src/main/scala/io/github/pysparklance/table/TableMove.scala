// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{
  InvalidRequestException,
  NotFoundException,
  Place,
  UnsupportedFeatureException,
  Workers
}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.Versions
import io.github.pysparklance.table.transaction.TableChanges

/** Moves a table to another path. Renames its folder if the storage supports that. Otherwise copies
  * its files, with the manifests last, so that readers never see a partial table. No writer may be
  * active meanwhile.
  */
object TableMove {
  private val threads = 8

  /** Moves a table.
    *
    * @param from path of the table
    * @param to new path
    * @throws NotFoundException if the table does not exist
    * @throws InvalidRequestException if the new path exists
    * @throws UnsupportedFeatureException for a table with branches, whose manifests contain its
    *   path, and for a table with an external manifest store
    */
  def apply(store: FileStore, from: String, to: String): Unit =
    Place.in(Place(path = Some(from))) {
      if (!LanceTable.exists(store, from)) throw new NotFoundException("table")
      if (store.exists(to))
        throw new InvalidRequestException(
          s"the table cannot be moved to $to, because that path exists"
        )
      val branches = LanceTable.branches(store, from).list().map(_.name)
      if (branches.nonEmpty)
        throw new UnsupportedFeatureException(
          s"moving a table with branches (${branches.mkString(", ")}), whose manifests contain its path"
        )
      if (Seq(from, to).exists(store.manifestIndex(_).isDefined))
        throw new UnsupportedFeatureException(
          "moving a table with an external manifest store"
        )
      if (!store.renameFolder(from, to)) copy(store, from, to)
      Seq(from, to).foreach(TableChanges.changed)
    }

  private def copy(store: FileStore, from: String, to: String): Unit = {
    val (manifests, others) =
      store.listFiles(from).map(_.relativePath).toIndexedSeq.partition(
        _.startsWith(Versions.folderName + "/")
      )
    Seq(others, manifests).foreach { files =>
      Workers.map(files, threads)(f => store.copy(s"$from/$f", s"$to/$f"))
    }
    LanceTable.drop(store, from): Unit
  }
}
