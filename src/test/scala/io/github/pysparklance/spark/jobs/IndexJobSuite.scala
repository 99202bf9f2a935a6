// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.file.{Files, Path, Paths}
import java.util.UUID

import com.google.protobuf.{ByteString, UnknownFieldSet}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{DataFrame, Row}
import org.roaringbitmap.RoaringBitmap
import org.scalatest.Assertion

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.IndexDefinition
import io.github.pysparklance.index.scalar.Bitmap
import io.github.pysparklance.spark.scan.LanceIndexScan
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.operation.CreateIndex
import io.github.pysparklance.testkit.IndexCoverage._
import io.github.pysparklance.testkit.{ExactRows, JobWatch, Pylance, TestRun}

/** Rules of index jobs: coverage of segments, newer formats, and names of options. */
class IndexJobSuite extends JobSuite {

  private def create(
      path: String,
      kind: String,
      column: String,
      fragments: Set[Long]
  ): IndexOutcome =
    IndexJob.create(
      on(path),
      IndexRequest.of(
        "i",
        kind,
        FieldPath.of(column),
        Map("fragment_ids" -> fragments.mkString(","))
      ),
      replace = false
    )

  private def segment(path: String): IndexSegment = IndexJob.named(open(path), "i").head

  private def folderOf(path: String, of: IndexSegment): Path =
    Paths.get(path, "_indices", of.uuid.toString)

  /** Returns a segment like another one. */
  private def like(
      of: IndexSegment,
      fragments: Seq[Long],
      uuid: UUID,
      version: Int
  ): IndexSegment = IndexSegment.of(
    uuid,
    of.name,
    of.fields,
    of.datasetVersion,
    RoaringBitmap.bitmapOf(fragments.map(_.toInt): _*),
    of.detailsType.stripPrefix("/"),
    of.details,
    version,
    of.fileSizes.toSeq
  )

  test("a segment that covers fragments of another segment is not committed") {
    val path = numbers(40, 10)
    create(path, "BTREE", "id", Set(0, 1))
    val of = segment(path)
    def added(fragments: Long*): IndexSegment = {
      val made = like(of, fragments, UUID.randomUUID(), of.indexVersion)
      Files.createDirectories(folderOf(path, made))
      of.fileSizes.keys.foreach { name =>
        Files.copy(folderOf(path, of).resolve(name), folderOf(path, made).resolve(name))
      }
      made
    }
    val overlapping = added(1, 2)
    val failed = intercept[InvalidRequestException](
      IndexJob.commit(on(path), "OPTIMIZE INDEX", Seq(overlapping), Nil)
    )
    assert(failed.getMessage.contains(s"the segment ${of.uuid} of the index i covers fragments"))
    assert(IndexJob.named(open(path), "i") == Seq(of))
    assert(!Files.exists(folderOf(path, overlapping)), "its files are removed")
    IndexJob.commit(on(path), "OPTIMIZE INDEX", Seq(added(2, 3)), Nil)
    assert(IndexJob.named(
      open(path),
      "i"
    ).flatMap(_.coveredFragments.get).sorted == Seq(0L, 1L, 2L, 3L))
    val replaced = IndexJob.named(open(path), "i").filterNot(_ == of)
    IndexJob.commit(on(path), "OPTIMIZE INDEX", Seq(added(1, 2)), Seq(of) ++ replaced)
    assert(IndexJob.named(open(path), "i").flatMap(_.coveredFragments.get) == Seq(1L, 2L))
  }

  private val columns = Seq("BTREE" -> "id", "BITMAP" -> "s", "ZONEMAP" -> "id", "NGRAM" -> "s")

