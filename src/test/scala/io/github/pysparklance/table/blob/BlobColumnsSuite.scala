// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.nio.file.Files

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, TaskMemory}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.manifest.{BasePath, DataFile, Fragment}
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.testkit.{CountingStorage, TemporaryFolder}

/** Hand-written descriptors of hand-written files. Blobs of pylance are tested in
  * `GoldenTypesSuite`.
  */
class BlobColumnsSuite extends AnyFunSuite with TemporaryFolder {
  private val random = new Random(11)
  private val payload = new Array[Byte](100000)
  random.nextBytes(payload)

  private val blob =
    Field(
      0,
      "b",
      LogicalType.Struct,
      nullable = true,
      metadata = Map("ARROW:extension:name" -> "lance.blob.v2")
    )

  private case class Descriptor(
      kind: Int,
      position: Long,
      size: Long,
      id: Int = 0,
      uri: String = ""
  )

  private def column(items: Option[Descriptor]*): Column = {
    val (kinds, positions, sizes) = (new ByteValues, new LongValues, new LongValues)
    val (ids, uris, validity) = (new IntValues, new BinaryValues, new Validity)
    items.foreach { item =>
      val d = item.getOrElse(Descriptor(77, -5, -5, 99, "garbage"))
      kinds.append(d.kind.toByte)
      positions.append(d.position)
      sizes.append(d.size)
      ids.append(d.id)
      uris.append(d.uri.getBytes, 0, d.uri.length)
      validity.append(item.isDefined)
    }
    StructColumn(
      items.length,
      IndexedSeq(kinds, positions, sizes, ids, uris).map(LeafColumn(_, null)),
      validity
    )
  }

