// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import com.google.protobuf.{Any => AnyMessage, ByteString}
import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.reuse.FragmentReuse
import io.github.pysparklance.table.transaction.operation.IndexMaintenance

class IndexMaintenanceSuite extends AnyFunSuite {

  private val schema = Schema(
    (0 to 2).map(i => Field(i, s"c$i", LogicalType.parse("int32"), nullable = true))
  )

  private def index(
      name: String,
      uuid: Int,
      fields: Seq[Int],
      covered: Option[Seq[Int]],
      details: String = "/lance.table.BitmapIndexDetails"
  ): proto.IndexMetadata.Builder = {
    val b = proto.IndexMetadata
      .newBuilder()
      .setName(name)
      .setUuid(proto.UUID.newBuilder().setUuid(ByteString.copyFrom(Array.fill(16)(uuid.toByte))))
      .addAllFields(fields.map(Int.box).asJava)
      .setIndexDetails(AnyMessage.newBuilder().setTypeUrl(details))
    covered.foreach { ids =>
      val bitmap = RoaringBitmap.bitmapOf(ids: _*)
      val bytes = new Array[Byte](bitmap.serializedSizeInBytes)
      bitmap.serialize(ByteBuffer.wrap(bytes))
      b.setFragmentBitmap(ByteString.copyFrom(bytes))
    }
    b
  }

  private def maintenance(indices: proto.IndexMetadata.Builder*): IndexMaintenance = {
    val section = proto.IndexSection.newBuilder()
    indices.foreach(section.addIndices)
    new IndexMaintenance(section.build())
  }

  private def retained(live: Seq[Long], isTagged: Boolean = false)(
      indices: proto.IndexMetadata.Builder*
  ): IndexMaintenance =
    maintenance(indices: _*).retained(schema, live, FragmentReuse.empty, isTagged)

  private def uuids(m: IndexMaintenance): Seq[Int] =
    m.section.fold(Seq.empty[Int]) { s =>
      proto.IndexSection.parseFrom(
        s
      ).getIndicesList.asScala.map(_.getUuid.getUuid.byteAt(0).toInt).toSeq
    }

  private def coverage(m: IndexMaintenance): Seq[Seq[Int]] =
    proto.IndexSection.parseFrom(m.section.get).getIndicesList.asScala.toSeq.map { i =>
      val bitmap = new RoaringBitmap
      if (!i.getFragmentBitmap.isEmpty)
        bitmap.deserialize(ByteBuffer.wrap(i.getFragmentBitmap.toByteArray))
      bitmap.toArray.toSeq
    }

  test("indices of dropped fields are dropped, system indices and unknown coverage are kept") {
    val m = retained(Seq(1L))(
      index("a", 1, Seq(0), Some(Seq(1))),
      index("b", 2, Seq(0, 9), Some(Seq(1))),
      index("__lance_frag_reuse", 3, Nil, None),
      index("__lance_mem_wal", 4, Nil, None),
      index("c", 5, Seq(1), None),
      index("c", 6, Seq(1), Some(Seq(7))),
      index("d", 7, Seq(2), Some(Seq(7)))
    )
    assert(uuids(m) == Seq(1, 3, 4, 5, 6, 7))
    assert(retained(Nil)().section.isEmpty)
    assert(retained(Nil)(index("b", 2, Seq(9), None)).section.isEmpty)
  }

  test("segments without coverage are dropped, except one definition") {
    val segments = Seq(
      index("a", 1, Seq(0), Some(Seq(1))),
      index("a", 2, Seq(0), Some(Seq(5))),
      index("b", 3, Seq(0), Some(Seq(5))).setDatasetVersion(1),
      index("b", 4, Seq(0), Some(Seq(6))).setCreatedAt(20),
      index("b", 5, Seq(0), Some(Seq(6))).setCreatedAt(10).setDatasetVersion(9)
    )
    assert(uuids(retained(Seq(1L, 2L))(segments: _*)) == Seq(1, 5))
    assert(uuids(retained(Seq(1L, 2L), isTagged = true)(segments: _*)) == Seq(
      1, 2, 3, 4, 5
    ))
  }

  test("indices of row ids cover the fragments that all their rows moved to") {
    val all = Some(Seq(0, 1))
    val m = maintenance(
      index("follows", 1, Seq(0), all),
      index("changed", 2, Seq(1), all),
      index("partly", 3, Seq(0), Some(Seq(0))),
      index("unknown", 4, Seq(0), None),
      index("zones", 5, Seq(0), all, "/lance.table.ZoneMapIndexDetails"),
      index("blooms", 6, Seq(0), all, "/lance.index.pb.BloomFilterIndexDetails"),
      index("tree", 7, Seq(0), all, "/lance.table.BTreeIndexDetails").setIndexVersion(1),
      index("old tree", 8, Seq(0), all, "/lance.table.BTreeIndexDetails")
    )
    val joined = coverage(m.joined(moved = Seq(5L), from = Seq(0L, 1L), changedFields = Set(1)))
    val same = Seq(0, 1)
    assert(joined == Seq(Seq(0, 1, 5), same, Seq(0), Nil, same, same, same, Seq(0, 1, 5)))
    assert(coverage(m.joined(Nil, Seq(0L), Set.empty)) == coverage(m))
  }

