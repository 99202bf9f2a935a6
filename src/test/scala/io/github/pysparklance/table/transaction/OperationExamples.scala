// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.nio.ByteBuffer
import java.util.UUID

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.google.protobuf.{Any => AnyMessage, ByteString}
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.{
  BasePath,
  DataFile,
  DeletionFile,
  Fragment,
  IndexSegment
}
import io.github.pysparklance.table.transaction.build.KeyExistenceFilter
import io.github.pysparklance.table.transaction.operation.{
  Append,
  Clone,
  CompactedSsTable,
  CreateIndex,
  DataOverlay,
  DataReplacement,
  Delete,
  IndexFile,
  Merge,
  Overwrite,
  PlainOperation,
  Project,
  ReserveFragments,
  Restore,
  Rewrite,
  RewriteGroup,
  RewrittenIndex,
  UnknownOperation,
  Update,
  UpdateBases,
  UpdateConfig,
  UpdateMap,
  UpdateMemWalState,
  UpdateMode
}
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.MemoryFiles

/** Operations by their names in `conflicts/matrix.csv`, on one table with three fragments of four
  * rows, columns a and b, and an index z on a that covers all fragments. Its files do not exist,
  * because these tests read no data.
  */
object OperationExamples {
  private val int64 = LogicalType.parse("int64")
  private val a = Field(0, "a", int64, nullable = true)
  private val b = Field(1, "b", int64, nullable = true)
  private val c = Field(2, "c", int64, nullable = true)
  val schema: Schema = Schema(IndexedSeq(a, b))
  private val ids = Map("a" -> 0, "b" -> 1)

  val path: String = "/memory/table"

  private def file(fields: Int*): DataFile = DataFile(
    s"${UUID.randomUUID}.lance",
    fields.toIndexedSeq,
    fields.indices,
    FileVersion.V2_1,
    99
  )

  private def bitmap(offsets: Int*): RoaringBitmap = RoaringBitmap.bitmapOf(offsets: _*)

  /** @param covered none if unknown */
  private def index(name: String, fields: Seq[Int], covered: Option[Seq[Int]]): IndexSegment = {
    val m = proto.IndexMetadata
      .newBuilder()
      .setName(name)
      .setUuid(IndexSegment.toMessage(UUID.randomUUID))
      .addAllFields(fields.map(Int.box).asJava)
      .setIndexDetails(AnyMessage.newBuilder().setTypeUrl("/lance.table.BTreeIndexDetails"))
    covered.foreach { ids =>
      val b = bitmap(ids: _*)
      val bytes = new Array[Byte](b.serializedSizeInBytes)
      b.serialize(ByteBuffer.wrap(bytes))
      m.setFragmentBitmap(ByteString.copyFrom(bytes))
    }
    IndexSegment(m.build())
  }

  private val z = index("z", Seq(0), Some(Seq(0, 1, 2)))

  /** Returns the table, always with the same files, in its own storage. */
  def table(isStable: Boolean = false): LanceTable =
    LanceTable.open(new MemoryFiles(if (isStable) stableFiles else plainFiles), path)

  private lazy val plainFiles = make(isStable = false)
  private lazy val stableFiles = make(isStable = true)

  private def make(isStable: Boolean): Map[String, IndexedSeq[Byte]] = {
    val store = new MemoryFiles
    val fragments = IndexedSeq.fill(3)(Fragment.unassigned(Seq(file(0, 1)), 4))
    LanceTable
      .create(
        store,
        path,
        schema,
        fragments,
        FileVersion.V2_1,
        enableStableRowIds = isStable
      )
      .commit(CreateIndex(Seq(z)))
    store.snapshot
  }

  /** Opens a table on storage that already contains it. */
  def open(store: FileStore): LanceTable = LanceTable.open(store, path)

  private lazy val fragments = table().fragments

  private def added(n: Int = 1): IndexedSeq[Fragment] =
    IndexedSeq(Fragment.unassigned(Seq(file(0, 1)), n.toLong))

  private def deleted(i: Int): Fragment = Fragment(
    fragments(i).message.toBuilder
      .setDeletionFile(DeletionFile(DeletionFile.ArrowArray, 2, 7, 1, None).toMessage)
      .build()
  )

  private def columns(i: Int, name: String): Update = {
    val m = fragments(i).message.toBuilder
    m.getFilesBuilder(0).setFields(ids(name), DataFile.tombstone)
    m.addFiles(file(ids(name)).toMessage)
    Update(
      updatedFragments = IndexedSeq(Fragment(m.build())),
      fieldsModified = Seq(ids(name)),
      updateMode = UpdateMode.RewriteColumns,
      updatedFragmentOffsets = Map(i.toLong -> bitmap(0, 2))
    )
  }

  private def rows(i: Int): Update = Update(
    updatedFragments = IndexedSeq(deleted(i)),
    newFragments = added(),
    fieldsForPreservingFragBitmap = Seq(0, 1)
  )

  private def rewrite(i: Int): Rewrite = Rewrite(
    Seq(RewriteGroup(IndexedSeq(fragments(i)), added(4))),
    Seq(
      RewrittenIndex(
        z.uuid,
        UUID.randomUUID,
        z.detailsType,
        IndexedSeq.empty[Byte],
        0,
        Seq(IndexFile("page_data.lance", 10))
      )
    )
  )

  private def updateConfig(entries: (String, Option[String])*) =
    UpdateConfig(config = Some(UpdateMap(entries)))

  private def notes(key: String, replace: Boolean = false) =
    UpdateConfig(tableMetadata = Some(UpdateMap(Seq(key -> Some("1")), replace)))

