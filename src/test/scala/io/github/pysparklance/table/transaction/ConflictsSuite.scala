// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import com.google.protobuf.{Any => AnyMessage}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, Fragment, IndexSegment}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.conflict.Conflicts.{
  Compatible,
  Incompatible,
  Retryable
}
import io.github.pysparklance.table.transaction.conflict.{Conflicts, StoredConstraints}
import io.github.pysparklance.table.transaction.operation.{
  Append => OurAppend,
  CreateIndex => OurCreateIndex,
  DataReplacement => OurReplacement,
  DeleteRows,
  Merge => OurMerge,
  Operation,
  Overwrite => OurOverwrite,
  PlainOperation,
  Update => OurUpdate,
  UpdateConfig => OurConfig,
  UpdateMap,
  UpdateMode,
  UpdateRows
}

class ConflictsSuite extends AnyFunSuite {
  import proto.Transaction._

  private def theirs(set: proto.Transaction.Builder => Any): proto.Transaction = {
    val b = proto.Transaction.newBuilder().setReadVersion(1)
    set(b)
    b.build()
  }

  private val append = theirs(_.setAppend(Append.getDefaultInstance))
  private val delete = theirs(_.setDelete(Delete.getDefaultInstance))
  private val overwrite =
    theirs(_.setOverwrite(Overwrite.newBuilder().putConfigUpsertValues("k", "v")))
  private val createIndex = theirs(_.setCreateIndex(CreateIndex.getDefaultInstance))
  private val rewrite = theirs(_.setRewrite(Rewrite.getDefaultInstance))
  private val merge = theirs(_.setMerge(Merge.newBuilder()))
  private val nullableMerge = theirs(_.setMerge(Merge.newBuilder().setPreservesNullability(true)))
  private val restore = theirs(_.setRestore(Restore.getDefaultInstance))
  private val reserve = theirs(_.setReserveFragments(ReserveFragments.getDefaultInstance))
  private val update = theirs(_.setUpdate(Update.getDefaultInstance))
  private val project = theirs(_.setProject(Project.getDefaultInstance))
  private val nullableProject =
    theirs(_.setProject(Project.newBuilder().setPreservesNullability(true)))
  private val replacement = theirs(_.setDataReplacement(DataReplacement.getDefaultInstance))
  private val memWal = theirs(_.setUpdateMemWalState(UpdateMemWalState.getDefaultInstance))
  private val clone_ = theirs(_.setClone(Clone.getDefaultInstance))
  private val bases = theirs(_.setUpdateBases(UpdateBases.getDefaultInstance))
  private val overlay = theirs(_.setDataOverlay(DataOverlay.getDefaultInstance))
  private val unknown = theirs(identity)

  private def config(change: UpdateConfig.Builder => Any): proto.Transaction = {
    val u = UpdateConfig.newBuilder()
    change(u)
    theirs(_.setUpdateConfig(u))
  }

  private def entry(key: String) = proto.UpdateMapEntry.newBuilder().setKey(key).setValue("v")
  private val configK =
    config(_.setConfigUpdates(proto.UpdateMap.newBuilder().addUpdateEntries(entry("k"))))
  private val configReplaced =
    config(_.setConfigUpdates(proto.UpdateMap.newBuilder().setReplace(true)))
  private val oldConfigK = config(_.putUpsertValues("k", "v"))
  private val oldConfigWithoutK = config(_.addDeleteKeys("k"))

  private val always =
    Seq(
      append,
      delete,
      createIndex,
      rewrite,
      nullableMerge,
      reserve,
      update,
      nullableProject,
      replacement,
      clone_,
      bases,
      overlay
    )

  private def check(ours: Operation, theirs: proto.Transaction): Conflicts.Verdict =
    Conflicts.check(ours, Operation.parse(theirs), Schema(IndexedSeq.empty), _ => true)

  test("every operation of the format is covered here") {
    val judged =
      (always ++ Seq(overwrite, restore, configK, memWal, unknown)).map(_.getOperationCase)
    assert(judged.toSet == OperationCase.values.toSet)
  }

  test("an append") {
    val ours = OurAppend(IndexedSeq.empty)
    (always ++ Seq(configK, configReplaced, oldConfigK)).foreach { t =>
      assert(check(ours, t) == Compatible, t)
    }
    Seq(merge, project).foreach(t => assert(check(ours, t).isInstanceOf[Retryable], t))
    Seq(overwrite, restore, memWal, unknown).foreach { t =>
      assert(check(ours, t).isInstanceOf[Incompatible], t)
    }
  }

