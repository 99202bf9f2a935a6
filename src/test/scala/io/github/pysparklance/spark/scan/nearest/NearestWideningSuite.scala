// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.nio.file.Files

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.ViewContext
import io.github.pysparklance.spark.scan.search.SearchSource
import io.github.pysparklance.storage.local.LocalFileStore
import io.github.pysparklance.testkit.SharedSpark

/** Searches whose nearest partitions have no rows that match the filter: they probe more partitions
  * until `k` rows are found, on the driver and in tasks.
  */
class NearestWideningSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark = SharedSpark.interpreted

  private val numGroups = 8
  // More rows than are compared exactly instead.
  private val rowsOfGroup = 1500
  private val k = 10
  private lazy val folder = Files.createTempDirectory("pyspark-lance")

  override protected def afterAll(): Unit = {
    LocalFileStore.deleteFolder(folder.toString)
    super.afterAll()
  }

  /** A table with a group of rows in each of some distant places. The group is the column `g`. */
  private def source(): SearchSource = {
    val path = folder.resolve("t").toString
    spark.sql(
      s"""SELECT id, id % $numGroups AS g,
         |  array(float(id % $numGroups * 100), float(hash(id) % 10), float(hash(-id) % 10)) AS v
         |FROM range(${numGroups * rowsOfGroup})""".stripMargin
    ).write.format("lance").option("column.v.arrow.fixed-size-list.size", "3").save(path)
    spark.sql(
      s"CREATE INDEX i ON lance.`$path` USING ivf_flat (v) OPTIONS (num_partitions = 24)"
    ): Unit
    val table = spark.read.format("lance").load(path).queryExecution.analyzed
      .collectFirst { case r: DataSourceV2Relation => r.table }.get.asInstanceOf[LanceSparkTable]
    SearchSource(
      table,
      table.table,
      table.loaded.types.fields(table.table.schema),
      CaseInsensitiveStringMap.empty(),
      ViewContext.current
    )
  }

  /** Returns the found rows of each query, and the number of probed partitions.
    *
    * @param bytesHere size of the partitions that the driver searches
    */
  private def search(from: SearchSource, bytesHere: Long, numQueries: Int = 1)(
      more: (String, Any)*
  ): (Seq[Seq[Float]], Long) = {
    val vectors = IndexedSeq.tabulate(numQueries)(i => IndexedSeq(Array(0.0, i / 10.0, 0.0)))
    val arguments =
      Map[String, Any]("column" -> "v", "q" -> vectors.head.head.toSeq, "k" -> k) ++ more
    val asked = new NearestArguments("test", arguments.toSeq).query
    val resolved = NearestTable.resolve(
      from,
      asked.copy(vectors = new QueryVectors(vectors, isBatch = numQueries > 1, false))
    )
    assert(resolved.index.isDefined)
    val found = new NearestSearch(
      spark,
      from,
      resolved.field,
      resolved.index,
      resolved.query,
      indexBytesHere = bytesHere
    )
    (found.run().map(_.distances.toSeq), found.statistics.partitionsProbed)
  }

  private lazy val table = source()

  for ((place, bytesHere) <- Seq("on the driver" -> Long.MaxValue, "in tasks" -> -1L)) {
    // The squared distance of a group is 10,000 times the square of its number, and some more.
    def isOf(group: Int)(distance: Float): Boolean = {
      val least = 10000f * group * group
      distance >= least && distance < least + 250
    }

    test(s"a selective filter returns k rows, $place") {
      for {
        group <- Seq(1, numGroups - 1)
        probes <- Seq[Seq[(String, Any)]](
          Nil,
          Seq("minimum_nprobes" -> 1),
          Seq("search_effort" -> 0.0)
        )
      } {
        val (rows, probed) = search(table, bytesHere)(probes :+ ("filter" -> s"g = $group"): _*)
        withClue(s"group $group, $probes: ") {
          assert(rows.head.length == k && rows.head.forall(isOf(group)), rows.head)
          assert(probed > 1 && probed <= 24)
        }
      }
    }

    test(s"the maximum number of partitions limits the search, $place") {
      val filter = "filter" -> s"g = ${numGroups - 1}"
      for (limit <- Seq("maximum_nprobes" -> 3, "nprobes" -> 3)) {
        val (rows, probed) = search(table, bytesHere)(filter, limit)
        assert(rows.head.isEmpty && probed == 3, limit)
      }
      val (least, probedLeast) =
        search(table, bytesHere)("minimum_nprobes" -> 20, "filter" -> "g = 0")
      assert(least.head.length == k && probedLeast == 20)
      val (all, probedAll) =
        search(table, bytesHere)(filter, "maximum_nprobes" -> 24, "k" -> 2 * rowsOfGroup)
      assert(all.head.length == rowsOfGroup && probedAll == 24)
    }

    test(s"rows within bounds are searched in more partitions, $place") {
      val least = 10000f * 25
      val (rows, probed) =
        search(table, bytesHere)("minimum_nprobes" -> 1, "lower_bound" -> least.toDouble)
      assert(rows.head.length == k && rows.head.forall(isOf(5)) && probed > 1)
    }
  }

  test("each query of a batch has k rows") {
    val (rows, _) =
      search(table, -1L, NearestSearch.batchQueries)("minimum_nprobes" -> 1, "filter" -> "g = 7")
    assert(rows.length == NearestSearch.batchQueries && rows.forall(_.length == k))
  }
}
