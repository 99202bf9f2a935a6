// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.google.protobuf.{ByteString, UnknownFieldSet}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  ConstantColumn,
  CorruptFileException,
  DictionaryValues,
  Field,
  LeafColumn,
  LogicalType,
  LongValues,
  RowRange,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.DataFileReader
import io.github.pysparklance.file.spi.FieldProjection
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.{RowIdIndex, RowIdSequence, RowLineage}
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.GoldenTables

class MetadataColumnsSuite extends AnyFunSuite {
  private val store = Storage.local

  private def golden(name: String): LanceTable =
    LanceTable.open(store, GoldenTables.path(name).toString)

  private def expected(name: String): JsonNode =
    new ObjectMapper().readTree(GoldenTables.path(name).toFile)

  private def live(t: LanceTable, index: Int, values: Array[Long]): Seq[Long] = {
    val deletions = t.deletionVector(t.fragments(index))
    values.indices.filterNot(i => deletions.isDeleted(i.toLong)).map(values(_))
  }

  /** Returns the values of all live rows, read in pieces of `step` rows. */
  private def read(t: LanceTable, column: MetadataColumn, step: Int): Seq[Long] =
    t.fragments.indices.flatMap { i =>
      val columns = MetadataColumns(t, i)
      val rows = t.fragments(i).physicalRows.get
      val out = new LongValues
      columns.stored(column) match {
        case Some(at) => readStored(t, t.fragments(i), at, out)
        case None =>
          (0L until rows by step.toLong).foreach { from =>
            columns.fill(column, RowRange(from, math.min(from + step, rows)), out)
          }
      }
      assert(out.numItems == rows)
      live(t, i, java.util.Arrays.copyOf(out.array, out.numItems))
    }

  private def readStored(
      t: LanceTable,
      f: Fragment,
      at: RowLineage.Stored,
      out: LongValues
  ): Unit = {
    val rows = RowRange(0, f.physicalRows.get)
    val path = t.pathOf(f.files(at.file))
    Using.resource(DataFileReader.open(store.open(path), Seq(at.column), rows.until)) { file =>
      val field = Field(-3, "hidden", LogicalType.parse("uint64"), nullable = false)
      val projection = FieldProjection(field, IndexedSeq(at.column))
      Using.resource(file.read(IndexedSeq(projection), IndexedSeq(rows))) { batches =>
        while (batches.rowsAvailable > 0)
          batches.read(math.min(batches.rowsAvailable, 50)).head match {
            case LeafColumn(d: DictionaryValues, _) =>
              (0 until d.numItems).foreach(i => out.appendFrom(d.items, d.indices.array(i), 1))
            case LeafColumn(values, _) => out.appendFrom(values, 0, values.numItems)
            case ConstantColumn(value, n, _) => out.appendRepeated(value, 0, n)
            case other => fail(other.toString)
          }
      }
    }
  }

  Seq("identity", "identity_spilled").foreach { name =>
    MetadataColumn.all.filterNot(_ == MetadataColumn.FragId).foreach { column =>
      test(s"$name: ${column.name} equals the values of pylance") {
        val t = golden(s"$name.lance")
        val wanted = expected(s"$name.json").get(column.name).elements.asScala.map(_.asLong).toSeq
        Seq(1, 7, 100000).foreach(step => assert(read(t, column, step) == wanted))
      }
    }
  }

  test("spilled lineage is read from files, other lineage from the manifest") {
    val spilled = golden("identity_spilled.lance")
    val files = spilled.fragments.indices.map { i =>
      MetadataColumn.all.flatMap(c => MetadataColumns(spilled, i).stored(c).map(c -> _)).toMap
    }
    assert(files.exists(_.keySet == Set(
      MetadataColumn.RowId,
      MetadataColumn.RowCreatedAtVersion,
      MetadataColumn.RowLastUpdatedAtVersion
    )))
    assert(files.exists(_.isEmpty))
    val (index, at) = files.zipWithIndex.collectFirst {
      case (f, i) if f.nonEmpty => i -> f(MetadataColumn.RowId)
    }.get
    assert(spilled.fragments(index).files(at.file).fields.contains(-3))
    intercept[IllegalArgumentException](
      MetadataColumns(spilled, index).fill(MetadataColumn.RowId, RowRange(0, 1), new LongValues)
    )
  }

