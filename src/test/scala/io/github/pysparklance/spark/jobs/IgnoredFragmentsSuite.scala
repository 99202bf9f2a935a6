// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.ByteBuffer
import java.nio.file.{Files, Path, Paths}
import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{BinaryValues, Field, LeafColumn, LogicalType}
import io.github.pysparklance.index.spi.{IndexFiles, NewSegment}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.operation.CreateIndex
import io.github.pysparklance.testkit.IndexCoverage._

/** Compactions of full-text indices whose files mark the entries of covered fragments as outdated.
  */
class IgnoredFragmentsSuite extends JobSuite {
  private val metadataFile = "metadata.lance"

  /** A table of four fragments with an index that ignores its entries for some of them. */
  private def ignoring(fragments: Int*)(options: (String, Any)*): String = {
    val path = numbers(20, 5, options: _*)
    val request = IndexRequest.of("words", "inverted", FieldPath.of("s"), Map.empty)
    val table = IndexJob.create(on(path), request, replace = false).table
    val segment = IndexJob.named(table, "words").head
    table.commit(CreateIndex(Seq(marked(table, segment, fragments)), Seq(segment)))
    path
  }

  /** Copies a segment, and marks the entries of fragments as outdated. */
  private def marked(table: LanceTable, of: IndexSegment, ids: Seq[Int]): IndexSegment = {
    val uuid = UUID.randomUUID
    val folder = IndexSegment.newFolder(table.root, uuid)
    val from = local(table.indexFolder(of).root)
    val to = Files.createDirectories(local(folder.root))
    of.fileSizes.keys.filter(_ != metadataFile).foreach { name =>
      Files.copy(from.resolve(name), to.resolve(name))
    }
    val files =
      new IndexFiles(table.store, table.indexFolder(of), of.details, of.indexVersion, of.fileSizes)
    val metadata = files.use(metadataFile)(_.schema.metadata)
    val into = new NewSegment(table.store, folder, NewSegment.fileVersion(table.fileVersion))
    val binary = LogicalType.Binary(large = false)
    val column = Field(0, "deleted_fragments", binary, nullable = false)
    val writer = into.create(metadataFile, IndexedSeq(column))
    try {
      writer.write(IndexedSeq(LeafColumn(values(ids), null)), 1)
      metadata.foreach { case (key, value) => writer.describe(key, value) }
      into.finish(metadataFile, writer)
    } finally writer.close()
    IndexSegment.of(
      uuid,
      of.name,
      of.fields,
      table.version,
      RoaringBitmap.bitmapOf(of.coveredFragments.get.map(_.toInt): _*),
      of.detailsType.stripPrefix("/"),
      of.details,
      of.indexVersion,
      (of.fileSizes ++ into.files.map(f => f.name -> f.sizeBytes)).toSeq
    )
  }

  private def values(ids: Seq[Int]): BinaryValues = {
    val bitmap = RoaringBitmap.bitmapOf(ids: _*)
    val bytes = ByteBuffer.allocate(bitmap.serializedSizeInBytes)
    bitmap.serialize(bytes)
    val values = new BinaryValues
    values.append(bytes.array, 0, bytes.position())
    values
  }

  private def local(folder: String): Path = Paths.get(folder.stripPrefix("file:"))

  private def compact(path: String, options: (String, String)*): Seq[Long] = {
    CompactionJob.run(on(path), CompactionRequest.of(options.toMap, Map.empty))
    open(path).fragments.map(_.id)
  }

  private def covered(path: String): Seq[Long] =
    IndexJob.named(open(path), "words").flatMap(_.coveredFragments.get)

  test("the covered fragments stay if a covered one has outdated entries") {
    val path = ignoring(1)()
    assert(compact(path) == Seq(0, 1, 2, 3) && covered(path) == Seq(0, 1, 2, 3))
    // Once the rows are indexed again, they can be compacted.
    IndexJob.optimize(on(path), "words", IndexRefresh.of(Map.empty, isNamed = true))
    assert(compact(path).length == 1 && covered(path) == open(path).fragments.map(_.id))
  }

  test("a segment with outdated entries of other fragments can be rewritten") {
    val path = ignoring(9)()
    assert(compact(path).length == 1 && covered(path) == open(path).fragments.map(_.id))
  }

  test("only fragments with outdated entries stay if the segment is not rewritten") {
    for (
      (table, options) <- Seq(
        Seq("enable_stable_row_ids" -> true) -> Nil,
        Nil -> Seq("defer_index_remap" -> "true")
      )
    ) {
      val path = ignoring(1)(table: _*)
      val now = compact(path, options: _*)
      assert(now.contains(1L) && now.length == 3 && ids(path) == (0L until 20L))
    }
  }

  test("sorting keeps fragments with outdated entries") {
    val path = ignoring(1)("enable_stable_row_ids" -> true)
    ZOrderJob.run(on(path), Seq("x"), CompactionRequest.of(Map.empty, Map.empty))
    assert(open(path).fragments.exists(_.id == 1))
  }
}