  private def shard(name: String, generation: Long): Seq[CompactedSsTable] =
    Seq(CompactedSsTable(UUID.nameUUIDFromBytes(name.getBytes), generation))

  private def insert(keys: KeyExistenceFilter.Keys) =
    Update(newFragments = added(), insertedRows = Some(KeyExistenceFilter(Seq(0), keys)))

  private def overlay(i: Int, name: String): DataOverlay = {
    val m = proto.Transaction.DataOverlay.newBuilder()
    val group = m.addGroupsBuilder().setFragmentId(i.toLong)
    group.addOverlaysBuilder().setDataFile(file(ids(name)).toMessage)
    DataOverlay.parse(m.build())
  }

  /** All operations, created again by every call, in the order of the file. */
  def all: Seq[(String, PlainOperation)] = {
    val found = mutable.Buffer.empty[(String, PlainOperation)]
    def add(name: String, operation: PlainOperation): Unit = found += name -> operation: Unit
    add("Append", Append(added()))
    for (i <- 0 to 1) add(s"Delete($i)", Delete(IndexedSeq(deleted(i)), Nil, "true"))
    add("DeleteFragment(0)", Delete(IndexedSeq.empty, Seq(0L), "true"))
    add("Overwrite", Overwrite(added(), schema))
    add("Overwrite(k)", Overwrite(added(), schema, configUpserts = Map("k" -> "2")))
    for ((name, column, i) <- Seq(("x", "a", 0), ("x", "b", 1), ("y", "b", 1)))
      add(
        s"CreateIndex($name,$column,$i)",
        CreateIndex(Seq(index(name, Seq(ids(column)), Some(Seq(i)))))
      )
    // Over a fragment that no longer exists, because overlapping segments would require a repair.
    add("AppendIndex(z)", CreateIndex(Seq(index("z", Seq(0), Some(Seq(9))))))
    add("ReplaceIndex(z)", CreateIndex(Seq(index("z", Seq(0), Some(Seq(0, 1, 2)))), Seq(z)))
    add("DropIndex(z)", CreateIndex(Nil, Seq(z)))
    add("CreateIndex(memWal)", CreateIndex(Seq(index(IndexSegment.memWal, Nil, None))))
    add("CreateIndex(unknown)", CreateIndex(Seq(index("w", Seq(1), None))))
    for (i <- 0 to 1) add(s"Rewrite($i)", rewrite(i))
    val wider = Schema(IndexedSeq(a, b, c))
    add("Merge", Merge(fragments, wider, preservesNullability = false))
    add("Merge(keeps)", Merge(fragments, wider, preservesNullability = true))
    add("Restore", Restore(1))
    add("ReserveFragments", ReserveFragments(5))
    for (i <- 0 to 1) add(s"Update($i)", rows(i))
    add("UpdateFragment(0)", Update(removedFragmentIds = Seq(0L), newFragments = added()))
    for ((i, name) <- places) add(s"UpdateColumns($i,$name)", columns(i, name))
    add("Insert(1)", insert(KeyExistenceFilter.Exact(Set(1L))))
    add("Insert(2)", insert(KeyExistenceFilter.Exact(Set(2L))))
    add("Insert(bloom)", insert(KeyExistenceFilter.Bloom(IndexedSeq[Byte](1, 2), 16, 1, 0.1)))
    for ((name, generation) <- shards)
      add(
        s"UpdateCompacted($name,$generation)",
        Update(newFragments = added(), compactedSsTables = shard(name, generation))
      )
    add("Project", Project(schema, preservesNullability = false))
    add("Project(keeps)", Project(schema, preservesNullability = true))
    add("Project(keeps,-b)", Project(Schema(IndexedSeq(a)), preservesNullability = true))
    add("UpdateConfig(k)", updateConfig("k" -> Some("1")))
    add("UpdateConfig(-k)", updateConfig("k" -> None))
    add("UpdateConfig(l)", updateConfig("l" -> Some("1")))
    add("TableMetadata(t)", notes("t"))
    add("TableMetadata(u)", notes("u"))
    add("TableMetadata(replace)", notes("v", replace = true))
    val n = UpdateMap(Seq("n" -> Some("1")))
    add("SchemaMetadata", UpdateConfig(schemaMetadata = Some(n)))
    for ((name, id) <- ids.toSeq.sorted)
      add(s"FieldMetadata($name)", UpdateConfig(fieldMetadata = Map(id -> n)))
    for ((i, name) <- places)
      add(s"DataReplacement($i,$name)", DataReplacement(Seq(i.toLong -> file(ids(name)))))
    for ((name, generation) <- shards)
      add(s"UpdateMemWalState($name,$generation)", UpdateMemWalState(shard(name, generation)))
    add("Clone", Clone(isShallow = true, Some("b"), 2, path, None))
    for (name <- Seq("p", "q"))
      add(
        s"UpdateBases($name)",
        UpdateBases(Seq(BasePath(0, Some(name), isDatasetRoot = true, s"/$name")))
      )
    for ((i, name) <- places) add(s"DataOverlay($i,$name)", overlay(i, name))
    add("Unknown", UnknownOperation)
    found.toSeq
  }

  private def places = Seq(0 -> "a", 0 -> "b", 1 -> "b")

  private def shards = Seq("s" -> 1L, "s" -> 2L, "t" -> 1L)

  /** Operations that this release checks for conflicts but does not commit. */
  def isOnlyJudged(name: String): Boolean =
    Seq("UpdateCompacted", "UpdateMemWal", "Clone", "DataOverlay", "Unknown", "CreateIndex(memWal")
      .exists(name.startsWith)
}
