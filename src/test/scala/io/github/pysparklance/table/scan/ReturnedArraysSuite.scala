// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.{FragmentWriter, LanceTable}
import io.github.pysparklance.testkit.{ColumnRows, PoisonedArrays, TemporaryFolder, TestRun}

/** Reads do not use released arrays, whose bytes are overwritten immediately. */
class ReturnedArraysSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val random = new Random(TestRun.seed)
  private val numRows = 1500
  private val text = LogicalType.Binary(large = false)
  private val schema = Schema(IndexedSeq(
    Field(-1, "id", LogicalType.Integer(64, signed = true), nullable = false),
    Field(-1, "v", LogicalType.FixedSizeList(LogicalType.Float, 256), nullable = true),
    Field(-1, "d", text, nullable = true),
    Field(
      -1,
      "l",
      LogicalType.List(large = false, false),
      nullable = true,
      IndexedSeq(Field(-1, "item", text, nullable = true))
    )
  )).withFreshIds

  private def validity(n: Int): Validity = Validity.of(Seq.fill(n)(random.nextInt(7) != 0): _*)

  private def texts(n: Int): Column = {
    val values = new BinaryValues
    val bytes = new Array[Byte](6000)
    (0 until n).foreach { _ =>
      random.nextBytes(bytes)
      values.append(bytes, 0, 1 + random.nextInt(6000))
    }
    LeafColumn(values, validity(n))
  }

  private val columns: IndexedSeq[Column] = {
    val ids = new LongValues
    (0 until numRows).foreach(i => ids.append(i.toLong))
    val floats = new IntValues
    (0 until numRows * 256).foreach(_ => floats.append(random.nextInt() & 0x3fffffff))
    val vectors = new FixedSizeListValues(256, floats)
    vectors.extend(numRows)
    val lengths = Array.fill(numRows)(random.nextInt(3))
    val offsets = lengths.scanLeft(0)(_ + _)
    IndexedSeq(
      LeafColumn(ids, null),
      LeafColumn(vectors, validity(numRows)),
      texts(numRows),
      ListColumn(numRows, offsets, texts(offsets.last), validity(numRows))
    )
  }

  private lazy val expected: IndexedSeq[Seq[Any]] = {
    val values = columns.map(ColumnRows(_))
    (0 until numRows).map(i => values.map(_(i)))
  }

  private def table(version: FileVersion): LanceTable = {
    val path = folder.resolve(version.text).toString
    val writer = FragmentWriter.open(store, path, schema, version)
    writer.write(columns, numRows)
    LanceTable.create(store, path, schema, IndexedSeq(writer.finish()), version)
  }

  private def rowsOf(batches: RowBatches): IndexedSeq[Seq[Any]] = Using.resource(batches) { r =>
    val rows = IndexedSeq.newBuilder[Seq[Any]]
    while (r.next())
      if (r.numLive > 0) {
        val values = r.columns.map(ColumnRows(_))
        Option(r.live).fold(0 until r.numLive: Seq[Int])(_.toSeq).foreach { i =>
          rows += values.map(_(i))
        }
      }
    rows.result()
  }

  /** Matches rows by `id`. */
  final private class ById(keeps: Long => Boolean) extends RowPredicate {
    def fields: IndexedSeq[Field] = schema.fields.take(1)
    def computed: IndexedSeq[MetadataColumn] = IndexedSeq.empty
    def select(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Array[Int] = {
      val LeafColumn(ids: LongValues, _) = columns.head: @unchecked
      val candidates = if (live == null) Array.range(0, numLive) else live
      candidates.filter(i => keeps(ids.array(i)))
    }
  }

  for (version <- Seq(FileVersion.V2_1, FileVersion.V2_2, FileVersion.V2_3))
    test(s"rows of long values, all and some, filtered and not, in files of ${version.text}") {
      val t = table(version)
      val small = ReadBudget(totalBytes = 1L << 20, maxWindowBytes = 64L << 10)
      def scan(selection: Option[RowSelection] = None): FragmentScan =
        FragmentScan(t, 0, RowRange(0, numRows.toLong), selection, 0, IndexedSeq.empty)
      val some = Array.tabulate(numRows / 3)(i => i * 3L)
      val returned = PoisonedArrays.during {
        for (batchRows <- Seq(1, 7, 4096)) {
          def read(s: FragmentScan) =
            rowsOf(FragmentReader.open(store, s, schema.fields, IndexedSeq.empty, batchRows, small))
          assert(read(scan()) == expected)
          assert(read(scan(Some(RowSelection.of(some)))) == some.toSeq.map(i => expected(i.toInt)))
          for (keeps <- Seq[Long => Boolean](_ % 2 == 0, _ % 100 == 99)) {
            val found = rowsOf(FilteredReader.open(
              store,
              scan(),
              schema.fields,
              IndexedSeq.empty,
              new ById(keeps),
              batchRows,
              small
            ))
            assert(found == (0 until numRows).filter(i => keeps(i.toLong)).map(expected))
          }
        }
      }
      assert(returned > 100, "arrays were given back")
    }
}
