// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.nio.file.{Files, Path, Paths}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{ColumnRows, TemporaryFolder}

/** The same rows produce the same bytes, now and after later changes. The expected files are in
  * `golden/written`. After an intended change of the bytes, `./sbt 'Test/runMain
  * io.github.pysparklance.file.StableBytes'` writes them again.
  */
class StableBytesSuite extends AnyFunSuite with TemporaryFolder {
  import StableBytes._

  versions.foreach { version =>
    test(s"the same rows produce the same bytes, $version") {
      val first = write(folder.resolve("first.lance"), version)
      val second = write(folder.resolve("second.lance"), version)
      assert(firstDifference(first, second) < 0)
    }

    test(s"the rows round-trip, $version") {
      val path = folder.resolve("rows.lance")
      write(path, version): Unit
      val found = read(path.toString, version)
      val expected = columns.map(ColumnRows(_))
      schema.fields.indices.foreach { f =>
        assert(found.map(_(f)) == expected(f), schema.fields(f).name)
      }
    }
  }

  settled.foreach { version =>
    test(s"the same rows produce the same bytes as in earlier releases, $version") {
      val first = write(folder.resolve("first.lance"), version)
      val golden =
        Files.readAllBytes(
          Paths.get(getClass.getResource(s"/golden/written/${name(version)}").toURI)
        )
      val at = firstDifference(first, golden)
      assert(
        at < 0,
        s": files of $version of ${first.length} bytes differ from byte $at on from those that were " +
          s"written before, of ${golden.length}; if that is intended, write the golden files again"
      )
    }
  }

  test("metadata entries are sorted by key") {
    val a = Map("z" -> "1", "a" -> "2", "k" -> "3")
    val b = Map("k" -> "3", "z" -> "1", "a" -> "2")
    val messages = Seq(a, b).map { m =>
      val fields = schema.fields.map(_.copy(metadata = m))
      FieldMessages.toMessage(Schema(fields, m)).toByteString
    }
    assert(messages.distinct.length == 1)
  }
}

/** Rows with all kinds of values that affect encodings. They must never change. */
object StableBytes {
  import LogicalType._

  val versions: Seq[FileVersion] =
    Seq(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2, FileVersion.V2_3)

  /** Versions whose encodings are stable. */
  val settled: Seq[FileVersion] = Seq(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2)

  private val numRows = 1200

  def name(version: FileVersion): String = s"v${version.text.replace('.', '_')}.lance"

  def main(args: Array[String]): Unit = {
    val to = Paths.get("src/test/resources/golden/written")
    Files.createDirectories(to): Unit
    settled.foreach { v =>
      Files.deleteIfExists(to.resolve(name(v))): Unit
      write(to.resolve(name(v)), v): Unit
    }
  }

  /** Returns one of 2^32 values, determined by row and salt. */
  private def mixed(row: Int, salt: Int): Long = {
    var x = row * 0x9e3779b97f4a7c15L + salt * 0xd1b54a32d192ed03L
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL
    (x ^ (x >>> 31)) & 0xffffffffL
  }

  private val words = IndexedSeq("the", "ships", "of", "winter", "carry", "lemons", "and", "salt")

  private def sentence(row: Int, salt: Int): String =
    (0 to (mixed(
      row,
      salt
    ) % 12).toInt).map(i => words((mixed(row, salt + i) % 8).toInt)).mkString(" ")

  private val int64 = Integer(64, signed = true)
  private val int32 = Integer(32, signed = true)
  private val utf8 = Utf8(large = false)

  private def field(name: String, t: LogicalType, children: Field*): Field =
    Field(Field.Unassigned, name, t, nullable = true, children.toIndexedSeq)

  private def longs(of: Int => Long): Values = {
    val v = new LongValues
    (0 until numRows).foreach(i => v.append(of(i)))
    v
  }

  private def ints(n: Int)(of: Int => Int): Values = {
    val v = new IntValues
    (0 until n).foreach(i => v.append(of(i)))
    v
  }

  private def texts(n: Int)(of: Int => String): Values = {
    val v = new BinaryValues
    (0 until n).foreach { i =>
      val bytes = of(i).getBytes("UTF-8")
      v.append(bytes, 0, bytes.length)
    }
    v
  }

  private def bytes(of: Int => Int): Values = {
    val v = new ByteValues
    (0 until numRows).foreach(i => v.append(of(i).toByte))
    v
  }

  private def wide(n: Int)(of: (Int, Int) => Int): Values = {
    val v = new WideValues(n)
    (0 until numRows).foreach { i =>
      val at = v.extend(1)
      (0 until n).foreach(k => v.bytes(at + k) = of(i, k).toByte)
    }
    v
  }

