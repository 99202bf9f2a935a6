// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.vector.VectorFixturesSuite
import io.github.pysparklance.testkit.{RecordedSearch, SharedSpark, VectorCase, VectorFixtures}

/** `vector_search` by vector indices of other writers. */
class NearestIndexSuite extends AnyFunSuite {
  private lazy val spark = SharedSpark.interpreted

  private def search(c: VectorCase, q: RecordedSearch, more: String*): IndexedSeq[(Long, Float)] = {
    val arguments = Seq(
      s"'${c.path.toAbsolutePath}'",
      q.vectors.head.mkString("'[", ",", "]'"),
      s"k => ${q.k}",
      "vector_column => 'v'",
      s"distance_type => '${c.metric}'",
      s"nprobes => ${q.nprobes}",
      s"refine_factor => ${q.refineFactor.getOrElse(0)}"
    ) ++ q.ef.map(n => s"ef => $n") ++ q.filter.map(f => s"filter => '$f'") ++
      q.range.toSeq.flatMap { case (least, most) =>
        Seq(s"lower_bound => ${least}D", s"upper_bound => ${most}D")
      } ++ more
    spark.sql(s"SELECT id, _distance FROM vector_search(${arguments.mkString(", ")})").collect()
      .map(r => r.getLong(0) -> r.getFloat(1)).toIndexedSeq
  }

  private val cases = VectorFixtures.kept.filterNot(_.family.endsWith("multi"))

  cases.foreach { c =>
    test(s"finds the rows of the reference in ${c.name}") {
      c.queries.zipWithIndex.foreach { case (q, i) =>
        withClue(s"query $i: ")(VectorFixturesSuite.check(c, q, search(c, q)))
      }
    }
  }

  test("without the index, the search is exact") {
    cases.foreach { c =>
      c.queries.filter(q => q.filter.isEmpty && q.range.isEmpty).take(1).foreach { q =>
        val found = search(c, q, "use_index => false").take(q.exact.length)
        val wanted = q.exact.take(found.length)
        withClue(c.name) {
          found.map(_._2).zip(wanted.map(_._2)).foreach { case (d, e) =>
            assert(math.abs(d - e) <= 1e-3 * math.max(1f, math.abs(e)))
          }
        }
      }
    }
  }

  test("the plan names the index, and fast_search reads it alone") {
    val c = cases.find(_.name.contains("ivf_sq-dot")).get
    val sql =
      s"vector_search('${c.path.toAbsolutePath}', '${c.queries.head.vectors.head.mkString("[", ",", "]")}', 5"
    val plan = spark.sql(s"SELECT * FROM $sql)").queryExecution.executedPlan.toString
    assert(plan.contains("(dot, k 5, index") && plan.contains("IVF_SQ"), plan)
    assert(spark.sql(s"SELECT * FROM $sql, fast_search => true)").count() == 5)
    val e = intercept[Exception] {
      spark.sql(s"SELECT * FROM $sql, fast_search => true, metric => 'l2')")
    }
    assert(e.getMessage.contains("fast_search") && e.getMessage.contains("l2"))
  }
}