  for ((kind, column) <- TestRun.sample(2, columns))
    test(s"a $kind index of a newer version is kept, and not used") {
      val path = numbers(40, 10)
      create(path, kind, column, Set(0, 1, 2, 3))
      val known = segment(path)
      val newer = like(known, Seq(0, 1, 2, 3), known.uuid, 99)
      open(path).commit(CreateIndex(Seq(newer), Seq(known)))
      // Reading these files fails.
      known.fileSizes.keys.foreach { name =>
        Files.write(folderOf(path, known).resolve(name), Array[Byte](1))
      }
      def kept(): Assertion = {
        val its = IndexJob.named(open(path), "i")
        assert(its.map(s => (s.uuid, s.indexVersion, s.details.toSeq)) ==
          Seq((newer.uuid, 99, newer.details.toSeq)))
      }
      def used(frame: DataFrame): Seq[Row] = {
        assert(!frame.queryExecution.executedPlan.toString.contains("index i"))
        frame.collect().toSeq
      }
      def check(live: Seq[Int]): Assertion = {
        kept()
        val conditions = Seq[(String, Int => Boolean)](
          ("id = 7", _ == 7),
          ("id >= 35 OR id IS NULL", _ >= 35),
          ("s = 's3'", _ % 7 == 3),
          ("contains(s, 's3')", _ % 7 == 3)
        )
        conditions.foreach { case (condition, matches) =>
          val found = used(read(path).where(condition).select("id")).map(_.getLong(0)).sorted
          assert(found == live.filter(matches).map(_.toLong), condition)
        }
        assert(used(read(path).selectExpr("min(id)", "count(*)")) ==
          Seq(Row(live.min.toLong, live.length.toLong)))
      }
      check(0 until 40)
      spark.sql(s"DELETE FROM lance.`$path` WHERE id % 10 = 3")
      val fewer = (0 until 40).filter(_ % 10 != 3)
      check(fewer)
      read(path).where("id = 5").selectExpr("id + 100 AS id", "'s3' AS s", "x").write
        .format("lance").mode("append").save(path)
      kept()
      spark.sql(s"DELETE FROM lance.`$path` WHERE id = 105")
      spark.sql(s"UPDATE lance.`$path` SET x = 1 WHERE id = 7")
      check(fewer)
      CompactionJob.run(on(path), CompactionRequest.of(Map.empty, Map.empty))
      check(fewer)
      Seq(s"OPTIMIZE INDEX i ON lance.`$path`", s"CALL lance.system.prewarm_index('$path', 'i')")
        .foreach(statement => intercept[Exception](spark.sql(statement).collect()))
      assert(
        spark.sql(s"DESCRIBE INDEX i ON lance.`$path`").head().getAs[Int]("index_version") == 99
      )
      spark.sql(s"ALTER TABLE lance.`$path` DROP INDEX i")
      assert(IndexJob.named(open(path), "i").isEmpty)
    }

  Seq(false, true).foreach { isStable =>
    test(s"every commit keeps a segment of an unknown kind, stable row ids $isStable") {
      def created(): String = numbers(60, 10, "enable_stable_row_ids" -> isStable)
      val (path, without) = (created(), created())
      val message = IndexSegment.of(
        UUID.randomUUID(),
        "future",
        Seq(FieldPath.of("s").find(open(path).schema).last.id),
        1L,
        RoaringBitmap.bitmapOf(0, 1, 2, 3),
        "x.FutureIndexDetails",
        Array[Byte](-1, 7),
        3,
        Seq("future.idx" -> 3L)
      ).message.toBuilder
      val varint = UnknownFieldSet.Field.newBuilder().addVarint(7).build()
      message.setUnknownFields(UnknownFieldSet.newBuilder().addField(99, varint).build())
      val future = IndexSegment.parse(message.build().toByteArray)
      val file = Files.createDirectories(folderOf(path, future)).resolve("future.idx")
      Files.write(file, Array[Byte](1, 2, 3))
      open(path).commit(CreateIndex(Seq(future), Nil))

      def uncovered(of: IndexSegment): ByteString =
        of.message.toBuilder.clearFragmentBitmap().build().toByteString
      def rows(of: String, condition: String): Seq[String] = {
        val found = read(of).where(condition).orderBy("id")
        assert(!found.queryExecution.executedPlan.toString.contains("index future"))
        ExactRows(found)
      }
      def check(covered: Set[Long]): Assertion = {
        val kept = IndexJob.named(open(path), "future")
        assert(kept.map(uncovered) == Seq(uncovered(future)))
        assert(Files.readAllBytes(file).toSeq == Seq[Byte](1, 2, 3))
        val fragments = open(path).fragmentReuse.coverage(kept.head.bitmap.get).toArray.toSeq
        val ids = read(path).where(col("_fragid").isin(fragments: _*)).select("id").collect()
        assert(ids.map(_.getLong(0)).toSet == covered)
        val text = read(path).columns(1)
        val conditions = Seq("id >= 0", s"$text = 's3'", s"$text LIKE 'new%' OR x < 1")
        conditions.foreach(c => assert(rows(path, c) == rows(without, c), c))
        assert(Pylance.validate(path) == read(path).count())
      }

      type Change = Set[Long] => Set[Long]
      val same: Change = ids => ids
      val mode = "ALTER TABLE t SET TBLPROPERTIES ('lance.spark.write.update.mode' ="
      val steps = Seq[(String, Change)](
        ("INSERT INTO t SELECT id, concat('s', id), 0.5D FROM range(60, 70)", same),
        ("DELETE FROM t WHERE id % 10 = 3", _.filter(_ % 10 != 3)),
        (s"$mode 'rows')", same),
        ("UPDATE t SET x = -1 WHERE id IN (5, 6)", _ -- Seq(5L, 6L)),
        ("UPDATE t SET s = 'new' WHERE id = 7", _ - 7L),
        (s"$mode 'columns')", same),
        ("UPDATE t SET x = x + 1 WHERE id BETWEEN 0 AND 35", same),
        ("UPDATE t SET s = 'new' WHERE id BETWEEN 10 AND 14", _ -- (10L until 20L)),
        (
          """MERGE INTO t AS old USING (SELECT id * 21 AS id FROM range(1, 5)) AS n
             ON old.id = n.id WHEN MATCHED THEN UPDATE SET s = 'new'
             WHEN NOT MATCHED THEN INSERT (id) VALUES (n.id)""",
          _ - 21L
        ),
        ("OPTIMIZE t", same),
        // Without stable row ids, sorting leaves all indices behind.
        ("OPTIMIZE t WHERE id < 10 ZORDER BY (x)", _.filter(id => isStable || id >= 10)),
        ("OPTIMIZE t WITH (defer_index_remap = true)", same),
        ("ALTER TABLE t RENAME COLUMN s TO text", same)
      ).filterNot(isStable && _._1.contains("defer"))
      check((0L until 40L).toSet)
      steps.foldLeft((0L until 40L).toSet) { case (covered, (statement, now)) =>
        withClue(s"$statement: ") {
          Seq(path, without).foreach { of =>
            val done = spark.sql(statement.replaceAll("\\bt\\b", s"lance.`$of`")).collect()
            if (of == path && statement.startsWith("OPTIMIZE"))
              assert(done.head.getAs[Number](0).longValue > 0, "fragments were rewritten")
          }
          check(now(covered))
        }
        now(covered)
      }: Unit
    }
  }

