// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CorruptFileException,
  InvalidRequestException,
  UnsupportedFeatureException
}
import io.github.pysparklance.table.manifest.{DataFile, FeatureFlags, Fragment}
import io.github.pysparklance.table.rowid.RowLineage
import io.github.pysparklance.table.transaction.operation.{
  DataOverlay,
  DataReplacement,
  Merge,
  Operation,
  PlainOperation,
  Project,
  ReserveFragments,
  Restore,
  Rewrite,
  RewriteGroup,
  Transaction,
  UnknownOperation,
  Update,
  UpdateConfig,
  UpdateMap
}
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.IndexCoverage._

class OperationSuite extends AnyFunSuite {

  private def message(o: PlainOperation): proto.Transaction = Transaction(3, o).toMessage

  private def example(name: String): PlainOperation = OperationExamples.all.toMap.apply(name)

  private def coverage(t: LanceTable, name: String): Option[Seq[Long]] =
    t.indices.find(_.name == name).flatMap(_.coveredFragments)

  test("every operation round-trips through its message") {
    OperationExamples.all.filterNot(_._1 == "Unknown").foreach { case (name, o) =>
      val read = Operation.parse(message(o))
      assert(
        message(read).toBuilder.clearUuid().build() ==
          message(o).toBuilder.clearUuid().build(),
        name
      )
      if (!o.isInstanceOf[DataOverlay]) assert(read == o, name)
    }
    assert(Operation.parse(proto.Transaction.getDefaultInstance) == UnknownOperation)
    intercept[UnsupportedFeatureException](message(UnknownOperation))
  }

  test("the older form of UpdateConfig") {
    def parse(change: proto.Transaction.UpdateConfig.Builder => Any) = {
      val b = proto.Transaction.UpdateConfig.newBuilder()
      change(b)
      Operation.parse(proto.Transaction.newBuilder().setUpdateConfig(b).build())
    }
    val old = parse { b =>
      b.putUpsertValues("k", "1").addDeleteKeys("l").putSchemaMetadata("s", "2")
      b.putFieldMetadata(
        7,
        proto.Transaction.FieldMetadataUpdate.newBuilder().putMetadata("f", "3").build()
      )
    }
    val expected = UpdateConfig(
      config = Some(UpdateMap(Seq("k" -> Some("1"), "l" -> None))),
      schemaMetadata = Some(UpdateMap.replace(Map("s" -> "2"))),
      fieldMetadata = Map(7 -> UpdateMap.replace(Map("f" -> "3")))
    )
    assert(old == expected)
    intercept[CorruptFileException](parse { b =>
      b.putUpsertValues("k", "1").setConfigUpdates(proto.UpdateMap.getDefaultInstance)
    })
  }

  test("the older forms of Rewrite and Update") {
    val f = proto.DataFragment.newBuilder().setId(4).build()
    val r = proto.Transaction.Rewrite.newBuilder().addOldFragments(f).addNewFragments(f)
    val rewrite = Operation.parse(proto.Transaction.newBuilder().setRewrite(r).build())
    assert(rewrite == Rewrite(
      Seq(RewriteGroup(IndexedSeq(Fragment(f)), IndexedSeq(Fragment(f))))
    ))
    val list = proto.UInt32List.newBuilder().addValues(3).addValues(1).build()
    val u = proto.Transaction.Update.newBuilder().putUpdatedFragmentOffsets(4, list)
    Operation.parse(proto.Transaction.newBuilder().setUpdate(u).build()) match {
      case o: Update => assert(o.updatedFragmentOffsets(4).toArray.toSeq == Seq(1, 3))
      case other => fail(other.toString)
    }
    val damaged = proto.Transaction.Update
      .newBuilder()
      .putUpdatedFragmentOffsetBitmaps(4, ByteString.copyFromUtf8("no bitmap"))
    intercept[CorruptFileException](
      Operation.parse(proto.Transaction.newBuilder().setUpdate(damaged).build())
    )
  }

