// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.{DataFrame, Row}
import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.{IndexEvaluator, ScalarIndices}
import io.github.pysparklance.spark.filter.IndexTranslation
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.testkit.{
  FilterQuery,
  Fixtures,
  IndexCase,
  IndexFixtures,
  SharedSpark,
  TestRun
}

/** Conditions on columns with an index of another writer match the same rows as a scan, after any
  * changes of the table, for every kind, release, and file version of the fixtures.
  */
class IndexFixturesSuite extends AnyFunSuite {
  import IndexFixturesSuite._

  private lazy val spark = SharedSpark.interpreted

  if (IndexFixtures.cases.isEmpty)
    test("index fixtures")(Fixtures.assumePresent(isPresent = false))

  test("every kind of index is used by conditions, or is listed") {
    val (read, others) = IndexFixtures.cases.map(_.family).distinct
      .partition(f => families.exists(f.startsWith))
    assert(others.filterNot(f => otherFamilies.exists(f.startsWith)).isEmpty)
    assert(read.forall(f => !otherFamilies.exists(f.startsWith)))
    if (IndexFixtures.cases.nonEmpty)
      assert(otherFamilies.forall(prefix => others.exists(_.startsWith(prefix))))
  }

  private var answered = 0
  private var exact = 0

  IndexFixtures.cases.filter(c => families.exists(c.family.startsWith)).foreach { c =>
    test(c.name) {
      val negated = c.queries.filter(q => notHas.pattern.matcher(q.filter).matches)
      (TestRun.sample(3, c.queries) ++ negated).distinct
        .foreach(q => sql(q.filter).foreach(check(c, q, _)))
    }
  }

  test("indices return results with the expected exactness") {
    if (IndexFixtures.cases.nonEmpty) {
      assert(answered >= (if (TestRun.isLong) 1420 else 150))
      assert(exact >= (if (TestRun.isLong) 850 else 75))
    }
  }

  private def check(c: IndexCase, query: FilterQuery, condition: String): Unit = {
    val indexed = frame(c, useIndex = true).where(condition)
    val scanned =
      frame(c, useIndex = false).where(condition).select("id", "_rowaddr").collect().toSeq
    val rows = indexed.select("id").collect().toSeq
    val found = ids(rows)
    withClue(s"${query.filter}: ") {
      assert(found == ids(scanned))
      assert(indexed.count() == scanned.length)
      query.filter match {
        case notHas(column, value) => assert(found == lacking(c, column, value))
        case _ =>
          query.ids.foreach(expected =>
            assert(Set(found, IndexFixtures.sha1(found)).contains(expected), s"expected $expected")
          )
      }
    }
    // Spark evaluates conditions on JSON documents above the scan.
    val mustUse = c.family == "json_idx" && query.usesIndex
    val plan = indexed.queryExecution.executedPlan.toString
    assert(!mustUse || plan.contains("(JSON BTREE on x, "), query.filter)
    checkAnswer(indexed, scanned.map(_.getLong(1)))
  }

  /** Returns the rows for which `array_contains` is false in Spark. Unlike in the reference, it is
    * null for a list with a null element that lacks the value.
    */
  private def lacking(c: IndexCase, column: String, value: String): String = {
    val lists = frame(c, useIndex = false).select("id", column).collect().toSeq
    ids(lists.filter { row =>
      !row.isNullAt(1) && !row.getSeq[String](1).exists(item => item == null || item == value)
    })
  }

  /** Checks the results of indices against the rows that a scan finds.
    *
    * @param addresses addresses of these rows
    */
  private def checkAnswer(indexed: DataFrame, addresses: Seq[Long]): Unit = {
    val plan = indexed.queryExecution.optimizedPlan
    val scans = plan.collect { case r: DataSourceV2ScanRelation => r.scan }
    scans.collectFirst { case s: LanceScan => s.plan }.foreach {
      scan =>
        scan.read.filter.foreach { filter =>
          val condition =
            new IndexTranslation(filter.fields, scan.read.options.types)(filter.expression)
          val answer = new IndexEvaluator(new ScalarIndices(scan.table))(condition)
          if (answer.uses.nonEmpty) answered += 1
          if (answer.fragments.forall(_.isExact)) exact += 1
          val isWhole = plan.collectFirst { case f: Filter => f }.isEmpty
          val trues = addresses.groupBy(RowAddress.fragmentId)
          scan.table.fragments.zip(answer.fragments).foreach { case (fragment, known) =>
            val rows = trues.getOrElse(fragment.id, Nil).map(RowAddress.offset(_).toInt)
            val found = RoaringBitmap.bitmapOf(rows: _*)
            val deleted = scan.table.deletionVector(fragment)
            assert(RoaringBitmap.andNot(found, known.trues.atMost).isEmpty)
            if (isWhole)
              RoaringBitmap.andNot(known.trues.atLeast, found).toArray.foreach(row =>
                assert(deleted.isDeleted(row.toLong), s"row $row of fragment ${fragment.id}")
              )
          }
        }
    }
  }

  private def frame(c: IndexCase, useIndex: Boolean): DataFrame =
    spark.read.format("lance").option("useScalarIndex", useIndex.toString).load(c.path.toString)

  private def ids(rows: Seq[Row]): String =
    IndexFixtures.text(rows.map(_.getAs[Number](0).longValue))
}

private object IndexFixturesSuite {
  private val families =
    Seq("btree", "bitmap", "json_idx", "label_list", "ngram", "zonemap", "bloom")

  /** Families of fixtures without conditions. Other suites check full-text and vector indices;
    * R-trees are not supported.
    */
  private val otherFamilies = Seq("fts", "hnsw", "ivf", "rtree")

  /** Conditions without a Spark function. */
  private val withoutFunction = Seq("array_has_all(t, [])", "ST_")

  private val hasAll = """array_has_all\((\w+), \[([^\]]*)\]\)""".r

  private val notHas = """not array_has\((\w+), '(\w+)'\)""".r

  /** Converts a condition of the reference to Spark SQL; `None` if Spark has no such function. */
  def sql(filter: String): Option[String] =
    if (withoutFunction.exists(filter.contains)) None
    else
      Some(
        hasAll.replaceAllIn(
          filter,
          m =>
            m.group(2).split(", ").map(v => s"array_contains(${m.group(1)}, $v)")
              .mkString("(", " and ", ")")
        )
          .replace("array_has_any(", "arrays_overlap(")
          .replace("array_has(", "array_contains(")
          .replace("starts_with(", "startswith(")
          .replace("regexp_match(", "regexp_like(")
          .replaceAll("\\[([^\\]]*)\\]", "array($1)")
      )
}
