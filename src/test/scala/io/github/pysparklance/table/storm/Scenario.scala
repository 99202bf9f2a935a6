// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import java.nio.ByteBuffer
import java.util.UUID

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.cloning.{DeepClone, ShallowClone}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.manifest.{BasePath, DataFile, Fragment, IndexSegment}
import io.github.pysparklance.table.refs.{Branches, Revision, Tags}
import io.github.pysparklance.table.rowid.RowIdSequence
import io.github.pysparklance.table.transaction.operation.{
  CreateIndex,
  DataReplacement,
  Merge,
  Operation,
  Project,
  ReserveFragments,
  Restore,
  UpdateBases,
  UpdateConfig,
  UpdateMap
}
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.TableRows

/** A table and its storage.
  *
  * @param others the same storage without faults, for other writers
  */
final case class Site(store: FileStore, others: FileStore, path: String) {
  def open(): LanceTable = LanceTable.open(store, path)
}

/** A write to a table of [[TableRows.schema]].
  *
  * @param before creates the table
  * @param act the write; must work for every table created by `before`
  * @param isCommit whether an error means that nothing was committed; otherwise, the outcome is
  *   unknown
  * @param removesVersions whether only the latest version stays unchanged
  * @param canBeSilent whether storage may report success without effect
  * @param again repeats the write if it may have been done or started
  */