  test("columns in place: tombstones, coverage, and versions of the updated rows") {
    val base = OperationExamples.table(isStable = true)
    val before = base.fragments.head
    val change = example("UpdateColumns(0,a)") match {
      case u: Update =>
        val own = before.message.toBuilder
        own.getFilesBuilder(0).setFields(0, DataFile.tombstone)
        own.addFiles(u.updatedFragments.head.message.getFiles(1))
        u.copy(updatedFragments = IndexedSeq(Fragment(own.build())))
      case other => fail(other.toString)
    }
    val t = base.commit(change)
    val after = t.fragments.head
    assert(after.files.map(_.fields) == IndexedSeq(
      IndexedSeq(DataFile.tombstone, 1),
      IndexedSeq(0)
    ))
    assert(coverage(t, "z").contains(Seq(1L, 2L)))
    RowLineage.lastUpdatedAt(after) match {
      case RowLineage.Inline(v) => assert((0L to 3L).map(v(_)) == Seq(t.version, 1L, t.version, 1L))
      case other => fail(other.toString)
    }
    assert(after.message.getInlineRowIds == before.message.getInlineRowIds)
    assert(after.message.getInlineCreatedAtVersions == before.message.getInlineCreatedAtVersions)
    // A single column in its own file that is fully replaced leaves no file behind.
    val again = t.commit(DataReplacement(Seq(0L -> after.files(1).copy(path = "next.lance"))))
    assert(again.fragments.head.files.map(_.path) ==
      IndexedSeq(after.files(0).path, "next.lance"))
    RowLineage.lastUpdatedAt(again.fragments.head) match {
      case RowLineage.Inline(v) => assert((0L to 3L).map(v(_)).toSet == Set(again.version))
      case other => fail(other.toString)
    }
  }

  test("a data replacement: an exact file, part of a file, a column without a file") {
    val base = OperationExamples.table()
    val t = base.commit(example("DataReplacement(0,b)"))
    val Seq(old, added) = t.fragments.head.files: @unchecked
    assert(old.fields == IndexedSeq(0, DataFile.tombstone) && added.fields == IndexedSeq(1))
    assert(coverage(t, "z").contains(Seq(0L, 1L, 2L)))
    val replaced = OperationExamples.table().commit(example("DataReplacement(0,a)"))
    assert(coverage(replaced, "z").contains(Seq(1L, 2L)))
    val merged = OperationExamples.table().commit(example("Merge(keeps)"))
    val c = added.copy(path = "c.lance", fields = IndexedSeq(2))
    val half =
      added.copy(path = "d.lance", fields = IndexedSeq(1, 2), columnIndices = IndexedSeq(0, 1))
    intercept[InvalidRequestException](merged.commit(DataReplacement(Seq(1L -> half))))
    intercept[InvalidRequestException](merged.commit(DataReplacement(Seq(9L -> added))))
    assert(merged.commit(DataReplacement(Seq(1L -> c))).fragments(1).files.last == c)
  }

  test("a merge keeps every fragment and its rows") {
    val base = OperationExamples.table(isStable = true)
    val merge = example("Merge(keeps)") match {
      case m: Merge => m.copy(fragments = base.fragments)
      case other => fail(other.toString)
    }
    val t = base.commit(merge)
    assert(t.schema.fields.map(_.name) == IndexedSeq("a", "b", "c"))
    // Columns of nulls alone change no row.
    assert(t.fragments == base.fragments)
    val file = base.fragments.head.files.head.copy(
      path = "c.lance",
      fields = IndexedSeq(2),
      columnIndices = IndexedSeq(0)
    )
    val wider = base.fragments.head.message.toBuilder.addFiles(file.toMessage).build()
    val fresh = Fragment.unassigned(Seq(file), 2)
    val all = Fragment(wider) +: base.fragments.tail :+ fresh
    def rejected(fragments: Seq[Fragment]) =
      intercept[InvalidRequestException](
        t.commit(merge.copy(fragments = fragments.toIndexedSeq))
      ).getMessage
    assert(rejected(base.fragments.tail).contains("fragment 0 is missing"))
    val longer = base.fragments.head.message.toBuilder.setPhysicalRows(5).build()
    assert(rejected(Fragment(longer) +: base.fragments.tail).contains("number of rows"))
    assert(rejected(base.fragments :+ base.fragments.head).contains("row ids"))
    val filled = t.commit(merge.copy(fragments = all))
    RowLineage.lastUpdatedAt(filled.fragments.head) match {
      case RowLineage.Inline(v) => assert((0L to 3L).map(v(_)).toSet == Set(filled.version))
      case other => fail(other.toString)
    }
    assert(filled.fragments.map(_.id) == Seq(0L, 1L, 2L, 3L))
    assert(filled.rowIds(filled.fragments.last).get.toArray.toSeq == Seq(12L, 13L))
  }

  test("a projection drops unused files and indices") {
    def merged = OperationExamples.table().commit(example("DataReplacement(0,b)"))
    val t = merged.commit(example("Project(keeps,-b)"))
    assert(t.fragments.head.files.map(_.fields) == IndexedSeq(IndexedSeq(0, DataFile.tombstone)))
    assert(t.indices.map(_.name) == Seq("z"))
    val b = Project(
      merged.schema.copy(fields = merged.schema.fields.drop(1)),
      preservesNullability = true
    )
    val onlyB = merged.commit(b)
    assert(
      onlyB.indices.isEmpty && onlyB.fragments.head.files.map(_.fields) == IndexedSeq(IndexedSeq(1))
    )
  }