  test("rows conflict with a CHECK constraint that was added concurrently") {
    val key = StoredConstraints.checkPrefix + "c"
    val constraint =
      config(_.setConfigUpdates(proto.UpdateMap.newBuilder().addUpdateEntries(entry(key))))
    val rows = Map(3L -> DeletionVector.of(Array(1)))
    Seq(
      OurAppend(IndexedSeq.empty),
      UpdateRows(rows, IndexedSeq.empty, Set.empty),
      OurOverwrite(IndexedSeq.empty, Schema(IndexedSeq.empty), Some(FileVersion.default))
    ).foreach(ours => assert(check(ours, constraint).isInstanceOf[Retryable], ours))
    assert(check(DeleteRows(rows, ""), constraint) == Compatible)
    val ours = Operation.parse(constraint)
    Seq(append, update, overwrite, replacement, nullableMerge, restore).foreach { t =>
      assert(check(ours, t).isInstanceOf[Retryable], t)
    }
    val merged = Operation.parse(nullableMerge)
    assert(check(merged, constraint).isInstanceOf[Retryable])
    Seq(delete, rewrite, createIndex).foreach(t => assert(check(ours, t) == Compatible, t))
    val dropped = OurConfig(config = Some(UpdateMap.remove(Seq(key))))
    assert(check(dropped, append) == Compatible)
  }

  test("an append conflicts with a new column that has a default value") {
    def added(default: Option[String]) = {
      val metadata = default.map("CURRENT_DEFAULT" -> _).toMap
      val field =
        Field(7, "x", LogicalType.parse("int32"), nullable = true, metadata = metadata)
      OurMerge(IndexedSeq.empty, Schema(IndexedSeq(field)), preservesNullability = true)
    }
    def check(ours: Operation, theirs: OurMerge) =
      Conflicts.check(ours, theirs, Schema(IndexedSeq.empty), _ => true)
    val ours = OurAppend(IndexedSeq.empty)
    assert(check(ours, added(Some("5"))).isInstanceOf[Retryable])
    Seq(None, Some("NULL")).foreach(d => assert(check(ours, added(d)) == Compatible, d))
  }

  test("an overwrite") {
    def ours(keys: String*) = OurOverwrite(
      IndexedSeq.empty,
      Schema(IndexedSeq.empty),
      Some(FileVersion.default),
      keys.map(_ -> "w").toMap
    )
    (always ++ Seq(merge, project, restore)).foreach { t =>
      assert(check(ours("k"), t) == Compatible, t)
    }
    assert(check(ours(), overwrite).isInstanceOf[Retryable])
    assert(check(ours("other"), overwrite).isInstanceOf[Retryable])
    assert(check(ours("k"), overwrite).isInstanceOf[Incompatible])
    Seq(configK, oldConfigK, oldConfigWithoutK, configReplaced).foreach { t =>
      assert(check(ours(), t) == Compatible, t)
      assert(check(ours("k"), t).isInstanceOf[Incompatible], t)
    }
    assert(check(ours("other"), configK) == Compatible)
    Seq(memWal, unknown).foreach { t =>
      assert(check(ours(), t).isInstanceOf[Incompatible], t)
    }
  }

  private val rows = Map(3L -> DeletionVector.of(Array(1)), 4L -> DeletionVector.of(Array(2)))
  private val ourDelete = DeleteRows(rows, "")
  private val ourUpdate = UpdateRows(rows, IndexedSeq.empty, Set.empty)

  private def fragment(id: Long): proto.DataFragment =
    proto.DataFragment.newBuilder().setId(id).build()

  test("a deletion or an update over operations that touch no rows") {
    Seq(
      append,
      createIndex,
      reserve,
      configK,
      configReplaced,
      clone_,
      bases,
      nullableProject
    ).foreach { t =>
      Seq(ourDelete, ourUpdate).foreach(o => assert(check(o, t) == Compatible, t))
    }
    Seq(merge, nullableMerge).foreach { t =>
      Seq(ourDelete, ourUpdate).foreach(o => assert(check(o, t).isInstanceOf[Retryable], t))
    }
    Seq(overwrite, restore, unknown).foreach { t =>
      Seq(ourDelete, ourUpdate).foreach(o => assert(check(o, t).isInstanceOf[Incompatible], t))
    }
    assert(check(ourDelete, project) == Compatible && check(
      ourUpdate,
      project
    ).isInstanceOf[Retryable])
    Seq(ourDelete, ourUpdate).foreach(o => assert(check(o, overlay) == Compatible))
    assert(check(ourDelete, memWal).isInstanceOf[Incompatible])
    assert(check(ourUpdate, memWal) == Compatible)
  }

