// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.scan.search.SearchExec
import io.github.pysparklance.testkit.{JobWatch, SharedSpark, TemporaryFolder, VectorFixtures}

/** Searches that run on the driver. */
class NearestExecSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private val indexed = VectorFixtures.kept.find(_.name.contains("ivf_sq-dot")).get
  private def query: String = indexed.queries.head.vectors.head.mkString("'[", ",", "]'")

  private def search(columns: String, arguments: String = "", where: String = ""): DataFrame =
    spark.sql(
      s"SELECT $columns FROM vector_search('${indexed.path.toAbsolutePath}', $query, 5, " +
        s"vector_column => 'v'$arguments) $where"
    )

  private def withoutTasks(body: => Any): Unit = {
    val tasks = JobWatch(spark.sparkContext) { watch =>
      watch.run(body): Unit
      watch.settled().tasks
    }
    if (tasks.nonEmpty) fail(s"${tasks.length} tasks")
  }

  test("a search in an index runs no job, for any selection of columns") {
    val wide = search("*").collect()
    assert(wide.length == 5)
    withoutTasks {
      assert(search("*").collect().toSeq == wide.toSeq)
      assert(search("id, _distance").collect().map(_.getLong(0)).toSeq ==
        wide.map(_.getAs[Number]("id").longValue).toSeq)
      val computed = search("id * 2 AS twice, round(_distance, 1) AS d", where = "WHERE id % 2 = 0")
      assert(computed.collect().map(_.getLong(0)).toSet ==
        wide.map(_.getAs[Number]("id").longValue).filter(_ % 2 == 0).map(_ * 2).toSet)
      assert(search("id").head(2).length == 2)
      assert(search("id").limit(0).collect().isEmpty)
    }
    assert(search("*").queryExecution.executedPlan.toString.contains("LanceNearest"))
  }

  test("the driver reads the same rows as tasks") {
    val driver = search("id, v, _distance")
    val tasks = driver.repartition(2).sort("_distance", "id")
    assert(driver.sort("_distance", "id").collect().toSeq == tasks.collect().toSeq)
    assert(search("id").count() == 5)
    assert(search("*", where = "WHERE id IN (SELECT 1)").count() <= 5)
  }

  test("searches with other columns are other plans, and equal searches are reused") {
    val path = folder.resolve("pairs").toString
    spark.sql("SELECT id AS a, -id - 1 AS b, array(float(id), 1F) AS v FROM range(50)")
      .write.format("lance").option("column.v.arrow.fixed-size-list.size", "2").save(path)
    val near = s"vector_search('$path', array(7.2, 1), 3)"
    def both(first: String, second: String): DataFrame =
      spark.sql(s"SELECT DISTINCT $first UNION ALL SELECT DISTINCT $second")
    def pairs(frame: DataFrame): Seq[(Long, Long)] =
      frame.collect().map(r => (r.getLong(0), r.getLong(1))).toSeq.sorted
    val rows = Seq((6L, -7L), (7L, -8L), (8L, -9L))
    assert(pairs(both(s"a, b FROM $near", s"b, a FROM $near")) ==
      (rows ++ rows.map(_.swap)).sorted)
    assert(pairs(both(s"a * 2 AS c, b FROM $near", s"b * 2, a FROM $near")) ==
      (rows.map { case (a, b) => (a * 2, b) } ++ rows.map { case (a, b) => (b * 2, a) }).sorted)
    assert(pairs(both(s"a, b FROM $near WHERE a > 6", s"a, b FROM $near WHERE b > -9")) ==
      (rows.filter(_._1 > 6) ++ rows.filter(_._2 > -9)).sorted)
    val equal = both(s"a, b + 1 FROM $near WHERE b > -9", s"a, b + 1 FROM $near WHERE b > -9")
    assert(equal.collect().length == 4)
    val plan = equal.queryExecution.executedPlan.toString
    assert(plan.contains("LanceNearest") && plan.contains("ReusedExchange"), plan)
  }

  test("an exact search of a small table runs no job") {
    val path = folder.resolve("t").toString
    spark.sql("SELECT id, array(float(id), 1F) AS v FROM range(50)").write.format("lance")
      .option("column.v.arrow.fixed-size-list.size", "2").save(path)
    withoutTasks {
      val near = spark.sql(s"SELECT id FROM vector_search('$path', array(7.2, 1), 2)").collect()
      assert(near.map(_.getLong(0)).toSeq == Seq(7L, 8L))
    }
  }

  test("metrics count bytes that are read from the index, and reads from the cache") {
    val copy = folder.resolve("t")
    Using.resource(Files.walk(indexed.path))(_.iterator.asScala.toIndexedSeq).foreach { file =>
      Files.copy(file, copy.resolve(indexed.path.relativize(file).toString))
    }
    def metrics(): Map[String, Long] = {
      val frame = spark.sql(
        s"SELECT id FROM vector_search('$copy', $query, 5, vector_column => 'v', nprobes => 3)"
      )
      frame.collect()
      frame.queryExecution.executedPlan.collectFirst { case e: SearchExec =>
        e.metrics.map { case (name, m) => name -> m.value }
      }.get
    }
    val sizes =
      Using.resource(Files.walk(copy.resolve("_indices")))(_.iterator.asScala.toIndexedSeq)
        .filter(Files.isRegularFile(_)).map(Files.size)
    val (first, second) = (metrics(), metrics())
    assert(first("lanceIndexBytes") > 0 && first("lanceIndexBytes") <= 2 * sizes.sum)
    assert(first("lanceIndexCacheMisses") >= 3)
    assert(second("lanceIndexBytes") == 0 && second("lanceIndexCacheMisses") == 0)
    assert(second("lanceIndexCacheHits") >= 3)
  }

  test("metrics count segments, partitions, vectors, rows, and reads of the index") {
    val frame = search("id", ", nprobes => 3, refine_factor => 2")
    frame.collect()
    val metrics = frame.queryExecution.executedPlan.collectFirst { case e: SearchExec =>
      e.metrics.map { case (name, m) => name -> m.value }
    }.get
    assert(metrics(NearestMetrics.Segments) == 1)
    assert(metrics(NearestMetrics.Partitions) == 3)
    assert(metrics(NearestMetrics.Vectors) > 5)
    assert(metrics(NearestMetrics.Refined) == 10)
    assert(metrics("lanceIndexCacheHits") + metrics("lanceIndexCacheMisses") > 0)
    assert(metrics("numOutputRows") == 5)
    val plan = frame.queryExecution.executedPlan.toString
    assert(plan.contains("1 segments") && plan.contains("partitions"), plan)
  }
}