  /** Compactions, each with groups of old and new fragments. */
  private def reuse(compactions: Seq[(Seq[Int], Seq[Int])]*): FragmentReuse = {
    def digest(id: Int) =
      proto.FragmentReuseIndexDetails.FragmentDigest.newBuilder().setId(id.toLong).build()
    new FragmentReuse(compactions.toIndexedSeq.map { groups =>
      val v = proto.FragmentReuseIndexDetails.Version.newBuilder()
      groups.foreach { case (old, added) =>
        v.addGroupsBuilder()
          .addAllOldFragments(old.map(digest).asJava)
          .addAllNewFragments(added.map(digest).asJava)
      }
      v.build()
    })
  }

  test("new values in fragments that coverage names by their retired predecessors") {
    val twice = reuse(Seq(Seq(0, 1) -> Seq(4), Seq(2, 3) -> Seq(5)), Seq(Seq(4) -> Seq(6)))
    def left(covered: Seq[Int], rewritten: Long, by: FragmentReuse = twice): Seq[Int] =
      coverage(
        maintenance(index("a", 1, Seq(0), Some(covered)))
          .withdrawn(Seq(rewritten -> Set(0)), Seq(5L, 6L, 7L), by, isTagged = false)
      ).head
    val past = Seq(0, 1, 2, 3)
    assert(left(past, 6) == Seq(2, 3))
    assert(left(past, 5) == Seq(0, 1))
    assert(left(past, 7) == past)
    // pylance updates coverage one compaction late.
    assert(left(Seq(4, 5), 6) == Seq(5))
    assert(left(Seq(5, 6), 6) == Seq(5))
    // Coverage does not contain which retired rows moved to which new fragment.
    val split = reuse(Seq(Seq(0, 1) -> Seq(5, 6)))
    assert(left(Seq(0, 1), 6, split).isEmpty)
    assert(left(Seq(5, 6), 6, split) == Seq(5))
  }

  test("new values remove coverage of indices on the field, and of covering indices with it") {
    val m = maintenance(
      index("on it", 1, Seq(0), Some(Seq(0, 1))),
      index("holds it", 2, Seq(1), Some(Seq(0, 1))).addCoveringFields(0),
      index("on another", 3, Seq(2), Some(Seq(0, 1)))
    ).withdrawn(Seq(1L -> Set(0)), Seq(0L, 1L), FragmentReuse.empty, isTagged = false)
    assert(coverage(m) == Seq(Seq(0), Seq(0), Seq(0, 1)))
  }

  test("coverage of a billion fragments in a few bytes is not expanded") {
    val covered = RoaringBitmap.bitmapOfRange(0L, 1L << 30)
    covered.runOptimize(): Unit
    val bytes = new Array[Byte](covered.serializedSizeInBytes)
    covered.serialize(ByteBuffer.wrap(bytes))
    assert(bytes.length < (1 << 20))
    val wide = index("a", 1, Seq(0), None).setFragmentBitmap(ByteString.copyFrom(bytes))
    def left(isTagged: Boolean): RoaringBitmap = {
      val m = maintenance(wide)
        .withdrawn(Seq(1L -> Set(0)), Seq(0L, 1L), FragmentReuse.empty, isTagged)
      val out = new RoaringBitmap
      val section = proto.IndexSection.parseFrom(m.section.get)
      out.deserialize(ByteBuffer.wrap(section.getIndices(0).getFragmentBitmap.toByteArray))
      out
    }
    assert(left(isTagged = false).getLongCardinality == (1L << 30) - 1)
    assert(left(isTagged = true).isEmpty)
    val exact = maintenance(index("a", 1, Seq(0), Some(Seq(0, 1))))
      .withdrawn(Seq(1L -> Set(0)), Seq(0L, 1L), FragmentReuse.empty, isTagged = true)
    assert(coverage(exact) == Seq(Seq(0)))
  }

  test("segments that cover the successors of their fragments are kept") {
    val m = maintenance(
      index("a", 1, Seq(0), Some(Seq(0, 1))),
      index("a", 2, Seq(0), Some(Seq(5))),
      index("a", 3, Seq(0), Some(Seq(9)))
    )
    val by = reuse(Seq(Seq(0, 1) -> Seq(4)))
    assert(uuids(m.retained(schema, Seq(4L, 5L), by, isTagged = false)) == Seq(1, 2))
  }
}