  test("a deletion or an update over operations that touch fragments") {
    def on(id: Long): Seq[(proto.Transaction, Boolean)] = Seq(
      theirs(_.setDelete(Delete.newBuilder().addUpdatedFragments(fragment(id)))) -> true,
      theirs(_.setUpdate(Update.newBuilder().addUpdatedFragments(fragment(id)))) -> true,
      theirs(_.setDelete(Delete.newBuilder().addDeletedFragmentIds(id))) -> false,
      theirs(_.setUpdate(Update.newBuilder().addRemovedFragmentIds(id))) -> false,
      theirs(_.setRewrite(Rewrite.newBuilder().addOldFragments(fragment(id)))) -> false,
      theirs(_.setRewrite(
        Rewrite.newBuilder().addGroups(
          Rewrite.RewriteGroup.newBuilder().addOldFragments(fragment(id))
        )
      )) -> false,
      theirs(_.setDataReplacement(
        DataReplacement.newBuilder().addReplacements(
          DataReplacementGroup.newBuilder().setFragmentId(id)
        )
      )) -> false
    )
    Seq(ourDelete, ourUpdate).foreach { ours =>
      on(7).foreach { case (t, _) =>
        assert(
          Conflicts.check(
            ours,
            Operation.parse(t),
            Schema(IndexedSeq.empty),
            _ => false
          ) == Compatible,
          t
        )
      }
      on(4).foreach { case (t, canMerge) =>
        assert((check(ours, t) == Compatible) == canMerge, t)
        // With other files, the rows are at other positions.
        assert(
          Conflicts.check(
            ours,
            Operation.parse(t),
            Schema(IndexedSeq.empty),
            _ => false
          ).isInstanceOf[Retryable],
          t
        )
      }
    }
  }

  test("new items of a list conflict with an index on the list") {
    val item = Field(1, "item", LogicalType.parse("int32"), nullable = true)
    val list = Field(0, "l", LogicalType.parse("list"), nullable = true, IndexedSeq(item))
    val schema = Schema(IndexedSeq(list, item.copy(id = 2, name = "other")))
    val items = DataFile("f.lance", IndexedSeq(1), IndexedSeq(0), FileVersion.default, 9)
    def on(id: Int): OurCreateIndex = {
      val m = proto.IndexMetadata.newBuilder().setName("i").addFields(id)
      OurCreateIndex(Seq(IndexSegment(m.build())))
    }
    val replaced = OurReplacement(Seq(3L -> items))
    def verdict(ours: Operation, theirs: PlainOperation) =
      Conflicts.check(ours, theirs, schema, _ => true)
    Seq(0, 1).foreach { id =>
      assert(verdict(replaced, on(id)).isInstanceOf[Retryable])
      assert(verdict(on(id), replaced).isInstanceOf[Retryable])
    }
    assert(verdict(replaced, on(2)) == Compatible && verdict(on(2), replaced) == Compatible)
    val update = OurUpdate(
      updatedFragments = IndexedSeq(Fragment(fragment(3))),
      fieldsModified = Seq(0),
      updateMode = UpdateMode.RewriteColumns
    )
    assert(verdict(replaced, update).isInstanceOf[Retryable])
  }

  test("a rewrite does not conflict with new zone maps, but with other indices") {
    val rewrite = operation.Rewrite(
      Seq(operation.RewriteGroup(
        IndexedSeq(Fragment(fragment(3))),
        IndexedSeq(Fragment(fragment(4)))
      ))
    )
    def index(kind: String): OurCreateIndex = {
      val details = AnyMessage.newBuilder().setTypeUrl(s"/lance.table.${kind}IndexDetails")
      val m = proto.IndexMetadata.newBuilder().setName("i").addFields(0).setIndexDetails(details)
      OurCreateIndex(Seq(IndexSegment(m.build())))
    }
    def verdict(theirs: PlainOperation) =
      Conflicts.check(rewrite, theirs, Schema(IndexedSeq.empty), _ => true)
    assert(verdict(index("ZoneMap")) == Compatible)
    assert(verdict(index("BTree")).isInstanceOf[Retryable])
  }
}
