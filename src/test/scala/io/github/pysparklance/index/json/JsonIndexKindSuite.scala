// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.proto.JsonIndexDetails
import io.github.pysparklance.index.scalar.{BTree, BTreePage, BTreePages, Bitmap}
import io.github.pysparklance.index.spi._
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.testkit.MemoryFiles

class JsonIndexKindSuite extends AnyFunSuite {
  import JsonIndexKindSuite._

  test("details name the target and the path") {
    assert(JsonIndexKind.of(details("/lance.table.BTreeIndexDetails", "$.a")).contains(
      JsonIndexKind(BTree, "$.a")
    ))
    assert(JsonIndexKind.of(details("/lance.index.pb.BitmapIndexDetails", "a")).exists { kind =>
      kind.target == Bitmap && kind.member.contains(JsonMember(IndexedSeq("a")))
    })
    assert(JsonIndexKind.of(details("/lance.table.InvertedIndexDetails", "a")).isEmpty)
    assert(JsonIndexKind.of(Array.emptyByteArray).isEmpty)
    assert(JsonIndexKind.of(Array[Byte](1, 2, 3)).isEmpty)
    assert(JsonIndexKind(BTree, "$.a[0]").member.isEmpty)
  }

  private val kind = JsonIndexKind(BTree, "a")

  private def rows(files: IndexFiles, from: Long, until: Long): Seq[Long] = {
    val range = KeyRange(Some(NumberKey(from)), includesLow = true, Some(NumberKey(until)), true)
    val predicate = IndexPredicate.Within(KeyRanges.of(Seq(range)), KeyType.of(int64).get)
    kind.open(files).evaluate(files, predicate) match {
      case Some(exact: SegmentResult.Exact) =>
        val found = Seq.newBuilder[Long]
        exact.trues.foreach(found += _)
        found.result()
      case other => fail(s"$other")
    }
  }

  test("values in order are found") {
    val files = write(Seq(Seq(1L, 4L, 7L), Seq(8L, 9L)))
    assert(rows(files, 4, 8) == Seq(1L, 2L, 3L))
    assert(kind.open(files).valueType.contains(int64))
    assert(kind.isWritable(files, IndexedSeq.empty))
  }

  test("indices of early releases, whose values do not ascend, are rejected") {
    Seq(
      // The lookup file has the range from 1 to 7, without the greatest value.
      Seq(Seq(1L, 40L, 7L)),
      Seq(Seq(1L, 4L, 5L), Seq(6L, 50L, 8L), Seq(9L, 10L)),
      Seq(Seq(5L, 6L), Seq(1L, 2L))
    ).foreach { pages =>
      val files = write(pages)
      intercept[CorruptFileException](kind.open(files))
      assert(!kind.isWritable(files, IndexedSeq.empty), pages)
    }
  }
}

private object JsonIndexKindSuite {
  private val int64 = LogicalType.Integer(64, signed = true)

  private def details(target: String, path: String): Array[Byte] = JsonIndexDetails
    .newBuilder()
    .setPath(path)
    .setTargetDetails(com.google.protobuf.Any.newBuilder().setTypeUrl(target))
    .build()
    .toByteArray

  /** Writes a BTREE with the given pages, in this order. */
  private def write(pages: Seq[Seq[Long]]): IndexFiles = {
    val into = new NewSegment(new MemoryFiles, TablePath("/i"), FileVersion.V2_0)
    val pageRows = pages.map(_.length).max
    val fields = IndexedSeq(
      Field(0, "values", int64, nullable = true),
      Field(0, "ids", LogicalType.Integer(64, signed = false), nullable = false)
    )
    val file = into.create("page_data.lance", fields)
    var row = 0L
    pages.foreach { values =>
      val (keys, ids) = (new LongValues, new LongValues)
      values.foreach { v =>
        keys.append(v)
        ids.append(row)
        row += 1
      }
      file.write(IndexedSeq(LeafColumn(keys, null), LeafColumn(ids, null)), values.length)
    }
    into.finish("page_data.lance", file)
    val lookup = pages.map(p => BTreePage(Some(NumberKey(p.head)), Some(NumberKey(p.last)), 0))
    val parameters =
      IndexParameters.of(BTree.name, BTree.parameters, Map("zone_size" -> pageRows.toString))
    BTree.writeLookup(
      fields.head,
      parameters,
      Seq(BTreePages(None, lookup.toIndexedSeq)),
      into
    )
    into.readable
  }
}