  test("a BITMAP index of more fragments than tasks is built in contiguous batches") {
    val path = fresh()
    spark.range(0, 200000, 1, 1).selectExpr("id", "id % 7 AS few").write.format("lance")
      .option("maxRowsPerFile", "17000").save(path)
    val table = open(path)
    val index = IndexDefinition.create(table, "i", Bitmap, FieldPath.of("few"), Map.empty)
    val batches = new IndexBuild(on(path), index, 1L, isExact = true)
      .batches(table.fragments.indices).map(_.scans.map(_.fragment.id))
    assert(batches.length > 1 && batches.length < table.fragments.length)
    assert(batches.forall(_.nonEmpty) && batches.flatten == table.fragments.map(_.id))
    val ids = table.fragments.map(_.id)
    JobWatch(spark.sparkContext) { watch =>
      watch.run(create(path, "BITMAP", "few", ids.toSet))
      val seen = watch.settled()
      val job = s"building BITMAP index i on ${ids.length} fragments of $path"
      assert(seen.descriptions == Seq(job) && seen.tasks.length == batches.length)
    }
    assert(IndexJob.named(open(path), "i").map(_.coveredFragments) == Seq(Some(ids)))
    assert(Paths.get(path, "_indices").toFile.list.toSeq == Seq(segment(path).uuid.toString))
    def counts(useIndex: Boolean): DataFrame =
      spark.read.format("lance").option("useScalarIndex", useIndex.toString).load(path)
        .groupBy("few").count().orderBy("few")
    assert(counts(true).queryExecution.optimizedPlan.exists {
      case r: DataSourceV2ScanRelation => r.scan.isInstanceOf[LanceIndexScan]
      case _ => false
    })
    assert(counts(true).collect().toSeq == counts(false).collect().toSeq)
  }

  test("names of options ignore case, underscores, and hyphens; others are errors") {
    def of(kind: String, option: (String, String)): IndexRequest =
      IndexRequest.of("i", kind, FieldPath.of("id"), Map(option))
    val kinds = Seq(
      ("BTREE", "zone_size", "ZoneSize", "zone_sizes"),
      ("ZONEMAP", "rows_per_zone", "ROWSPERZONE", "rows_per_zones"),
      ("BLOOMFILTER", "number_of_items", "numberOfItems", "number_of_item")
    )
    kinds.foreach { case (kind, name, other, unknown) =>
      for (spelled <- Seq(name, other, name.toUpperCase, name.replace('_', '-')))
        of(kind, spelled -> "17").kind match {
          case ScalarKind(_, parameters, _) => assert(parameters == Map(name -> "17"), spelled)
          case k => fail(s"not scalar: $k")
        }
      val failed = intercept[InvalidRequestException](of(kind, unknown -> "17"))
      assert(failed.getMessage.contains(s"no option $unknown; did you mean $name?"))
    }
    assert(!of("BTREE", "Train" -> "FALSE").train)
    assert(of("BTREE", "fragmentids" -> "[1, 2]").fragmentIds.contains(Set(1L, 2L)))
    of("BTREE", "RowsPerRange" -> "70").kind match {
      case ScalarKind(_, _, rowsPerRange) => assert(rowsPerRange == 70)
      case k => fail(s"not scalar: $k")
    }
    intercept[InvalidRequestException](of("BITMAP", "zone_size" -> "17"))
    assert(IndexRefresh.of(
      Map("NumIndicesToMerge" -> "3"),
      isNamed = true
    ).segmentsToMerge.contains(3))
    assert(IndexRefresh.of(Map("RETRAIN" -> "true"), isNamed = true).retrain)
    intercept[InvalidRequestException](IndexRefresh.of(Map("zone_size" -> "3"), isNamed = true))
  }
}
