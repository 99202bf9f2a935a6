// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.UUID

import org.roaringbitmap.RoaringBitmap
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CommitConflictException, Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment, IndexSegment}
import io.github.pysparklance.table.transaction.operation.{
  Append,
  CreateIndex,
  Merge,
  Project,
  Rewrite,
  RewriteGroup,
  RewrittenIndex
}
import io.github.pysparklance.testkit.IndexCoverage._
import io.github.pysparklance.testkit.MemoryFiles

/** Indices and rows committed after concurrent changes of their columns or segments. */
class IndexRebaseSuite extends AnyFunSuite {
  private val int64 = LogicalType.parse("int64")
  private val id = Field(0, "id", int64, nullable = true)
  private val a = Field(1, "a", int64, nullable = true)

  private def file(fields: Int*): DataFile = DataFile(
    s"${UUID.randomUUID}.lance",
    fields.toIndexedSeq,
    fields.indices,
    FileVersion.V2_1,
    99
  )

  private def schema(fields: Field*): Schema = Schema(fields.toIndexedSeq)

  /** A table of the columns `id` and `a`, each in its own file, in two fragments. */
  private def table(): LanceTable = LanceTable.create(
    new MemoryFiles,
    "/memory/columns",
    schema(id, a),
    IndexedSeq.fill(2)(Fragment.unassigned(Seq(file(0), file(1)), 4)),
    FileVersion.V2_1
  )

  private def index(name: String, field: Int, covered: Int*): IndexSegment = IndexSegment.of(
    UUID.randomUUID,
    name,
    Seq(field),
    1,
    RoaringBitmap.bitmapOf(covered: _*),
    "lance.table.BTreeIndexDetails",
    Array.emptyByteArray,
    0,
    Nil
  )

  private def segments(t: LanceTable, name: String): Seq[IndexSegment] =
    t.latest.indices.filter(_.name == name)

  private def drop(t: LanceTable): LanceTable =
    t.latest.commit(Project(schema(id), preservesNullability = true))

  private def add(t: LanceTable, field: Field): LanceTable = {
    val latest = t.latest
    val wider = latest.fragments.map { f =>
      Fragment(f.message.toBuilder.addFiles(file(field.id).toMessage).build())
    }
    latest.commit(Merge(wider, schema(id, field), preservesNullability = true))
  }

  private def conflict(commit: => Any): Assertion = {
    val e = intercept[CommitConflictException](commit)
    assert(e.retryable, e)
  }

  for (added <- Seq("b", "a"))
    test(s"an index on a dropped column does not apply to a new column $added with its id") {
      val base = table()
      assert(drop(base).fragments.forall(_.files.length == 1))
      add(base, a.copy(name = added))
      conflict(base.commit(CreateIndex(Seq(index("i", 1, 0, 1)))))
      assert(segments(base, "i").isEmpty)
      // Indices on other columns are not affected.
      base.commit(CreateIndex(Seq(index("j", 0, 0, 1))))
      assert(segments(base, "j").length == 1)
    }

  test("an optimized segment of a dropped column does not apply to a new column") {
    val old = index("i", 1, 0)
    val base = table().commit(CreateIndex(Seq(old)))
    drop(base)
    add(base, a.copy(name = "b"))
    conflict(base.commit(CreateIndex(Seq(index("i", 1, 0, 1)), Seq(old))))
    assert(segments(base, "i").isEmpty)
  }

  test("an index conflicts with a new type of its column, but not with a new name") {
    val base = table()
    val latest = base.commit(Project(schema(id, a.copy(name = "c")), preservesNullability = true))
    base.commit(CreateIndex(Seq(index("i", 1, 0, 1))))
    assert(segments(base, "i").head.coveredFragments.contains(Seq(0, 1)))
    val retyped = schema(id, a.copy(logicalType = LogicalType.parse("int32")))
    latest.latest.commit(Merge(latest.fragments, retyped, preservesNullability = true))
    conflict(latest.commit(CreateIndex(Seq(index("j", 1, 0, 1)))))
  }