  test("without stable row ids, a row's id is its address, and all rows are of version 1") {
    val t = golden("deletions.lance")
    assert(!t.hasStableRowIds)
    assert(read(t, MetadataColumn.RowId, 100) == read(t, MetadataColumn.RowAddr, 3000))
    assert(read(t, MetadataColumn.RowAddr, 100).slice(2, 4) == Seq(2L, 4L))
    assert(read(t, MetadataColumn.RowOffset, 333) == (0L until t.rowCount.get))
    assert(read(
      t,
      MetadataColumn.FragId,
      100
    ).groupBy(identity).map { case (v, all) => v -> all.length } == Map(0L -> 7998, 1L -> 2000))
    assert(read(t, MetadataColumn.RowCreatedAtVersion, 100).toSet == Set(1L))
    assert(MetadataColumn.byName("_rowid").contains(MetadataColumn.RowId) && MetadataColumn.byName(
      "id"
    ).isEmpty)
  }

  test("rows by id across an update by pylance") {
    val t = golden("identity.lance")
    val rows = expected("identity.json")
    def column(name: String) = rows.get(name).elements.asScala.map(_.asLong).toArray
    val index = new RowIdIndex(t.fragments.map { f =>
      val RowLineage.Inline(ids) = RowLineage.rowIds(f): @unchecked
      new RowIdIndex.Entry(f.id, () => ids, () => t.deletionVector(f))
    })
    assert(index.addressesOf(column("_rowid")).sameElements(column("_rowaddr")))
    assert(index.addressesOf(Array(3L, 703L, 5000L)).forall(_ == -1L))
  }

  private def parsed(change: proto.DataFragment.Builder => Any): Fragment = {
    val b = proto.DataFragment.newBuilder().setPhysicalRows(3)
    change(b)
    Fragment.parse(b.build().toByteArray)
  }

  test("the unused external forms are rejected by name") {
    Seq(6 -> "row ids", 8 -> "last-updated-at versions", 10 -> "created-at versions").foreach {
      case (field, name) =>
        val bytes = UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.copyFromUtf8(
          "x"
        )).build()
        val e = intercept[UnsupportedFeatureException](
          parsed(_.setUnknownFields(UnknownFieldSet.newBuilder().addField(field, bytes).build()))
        )
        assert(e.getMessage.contains(s"unsupported: $name of fragment 0 in an external file"))
    }
  }

  test("missing ids, and ids in no file or in two files, are corrupt") {
    val short = parsed(_.setInlineRowIds(ByteString.copyFrom(RowIdSequence.range(0, 2).toBytes)))
    assert(intercept[CorruptFileException](
      RowLineage.rowIds(short)
    ).getMessage.contains("2 ids for 3 rows"))
    val stored = proto.RowLineageColumn.getDefaultInstance
    def file(columns: Int*) =
      proto.DataFile.newBuilder().setPath("x").addFields(-3).addAllColumnIndices(columns.map(
        Int.box
      ).asJava)
    Seq(Nil, Seq(file(-1)), Seq(file()), Seq(file(0), file(1))).foreach { files =>
      val f = parsed { b => files.foreach(b.addFiles(_)); b.setColumnRowIds(stored) }
      val e = intercept[CorruptFileException](RowLineage.rowIds(f))
      assert(e.getMessage.contains(s"in ${files.length} files"))
    }
    assert(RowLineage.rowIds(parsed(b =>
      b.addFiles(file(4)).setColumnRowIds(stored)
    )) == RowLineage.Stored(0, 4))
  }
}
