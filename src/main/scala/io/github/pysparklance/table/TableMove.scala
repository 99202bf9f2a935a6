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

/** Gives a table another path. One step where storage renames folders; elsewhere its files are copied, the manifests
  * last, so that nobody sees a part of a table. Nobody may write it meanwhile.
  */
object TableMove {
  private val threads = 8

  /** @param from the table
    * @param to where it will be
    * @throws NotFoundException when there is no table
    * @throws InvalidRequestException when something is at the new path
    * @throws UnsupportedFeatureException for a table with branches, whose manifests hold its path, and one whose
    *   versions a database has
    */
  def apply(store: FileStore, from: String, to: String): Unit =
    Place.in(Place(path = Some(from))) {
      if (!LanceTable.exists(store, from)) throw new NotFoundException("table")
      if (store.exists(to))
        throw new InvalidRequestException(s"a table cannot be moved to $to, where something is")
      val branches = LanceTable.branches(store, from).list().map(_.name)
      if (branches.nonEmpty)
        throw new UnsupportedFeatureException(
          s"another path for a table with branches (${branches.mkString(", ")}), which name its path"
        )
      if (Seq(from, to).exists(store.manifestIndex(_).isDefined))
        throw new UnsupportedFeatureException(
          "another path for a table whose versions a database has"
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