  private def some(salt: Int): Validity = {
    val v = new Validity
    (0 until numRows).foreach(i => v.append(mixed(i, salt) % 10 != 0))
    v
  }

  private def leaf(values: Values, validity: Validity = null): Column = LeafColumn(values, validity)

  private val lists: Column = {
    val offsets = (0 until numRows).scanLeft(0)((end, i) => end + (mixed(i, 50) % 4).toInt).toArray
    val n = offsets(numRows)
    val items = StructColumn(
      n,
      IndexedSeq(
        LeafColumn(ints(n)(i => (mixed(i, 51) % 1000).toInt), null),
        LeafColumn(texts(n)(i => words((mixed(i, 52) % 8).toInt)), null)
      ),
      null
    )
    ListColumn(numRows, offsets, items, null)
  }

  private val vectors: Column = {
    val items =
      ints(numRows * 8)(i => java.lang.Float.floatToRawIntBits(mixed(i, 60).toInt / 1e9f))
    val lists = new FixedSizeListValues(8, items)
    lists.extend(numRows)
    LeafColumn(lists, null)
  }

  private val cells: IndexedSeq[(Field, Column)] = IndexedSeq(
    field("ascending", int64) -> leaf(longs(_ * 3L)),
    field("random", int64) -> leaf(longs(i => mixed(i, 1) << 31 ^ mixed(i, 2)), some(3)),
    field("small", int32) -> leaf(ints(numRows)(i => (mixed(i, 4) % 50).toInt)),
    field("runs", int32) -> leaf(ints(numRows)(_ / 211)),
    field("constant", int32) -> leaf(ints(numRows)(_ => 7)),
    field("nothing", int64) -> NullColumn(numRows),
    field("flag", Bool) -> leaf(bytes(i => (mixed(i, 5) % 2).toInt), some(6)),
    field("double", Double) ->
      leaf(longs(i => java.lang.Double.doubleToRawLongBits(mixed(i, 7).toDouble / 100))),
    field("decimal", Decimal(128, 20, 2)) ->
      leaf(wide(16)((i, k) => if (k < 3) (mixed(i, 8) >> (8 * k)).toInt else 0)),
    field("moment", Timestamp(Microsecond, None)) ->
      leaf(longs(i => 1700000000000000L + i * 1000000L + mixed(i, 9) % 1000)),
    field("word", utf8) -> leaf(texts(numRows)(i => words((mixed(i, 10) % 8).toInt)), some(11)),
    field("sentence", utf8) -> leaf(texts(numRows)(sentence(_, 12))),
    field("bytes", Binary(large = false)) ->
      leaf(texts(numRows)(i => java.lang.Long.toString(mixed(i, 30), 36))),
    field("struct", Struct, field("a", int32), field("b", utf8)) -> StructColumn(
      numRows,
      IndexedSeq(
        leaf(ints(numRows)(i => (mixed(i, 40) % 100000).toInt), some(41)),
        leaf(texts(numRows)(i => s"key-${mixed(i, 42) % 1000}"))
      ),
      null
    ),
    field(
      "list",
      List(large = false, ofStruct = true),
      field("item", Struct, field("n", int32), field("w", utf8))
    ) -> lists,
    field("vector", FixedSizeList(Float, 8)) -> vectors
  )

  val schema: Schema = Schema(cells.map(_._1), Predef.Map("made" -> "once")).withFreshIds
  val columns: IndexedSeq[Column] = cells.map(_._2)

  def write(path: Path, version: FileVersion): Array[Byte] = {
    val writer = DataFiles.create(Storage.local.create(path.toString), schema, version)
    writer.write(columns, numRows)
    writer.finish(): Unit
    Files.readAllBytes(path)
  }

  def read(path: String, version: FileVersion): Seq[Seq[Any]] = {
    val ids =
      if (version == FileVersion.V2_0) schema.flatten.map(_.id)
      else schema.fields.flatMap(_.leaves).map(_.id)
    val columnOf = ids.zipWithIndex.toMap
    val fields = schema.fields.map(spi.FieldProjection(_, columnOf.get(_)))
    val reader = Storage.local.open(path)
    Using.resource(DataFiles.open(reader, ids, ids.indices, numRows.toLong)) { file =>
      Using.resource(file.read(fields, IndexedSeq(RowRange(0, numRows.toLong)))) { batches =>
        val rows = Seq.newBuilder[Seq[Any]]
        while (batches.rowsAvailable > 0) {
          val n = batches.rowsAvailable
          val found = batches.read(n).map(ColumnRows(_))
          (0 until n).foreach(i => rows += found.map(_(i)))
        }
        rows.result()
      }
    }
  }

  /** Returns the position of the first different byte, or -1. */
  def firstDifference(a: Array[Byte], b: Array[Byte]): Int = java.util.Arrays.mismatch(a, b)
}
