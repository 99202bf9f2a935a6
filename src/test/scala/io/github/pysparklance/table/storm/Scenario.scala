// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowIdSequence
import io.github.pysparklance.testkit.TableRows

/** A table and the storage it is in.
  *
  * @param others the same storage for other writers, who have no trouble with it
  */
final case class Site(store: FileStore, others: FileStore, path: String) {
  def open(): LanceTable = LanceTable.open(store, path)
}

/** Something a writer does to a table of [[TableRows.schema]].
  *
  * @param before makes the table
  * @param act the same for every table that `before` made
  * @param isCommit whether an error says that nothing was committed; else it leaves open what was done
  */
final case class Scenario(
    name: String,
    before: Site => Unit,
    act: Site => Unit,
    isCommit: Boolean = true
)

object Scenario {
  private def write(store: FileStore, path: String, from: Long, until: Long): Fragment =
    TableRows.write(store, path, (from until until).map(i => (i, i * 10)))

  private def write(site: Site, from: Long, until: Long): Fragment =
    write(site.store, site.path, from, until)

  private def delete(store: FileStore, t: LanceTable, ids: Long*): LanceTable =
    t.delete(where(store, t, ids: _*), s"id IN (${ids.mkString(", ")})")

  private def where(store: FileStore, t: LanceTable, ids: Long*): Map[Long, DeletionVector] =
    TableRows.where(store, t)(row => ids.contains(row.head))

  private def nothing(site: Site): Unit = require(site.path.nonEmpty)

  /** Three fragments, some rows of the first deleted. */
  private def table(stableRowIds: Boolean)(site: Site): Unit = {
    val created = LanceTable.create(
      site.store,
      site.path,
      TableRows.schema,
      IndexedSeq(write(site, 0, 6), write(site, 6, 9)),
      enableStableRowIds = stableRowIds
    )
    delete(site.store, created.append(IndexedSeq(write(site, 9, 11))), 1, 2): Unit
  }

  /** Some rows move to a new fragment with other values. */
  private def update(site: Site): Unit = {
    val t = site.open()
    val ids = Seq(0L, 4L, 8L)
    val moved = TableRows.write(site.store, site.path, ids.map(i => (i, -i)))
    val rowIds = RowIdSequence.of(ids.toArray).toBytes
    val added =
      if (t.hasStableRowIds) Fragment.unassigned(moved.files, ids.length.toLong, Some(rowIds))
      else moved
    t.update(where(site.store, t, ids: _*), IndexedSeq(added), Set(1)): Unit
  }

  /** Somebody else commits between the opening of the table and the commit. */
  private def after(other: LanceTable => LanceTable)(ours: (Site, LanceTable) => Unit)(
      site: Site
  ): Unit = {
    val t = site.open()
    other(LanceTable.open(site.others, site.path))
    ours(site, t)
  }

  private val ofRows: Seq[(String, Site => Unit)] = Seq(
    "append" -> (s => s.open().append(IndexedSeq(write(s, 20, 23))): Unit),
    "overwrite" -> { s =>
      val t = s.open()
      t.overwrite(IndexedSeq(write(s, 30, 33)), t.schema, config = Map("k" -> "v")): Unit
    },
    "delete" -> (s => delete(s.store, s.open(), 3, 7): Unit),
    "delete of whole fragments" -> (s => delete(s.store, s.open(), 6, 7, 8, 9): Unit),
    "update" -> update
  )

  private val create = Scenario(
    "create",
    nothing,
    s => LanceTable.create(s.store, s.path, TableRows.schema, IndexedSeq(write(s, 0, 3))): Unit
  )

  private val afterOthers: Seq[Scenario] = Seq(
    Scenario(
      "append after an append",
      table(stableRowIds = true),
      s =>
        after(t => t.append(IndexedSeq(write(s.others, t.path, 40, 42)))) { (s, t) =>
          t.append(IndexedSeq(write(s, 20, 23))): Unit
        }(s)
    ),
    Scenario(
      "delete after a delete in the same fragment",
      table(stableRowIds = false),
      s => after(delete(s.others, _, 4)) { (s, t) => delete(s.store, t, 3, 7): Unit }(s)
    )
  )

  /** All of them. */
  val all: Seq[Scenario] = create +: afterOthers ++: (for {
    (name, act) <- ofRows
    stable <- Seq(false, true)
  } yield Scenario(if (stable) s"$name, stable row ids" else name, table(stable), act))
}
