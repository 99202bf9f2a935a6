// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import java.nio.file.Files

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}
import io.github.pysparklance.testkit.{ColumnRows, GoldenTables, TemporaryFolder}

/** Columns are found by field id in any file of the fragment. */
class FragmentReaderSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val long = LogicalType.Integer(64, signed = true)
  private def column(id: Int, name: String, children: Field*): Field = Field(
    id,
    name,
    if (children.isEmpty) long else LogicalType.Struct,
    nullable = true,
    children.toIndexedSeq
  )

  private def rows(t: LanceTable, fields: Seq[Field] = Nil): Seq[Seq[Any]] = {
    val wanted = if (fields.isEmpty) t.schema.fields else fields.toIndexedSeq
    t.fragments.indices.flatMap { i =>
      val all = RowRange(0, t.physicalRows(t.fragments(i)))
      val scan = FragmentScan(t, i, all, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
      val found = Seq.newBuilder[Seq[Any]]
      Using.resource(FragmentReader.open(store, scan, wanted, batchRows = 7)) { r =>
        while (r.next()) {
          val values = r.columns.map(ColumnRows(_))
          Option(r.live).fold(0 until r.numRows: Seq[Int])(_.toSeq).foreach(i =>
            found += values.map(_(i))
          )
        }
      }
      found.result()
    }
  }

  private def golden(name: String): LanceTable =
    LanceTable.open(store, GoldenTables.path(name).toString)

  private def text(s: String): Any = if (s == null) null else s.getBytes("UTF-8").toSeq

  test(
    "a column that was updated in place is read from its new file, not its old one"
  ) {
    val t = golden("tombstones.lance")
    assert(t.fragments.head.files.map(_.fields) == Seq(Seq(0, -2), Seq(1)))
    val changed = Map(2 -> "a", 7 -> null, 19 -> "b")
    assert(rows(t) ==
      (0 until 30).map(i => Seq(i.toLong, text(changed.getOrElse(i, s"n${i % 3}")))))
  }

  test("a column added later is in a separate file, or null without one") {
    assert(rows(golden("columns.lance")) ==
      (0 until 25).map(i => Seq(i.toLong, if (i < 20) i * 2L else null)))
  }

  /** Writes a data file whose columns contain `id * 1000 + row`, with a null in every fifth row. */
  private def write(path: String, fields: Field*): DataFile = {
    def values(f: Field): Column =
      if (f.children.nonEmpty) StructColumn(10, f.children.map(values), null)
      else {
        val v = new LongValues
        val validity = new Validity
        (0 until 10).foreach { row =>
          v.append(f.id * 1000L + row)
          validity.append(row % 5 != 0)
        }
        LeafColumn(v, validity)
      }
    val schema = Schema(fields.toIndexedSeq)
    val writer = FragmentWriter.open(store, path, schema, FileVersion.V2_2)
    writer.write(schema.fields.map(values), 10)
    writer.finish().files.head
  }

  private def value(id: Int, row: Int): Any = if (row % 5 == 0) null else id * 1000L + row

  test(
    "field ids determine columns: several files, split structs, dropped or replaced ids, ids without column"
  ) {
    val path = folder.resolve("t").toString
    val a = write(path, column(1, "a"), column(2, "old"), column(3, "s", column(4, "x")))
    val b = write(path, column(2, "b"), column(3, "s", column(5, "y")), column(9, "gone"))
    val files = Seq(
      // The parent is in the list without a column, the second column was replaced.
      a.copy(fields = IndexedSeq(1, -2, 3, 4), columnIndices = IndexedSeq(0, 1, -1, 2)),
      b
    )
    val schema = Schema(IndexedSeq(
      column(3, "renamed", column(5, "y"), column(4, "x"), column(6, "never")),
      column(2, "b"),
      column(1, "a"),
      column(7, "nowhere")
    ))
    val t = LanceTable.create(store, path, schema, IndexedSeq(Fragment.unassigned(files, 10)))
    assert(rows(t) == (0 until 10).map { row =>
      Seq(Seq(value(5, row), value(4, row), null), value(2, row), value(1, row), null)
    })
    val part = column(3, "renamed", column(6, "never"), column(4, "x"))
    assert(rows(t, Seq(part, column(7, "nowhere"))) ==
      (0 until 10).map(row => Seq(Seq(null, value(4, row)), null)))
  }

  test("neither hints nor detached versions change the latest version") {
    val t = GoldenTables.copy("tombstones.lance", folder)
    val hint = t.resolve("_versions/latest_version_hint.json")
    Seq("""{"version":1}""", """{"version":99}""", "{", "").foreach { text =>
      Files.writeString(hint, text)
      assert(LanceTable.open(store, t.toString).version == 2, text)
    }
    assert(LanceTable.versions(store, t.toString) == Seq(1, 2))
    // A detached version can be opened by number.
    val detached = Files.list(t.resolve("_versions")).toArray.map(_.toString).filter(
      _.contains("/d")
    ).head.split("/d").last.stripSuffix(".manifest")
    val at = LanceTable.open(store, t.toString, Some(java.lang.Long.parseUnsignedLong(detached)))
    assert(at.rowCount.contains(35L) && rows(at).length == 35)
  }
}