final case class Scenario(
    name: String,
    before: Site => Unit,
    act: Site => Unit,
    isCommit: Boolean = true,
    removesVersions: Boolean = false,
    canBeSilent: Boolean = true,
    again: Site => Unit = _ => ()
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

  /** Creates three fragments, with deleted rows in the first. */
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

  /** Moves some rows to a new fragment with other values. */
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

  /** Lets another writer commit between opening the table and the commit. */
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
      s => after(delete(s.others, _, 4))((s, t) => delete(s.store, t, 3, 7): Unit)(s)
    )
  )

  private def commit(name: String)(operation: Site => Operation): Scenario =
    Scenario(name, table(stableRowIds = true), s => s.open().commit(operation(s)): Unit)

  private val extra = Field(2, "extra", LogicalType.parse("int64"), nullable = true)

  /** Writes a file with one column for the rows of a fragment. */
  private def column(s: Site, fragment: Fragment, field: Field): DataFile = {
    val values = Seq.tabulate(fragment.physicalRows.get.toInt)(-_.toLong)
    TableRows.writeColumn(s.store, s.path, field, values).files.head
  }

  private def withFile(fragment: Fragment, file: DataFile): Fragment =
    Fragment(fragment.message.toBuilder.addFiles(file.toMessage).build())

  private def set(key: String, value: String): Option[UpdateMap] =
    Some(UpdateMap(Seq(key -> Some(value))))

  private val ofColumns: Seq[Scenario] = Seq(
    commit("merge: a new column with values") { s =>
      val t = s.open()
      Merge(
        t.fragments.map(f => withFile(f, column(s, f, extra))),
        Schema(t.schema.fields :+ extra),
        preservesNullability = true
      )
    },
    commit("project: a column is renamed") { s =>
      val fields = s.open().schema.fields
      Project(Schema(fields.updated(1, fields(1).copy(name = "amount"))), true)
    },
    commit("project: a column is dropped")(s =>
      Project(Schema(s.open().schema.fields.take(1)), preservesNullability = true)
    ),
    commit("data replacement") { s =>
      val t = s.open()
      DataReplacement(t.fragments.take(2).map(f => f.id -> column(s, f, t.schema.fields(1))))
    }
  )

  private val ofTables: Seq[Scenario] = Seq(
    commit("configuration and metadata")(_ =>
      UpdateConfig(set("k", "v"), set("about", "x"), set("s", "t"), Map(1 -> set("f", "g").get))
    ),
    commit("restore")(_ => Restore(1)),
    commit("reserve fragments")(_ => ReserveFragments(3)),
    commit("new bases")(_ =>
      UpdateBases(Seq(BasePath(0, Some("other"), isDatasetRoot = true, "/memory/other")))
    ),
    commit("create an index") { s =>
      val id = UUID.randomUUID()
      val bytes = Array[Byte](1, 2, 3)
      s.store.createIfAbsent(s"${s.path}/_indices/$id/page_data.lance", bytes)
      CreateIndex(Seq(index(id, s.open())))
    }
  )

  private def index(id: UUID, t: LanceTable): IndexSegment = {
    val covered = RoaringBitmap.bitmapOf(t.fragments.map(_.id.toInt): _*)
    val bitmap = new Array[Byte](covered.serializedSizeInBytes)
    covered.serialize(ByteBuffer.wrap(bitmap))
    val uuid = ByteBuffer.allocate(16)
    uuid.putLong(id.getMostSignificantBits).putLong(id.getLeastSignificantBits)
    IndexSegment(
      proto.IndexMetadata
        .newBuilder()
        .setUuid(proto.UUID.newBuilder().setUuid(ByteString.copyFrom(uuid.array)))
        .addFields(0)
        .setName("id_idx")
        .setDatasetVersion(t.version)
        .setFragmentBitmap(ByteString.copyFrom(bitmap))
        .build()
    )
  }

  private def tagged(site: Site): Unit = {
    table(stableRowIds = false)(site)
    LanceTable.tags(site.store, site.path).create("kept", Revision.Version(2)): Unit
  }

  private val ofReferences: Seq[Scenario] = Seq[(String, Tags => Any)](
    "create a tag" -> (_.create("new", Revision.Version(1))),
    "move a tag" -> (_.update("kept", Revision.Version(3))),
    "delete a tag" -> (_.delete("kept"))
  ).map { case (name, act) =>
    val run = (s: Site) => act(LanceTable.tags(s.store, s.path)): Unit
    Scenario(name, tagged, run, isCommit = false)
  } :+ Scenario(
    "clean-up",
    tagged,
    s =>
      s.open().planCleanup(CleanupPolicy(errorIfTaggedOldVersions = false)).run(s.store, 1): Unit,
    isCommit = false,
    removesVersions = true
  )

  private val compaction: Seq[Scenario] = for {
    stable <- Seq(false, true)
    name = if (stable) "compaction, stable row ids" else "compaction"
  } yield Scenario(
    name,
    table(stable),
    s => new Compaction(s.open()).run(CompactionOptions()): Unit,
    canBeSilent = false
  )

  private def withBranch(site: Site): Unit = {
    table(stableRowIds = true)(site)
    val branch = LanceTable.branches(site.store, site.path).create("old", Revision.Version(2))
    val t = LanceTable.open(site.store, site.path, Revision.OnBranch(branch.name))
    t.append(IndexedSeq(write(site.store, t.path, 50, 52))): Unit
  }

  private def branches(site: Site): Branches = LanceTable.branches(site.store, site.path)

  private val ofBranches: Seq[Scenario] = Seq(
    Scenario(
      "create a branch",
      withBranch,
      branches(_).create("new", Revision.Latest): Unit,
      isCommit = false,
      canBeSilent = false,
      again = { s =>
        if (!branches(s).list().exists(_.name == "new")) {
          if (LanceTable.exists(s.store, s"${s.path}/tree/new"))
            branches(s).delete("new", force = true)
          branches(s).create("new", Revision.Latest)
        }
        require(LanceTable.open(s.store, s.path, Revision.OnBranch("new")).version > 2)
      }
    ),
    Scenario(
      "delete a branch",
      withBranch,
      branches(_).delete("old"),
      isCommit = false,
      canBeSilent = false,
      again = { s =>
        if (s.store.list(s"${s.path}/tree/old").nonEmpty) branches(s).delete("old", force = true)
        require(!branches(s).list().exists(_.name == "old"))
        require(s.store.list(s"${s.path}/tree/old").isEmpty)
      }
    ),
    Scenario(
      "append to a branch",
      withBranch,
      { s =>
        val t = LanceTable.open(s.store, s.path, Revision.OnBranch("old"))
        t.append(IndexedSeq(write(s.store, t.path, 60, 62))): Unit
      }
    )
  )

  private def source(site: Site): String = site.path + "-source"

  private val ofClones: Seq[Scenario] = Seq[(String, (LanceTable, String) => Any)](
    "shallow clone" -> ((t, path) => new ShallowClone(t)(path)),
    "deep clone" -> ((t, path) => new DeepClone(t)(path))
  ).map { case (name, act) =>
    Scenario(
      name,
      s => table(stableRowIds = false)(s.copy(path = source(s))),
      s => act(LanceTable.open(s.store, source(s)), s.path): Unit
    )
  }

  private val variants: Seq[Scenario] = for {
    (name, act) <- ofRows
    stable <- Seq(false, true)
  } yield Scenario(if (stable) s"$name, stable row ids" else name, table(stable), act)

  /** All scenarios. */
  val all: Seq[Scenario] =
    create +: (variants ++ afterOthers ++ ofColumns ++ ofTables ++ compaction ++ ofReferences ++ ofBranches ++ ofClones)
}
