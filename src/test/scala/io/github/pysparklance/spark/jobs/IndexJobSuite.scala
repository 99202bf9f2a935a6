// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.{DataFrame, Row}
import org.roaringbitmap.RoaringBitmap
import org.scalatest.Assertion

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.schema.FieldPath
import io.github.pysparklance.table.transaction.operation.CreateIndex
import io.github.pysparklance.testkit.IndexCoverage._
import io.github.pysparklance.testkit.TestRun

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
      uuid: java.util.UUID,
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
      val made = like(of, fragments, java.util.UUID.randomUUID(), of.indexVersion)
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