  test("an index does not cover fragments whose values a merge replaced") {
    val base = table()
    val merged = base.fragments.map { f =>
      if (f.id == 0) f
      else Fragment(f.message.toBuilder.setFiles(1, file(1).toMessage).build())
    }
    base.commit(Merge(merged, base.schema, preservesNullability = true))
    base.commit(CreateIndex(Seq(index("i", 1, 0, 1), index("j", 0, 0, 1))))
    assert(segments(base, "i").head.coveredFragments.contains(Seq(0)))
    assert(segments(base, "j").head.coveredFragments.contains(Seq(0, 1)))
  }

  for (added <- Seq("b", "a"))
    test(s"rows of a dropped column do not get into a new column $added with its id") {
      val base = table()
      def rows = Append(IndexedSeq(Fragment.unassigned(Seq(file(0, 1)), 1)))
      drop(base)
      assert(base.commit(rows).fragments.length == 3)
      val other = table()
      drop(other)
      add(other, a.copy(name = added))
      conflict(other.commit(rows))
      // Rows without the column are not affected.
      other.commit(Append(IndexedSeq(Fragment.unassigned(Seq(file(0)), 1))))
      assert(other.latest.fragments.length == 3)
    }

  /** Compacts a fragment and rewrites a segment under the returned id. */
  private def compact(t: LanceTable, fragment: Long, segment: UUID): UUID = {
    val renewed = UUID.randomUUID
    val latest = t.latest
    val old = latest.fragments.filter(_.id == fragment)
    val added = IndexedSeq(Fragment.unassigned(Seq(file(0, 1)), 4))
    val indices =
      Seq(RewrittenIndex(segment, renewed, "", IndexedSeq.empty[Byte], 0, Nil))
    latest.commit(Rewrite(Seq(RewriteGroup(old, added)), indices))
    assert(t.latest.indices.exists(_.uuid == renewed))
    renewed
  }

  test("dropping an index also drops segments that compactions rewrite meanwhile") {
    val (old, other) = (index("z", 0, 0, 1), index("y", 0, 0, 1))
    val base = table().commit(CreateIndex(Seq(old, other)))
    compact(base, 1, compact(base, 0, old.uuid))
    base.commit(CreateIndex(Nil, Seq(old)))
    assert(segments(base, "z").isEmpty && segments(base, "y") == Seq(other))
  }

  test("replacing segments that compactions rewrite meanwhile is a conflict") {
    // The new segment does not cover the compacted fragment.
    val old = index("z", 0, 0, 1)
    val base = table().commit(CreateIndex(Seq(old)))
    val renewed = compact(base, 0, old.uuid)
    conflict(base.commit(CreateIndex(Seq(index("z", 0)), Seq(old))))
    assert(segments(base, "z").map(_.uuid) == Seq(renewed))
  }

  test("dropping an index that is replaced after a compaction is a conflict") {
    val old = index("z", 0, 0, 1)
    val base = table().commit(CreateIndex(Seq(old)))
    compact(base, 0, old.uuid)
    val replaced = index("z", 0, 1)
    base.latest.commit(CreateIndex(Seq(replaced), segments(base, "z")))
    conflict(base.commit(CreateIndex(Nil, Seq(old))))
    assert(segments(base, "z") == Seq(replaced))
  }

  test("the fragment reuse record stays if a concurrent commit adds an index that may need it") {
    val record = index(IndexSegment.fragmentReuse, 0)
    def dropped(between: LanceTable => Unit): Boolean = {
      val (old, other) = (index("z", 0, 0, 1), index("y", 0, 0, 1))
      val base = table().commit(CreateIndex(Seq(old, other, record)))
      between(base)
      base.commit(CreateIndex(Nil, Seq(old, record)))
      assert(segments(base, "z").isEmpty)
      !base.latest.indices.exists(_.isFragmentReuse)
    }
    assert(dropped(_ => ()))
    assert(dropped(t => t.latest.commit(CreateIndex(Nil, segments(t, "y"))): Unit))
    assert(!dropped(t => t.latest.commit(CreateIndex(Seq(index("x", 0, 0, 1)))): Unit))
  }
}