  test("reserved ids, a rewrite that uses them, and ids that are never reused") {
    val base = OperationExamples.table()
    val reserved = base.commit(ReserveFragments(2))
    assert(reserved.manifest.maxFragmentId.contains(4L))
    val files = base.fragments.map(_.files)
    val big = Fragment(
      Fragment.unassigned(files(0), 8).message.toBuilder.setId(3).build()
    )
    val rewrite = Rewrite(Seq(RewriteGroup(base.fragments.take(2), IndexedSeq(big))))
    // Committed on the version that it was planned on, as in a compaction.
    val t = base.commit(rewrite)
    assert(t.fragments.map(_.id) == Seq(2L, 3L) && t.manifest.maxFragmentId.contains(4L))
    // Not rebuilt, so it keeps covering retired fragments.
    assert(coverage(t, "z").contains(Seq(0L, 1L, 2L)))
    val appended = t.commit(example("Append"))
    assert(appended.fragments.map(_.id) == Seq(2L, 3L, 5L))
    val restored = appended.commit(Restore(1))
    assert(restored.fragments == base.fragments && restored.indices.isEmpty)
    assert(restored.commit(example("Append")).fragments.last.id == 6)
    val twice = Seq(base.fragments, base.fragments.take(1)).map(RewriteGroup(_, IndexedSeq(big)))
    intercept[InvalidRequestException](OperationExamples.table().commit(Rewrite(twice)))
  }

  test("an index that is rebuilt for a rewrite covers the new fragments") {
    val base = OperationExamples.table()
    val rewrite = example("Rewrite(1)") match {
      case r: Rewrite => r
      case other => fail(other.toString)
    }
    val t = base.commit(rewrite)
    assert(t.fragments.map(_.id) == Seq(0L, 2L, 3L))
    val Seq(z) = t.indices: @unchecked
    assert(z.uuid == rewrite.rewrittenIndices.head.newId)
    assert(z.coveredFragments.contains(Seq(0L, 2L, 3L)))
    assert(z.message.getFilesList.asScala.map(_.getPath) == Seq("page_data.lance"))
  }

  test("properties and metadata; the config flag is set while there is a config") {
    val base = OperationExamples.table()
    val t = Seq("UpdateConfig(k)", "TableMetadata(t)", "SchemaMetadata", "FieldMetadata(b)")
      .foldLeft(base)((t, name) => t.commit(example(name)))
    assert(t.manifest.config == Map("k" -> "1") && t.manifest.tableMetadata == Map("t" -> "1"))
    assert(t.schema.metadata == Map("n" -> "1") && t.schema.fields(1).metadata == Map("n" -> "1"))
    assert(
      t.manifest.flags.writes(FeatureFlags.config) && !t.manifest.flags.reads(FeatureFlags.config)
    )
    val without = t.commit(example("UpdateConfig(-k)")).commit(example("TableMetadata(replace)"))
    assert(without.manifest.config.isEmpty && without.manifest.tableMetadata == Map("v" -> "1"))
    assert(!without.manifest.flags.writes(FeatureFlags.config))
    val unknown = UpdateConfig(fieldMetadata = Map(9 -> UpdateMap.remove(Seq("n"))))
    assert(intercept[InvalidRequestException](t.commit(unknown)).getMessage.contains("id 9"))
  }

  test("bases get free ids, and unique names and paths") {
    val base = OperationExamples.table()
    val t = base.commit(example("UpdateBases(p)")).commit(example("UpdateBases(q)"))
    assert(t.manifest.basePaths.map { case (id, b) => id -> b.path } == Map(1 -> "/p", 2 -> "/q"))
    assert(t.manifest.flags.reads(FeatureFlags.basePaths))
    assert(
      intercept[InvalidRequestException](t.commit(example("UpdateBases(p)"))).getMessage
        .contains("base 1")
    )
  }

  test("unsupported operations are rejected by name") {
    val base = OperationExamples.table()
    Seq("UpdateMemWalState(s,1)", "DataOverlay(0,a)", "Unknown").foreach { name =>
      intercept[UnsupportedFeatureException](base.commit(example(name)))
      assert(base.latest.version == base.version, name)
    }
    intercept[InvalidRequestException](base.commit(example("Clone")))
  }
}