  /** Runs `body` with a table folder whose data file `f.lance` is the payload, with side file 1 and
    * base path 7.
    */
  private def withTable(body: (CountingStorage, FragmentScan) => Any): Unit = {
    val root = folder
    Files.createDirectories(root.resolve("data/f"))
    Files.createDirectories(root.resolve("media"))
    Files.write(root.resolve("data/f.lance"), payload)
    Files.write(root.resolve("data/f/1" + "0" * 31 + ".blob"), payload.reverse)
    Files.write(root.resolve("media/m.bin"), payload.take(10))
    val file =
      DataFile("f.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.V2_2, payload.length.toLong)
    val base = BasePath(7, None, false, s"$root/media")
    val scan = FragmentScan(
      Fragment.unassigned(Seq(file), 10),
      IndexedSeq(s"$root/data/f.lance"),
      None,
      RowRange(0, 10),
      BlobBases(TablePath(root.toString), Map(7 -> base))
    )
    body(new CountingStorage, scan): Unit
  }

  private def open(
      store: CountingStorage,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      sliceBytes: Long = ReadBudget.default.totalBytes
  ): BlobColumns = open(store, scan, fields, scheduler(sliceBytes))

  private def open(
      store: CountingStorage,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      scheduler: ReadScheduler
  ): BlobColumns =
    BlobColumns.open(store, scan.fragment.files, scan.paths, scan.blobBases, fields, scheduler).get

  private def scheduler(sliceBytes: Long, memory: TaskMemory = TaskMemory.unlimited) =
    new ReadScheduler(ReadBudget.default.copy(totalBytes = sliceBytes), memory)

  private def contents(c: Column): Seq[Option[Seq[Byte]]] = c match {
    case LeafColumn(v: BinaryValues, validity) =>
      (0 until v.numItems).map { i =>
        if (validity != null && !validity.isValid(i)) None
        else Some(v.bytes.slice(v.offsets(i), v.offsets(i + 1)).toSeq)
      }
    case other => fail(s"$other")
  }

  private def slice(from: Int, length: Int): Some[Seq[Byte]] =
    Some(payload.slice(from, from + length).toSeq)

  test(
    "bytes are read from all locations, near ones with one request, none for deleted rows"
  ) {
    withTable { (store, scan) =>
      val batch = column(
        Some(Descriptor(0, 100, 5)),
        None,
        Some(Descriptor(0, 0, 0)),
        Some(Descriptor(0, 50000, 7)), // deleted
        Some(Descriptor(0, 200, 9)),
        Some(Descriptor(1, 10, 3, id = 1)),
        Some(Descriptor(2, 0, payload.length.toLong, id = 1)),
        Some(Descriptor(3, 2, 0, id = 7, uri = "m.bin")),
        Some(Descriptor(3, 2, 4, id = 7, uri = "m.bin"))
      )
      Using.resource(open(store, scan, IndexedSeq(blob))) { blobs =>
        blobs.start(IndexedSeq(batch, NullColumn(9)), Array(0, 1, 2, 4, 5, 6, 7, 8), 8)
        assert(blobs.columns(1) == NullColumn(9))
        val found = contents(blobs.columns.head)
        assert(found(0) == slice(100, 5))
        assert(found(1).isEmpty)
        assert(found(2).contains(Seq.empty))
        assert(found(3).contains(Seq.empty))
        assert(found(4) == slice(200, 9))
        assert(found(5).contains(payload.reverse.slice(10, 13).toSeq))
        assert(found(6).contains(payload.reverse.toSeq))
        assert(found(7) == slice(2, 8))
        assert(found(8) == slice(2, 4))
        assert(blobs.live.toSeq == Seq(0, 1, 2, 4, 5, 6, 7, 8))
        assert(!blobs.next())
      }
      assert(store.opens.get == 3)
      assert(store.reads.get == 3)
      assert(store.bytesRead.get == 109 + payload.length + 8)
    }
  }

  test("batches that exceed the limit are returned in slices of their rows") {
    withTable { (store, scan) =>
      val n = 50
      val batch = column((0 until n).map { i =>
        if (i % 7 == 3) None else Some(Descriptor(0, i * 1000L, 100L + i))
      }: _*)
      val live = (0 until n).filter(_ % 5 != 0).toArray
      Using.resource(open(store, scan, IndexedSeq(blob), sliceBytes = 700)) { blobs =>
        blobs.start(IndexedSeq(batch), live, live.length)
        var seen = Seq.empty[Int]
        var slices = 0
        do {
          val found = contents(blobs.columns.head)
          assert(blobs.live.length == blobs.numLive)
          assert(blobs.isFirst == (slices == 0))
          blobs.live.foreach { i =>
            assert(found(i) == (if (i % 7 == 3) None else slice(i * 1000, 100 + i)), s"row $i")
          }
          assert(found.flatten.map(_.length).sum < 1000)
          seen ++= blobs.live
          slices += 1
        } while (blobs.next())
        assert(seen == live.toSeq)
        assert(slices > 4)
      }
    }
  }

  test("blobs in structs, lists, and fixed-size lists") {
    withTable { (store, scan) =>
      val items = column((0 until 12).map(i =>
        if (i == 5) None else Some(Descriptor(0, i * 10L, i.toLong))
      ): _*)
      val list = Field(
        2,
        "l",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        IndexedSeq(blob)
      )
      val struct = Field(3, "s", LogicalType.Struct, nullable = true, IndexedSeq(list))
      val fixed = Field(
        4,
        "f",
        LogicalType.FixedSizeList(LogicalType.Struct, 3),
        nullable = true,
        IndexedSeq(blob)
      )
      val batch = IndexedSeq(
        StructColumn(4, IndexedSeq(ListColumn(4, Array(0, 2, 2, 7, 12), items, null)), null),
        FixedSizeListColumn(4, 3, items, null)
      )
      Using.resource(open(store, scan, IndexedSeq(struct, fixed), sliceBytes = 1)) { blobs =>
        blobs.start(batch, Array(0, 2), 2)
        val found = Iterator
          .iterate(true)(_ => blobs.next())
          .takeWhile(identity)
          .map { _ =>
            blobs.columns.map {
              case StructColumn(_, IndexedSeq(l: ListColumn), _) =>
                contents(l.items).map(_.fold(-1)(_.length))
              case f: FixedSizeListColumn => contents(f.items).map(_.fold(-1)(_.length))
              case other => fail(s"$other")
            }
          }
          .toList
        assert(found == List(
          IndexedSeq(
            Seq(0, 1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0),
            Seq(0, 1, 2, 0, 0, -1, 0, 0, 0, 0, 0, 0)
          ),
          IndexedSeq(
            Seq(0, 0, 2, 3, 4, -1, 6, 0, 0, 0, 0, 0),
            Seq(0, 0, 0, 0, 0, -1, 6, 7, 8, 0, 0, 0)
          )
        ))
      }
    }
  }

  test("few objects are open at a time, and all are closed at the end") {
    withTable { (store, scan) =>
      val media = java.nio.file.Paths.get(scan.blobBases.bases(7).path)
      val n = 300
      (0 until n).foreach(i => Files.write(media.resolve(s"o$i"), payload.slice(i, i + 3)))
      val batch = column((0 until n).map(i => Some(Descriptor(3, 0, 0, 7, s"o$i"))): _*)
      Using.resource(open(store, scan, IndexedSeq(blob))) { blobs =>
        blobs.start(IndexedSeq(batch), null, n)
        var rows = 0
        do {
          val found = contents(blobs.columns.head)
          Option(blobs.live).getOrElse(Array.range(0, n)).foreach { i =>
            assert(found(i) == slice(i, 3))
            rows += 1
          }
          assert(blobs.numLive <= 64)
        } while (blobs.next())
        assert(rows == n)
      }
      assert(store.opens.get == n)
      Using.resource(open(store, scan, IndexedSeq(BlobField.size(blob)))) { blobs =>
        val live = Array.range(0, n, 3)
        blobs.start(IndexedSeq(batch), live, live.length)
        blobs.columns.head match {
          case LeafColumn(v: LongValues, null) => assert(live.forall(v.array(_) == 3L))
          case other => fail(s"$other")
        }
      }
      assert(store.opens.get == n + 100)
    }
  }

  test("legacy pairs, and both forms as descriptor or size") {
    withTable { (store, scan) =>
      val positions = new LongValues
      Seq(100L, 0x10000L, 0L).foreach(positions.append)
      val sizes = new LongValues
      Seq(5L, 0L, 0L).foreach(sizes.append)
      val legacy =
        StructColumn(3, IndexedSeq(LeafColumn(positions, null), LeafColumn(sizes, null)), null)
      def read(field: Field, column: Column): Column =
        Using.resource(open(store, scan, IndexedSeq(field))) { blobs =>
          blobs.start(IndexedSeq(column), null, 3)
          blobs.columns.head
        }
      assert(contents(read(blob, legacy)) == Seq(slice(100, 5), None, Some(Seq.empty)))
      read(BlobField.descriptor(blob), legacy) match {
        case StructColumn(3, members, validity) =>
          assert(members.length == 5)
          assert((0 until 3).map(validity.isValid) == Seq(true, false, true))
        case other => fail(s"$other")
      }
      def sizesOf(c: Column) = c match {
        case LeafColumn(v: LongValues, validity) =>
          (0 until 3).map(i => if (validity == null || validity.isValid(i)) v.array(i) else -1L)
        case other => fail(s"$other")
      }
      assert(sizesOf(read(BlobField.size(blob), legacy)) == Seq(5L, -1L, 0L))
      val five = column(Some(Descriptor(0, 1, 2)), Some(Descriptor(3, 4, 0, 7, "m.bin")), None)
      assert(sizesOf(read(BlobField.size(blob), five)) == Seq(2L, 6L, -1L))
      val bytes = new BinaryValues
      Seq(3, 0, 1).foreach(n => bytes.append(payload, 0, n))
      val plain = LeafColumn(bytes, null)
      assert(read(blob, plain) == plain)
      assert(sizesOf(read(BlobField.size(blob), plain)) == Seq(3L, 0L, 1L))
      intercept[UnsupportedFeatureException](read(BlobField.descriptor(blob), plain))
    }
  }

  test("blobs outside of their object, or without one, are rejected before allocation") {
    withTable { (store, scan) =>
      val wrong = Seq(
        Descriptor(0, 99999, 2),
        Descriptor(0, 0, Long.MaxValue),
        Descriptor(0, 1L << 40, 0x7fffffff),
        Descriptor(1, 0, 100001, id = 1),
        Descriptor(3, 11, 0, 7, "m.bin"),
        Descriptor(3, 0, 1, 7, "../data/f.lance"),
        Descriptor(9, 0, 1)
      )
      wrong.foreach { d =>
        Using.resource(open(store, scan, IndexedSeq(blob))) { blobs =>
          val e = intercept[CorruptFileException](blobs.start(IndexedSeq(column(Some(d))), null, 1))
          assert(e.place.column.contains("b"), d)
        }
      }
      Seq(Descriptor(2, 0, 5, id = 2), Descriptor(3, 0, 0, 7, "absent")).foreach { d =>
        Using.resource(open(store, scan, IndexedSeq(blob))) { blobs =>
          intercept[NotFoundException](blobs.start(IndexedSeq(column(Some(d))), null, 1))
        }
      }
      assert(store.reads.get == 0)
    }
  }

  test("the next slice is requested ahead, unless the task gets no more memory") {
    withTable { (store, scan) =>
      val none = new TaskMemory {
        def acquire(bytes: Long): Long = 0L
        def release(bytes: Long): Unit = ()
      }
      val batch = column((0 until 10).map(i => Some(Descriptor(0, i * 1000L, 100L))): _*)
      for (isShort <- Seq(false, true)) {
        val of = scheduler(300, if (isShort) none else TaskMemory.unlimited)
        of.hold(1)
        Using.resource(open(store, scan, IndexedSeq(blob), of)) { blobs =>
          blobs.start(IndexedSeq(batch), null, 10)
          assert(of.numBytes == (if (isShort) 0 else 300))
          var rows = 0
          do {
            val found = contents(blobs.columns.head)
            blobs.live.foreach(i =>
              assert(found(i).contains(payload.slice(i * 1000, i * 1000 + 100).toSeq))
            )
            rows += blobs.numLive
          } while (blobs.next())
          assert(rows == 10)
        }
        assert(of.numBytes == 0)
      }
    }
  }
}
