// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.joins

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{broadcast, col}
import org.apache.spark.sql.types.{LongType, StructType}

import io.github.pysparklance.testkit.TestRun

class JoinKeyFiltersSuite extends JoinKeysSuite {

  private def load(options: (String, String)*) =
    spark.read.format("lance").options(options.toMap).load(path)

  test("a join with a small side reads the rows with its keys") {
    create()
    createKeys()
    for (conf <- Seq(Seq.empty, Seq(noBroadcast), Seq(notAdaptive), Seq(noBroadcast, notAdaptive)))
      withConf(conf: _*) {
        val joined = sql(s"SELECT t.id, text, n FROM $t t JOIN keys ON t.id = k")
        assert(joined.collect().length == matches, conf)
        assert(scanned(joined) == matches && scanned(joined, "lanceFilteredRows") == 0, conf)
        val widened = sql(s"SELECT t.id, text FROM keys JOIN $t t ON small = k")
        assert(widened.collect().length == 2 * 30, conf) // 0 and 1301, 30 rows each
        if (conf.contains(noBroadcast)) assert(scanned(widened) == 60, conf)
        val nested = sql(s"SELECT t.id, text FROM keys JOIN $t t ON s.id = k")
        nested.collect(): Unit
        assert(scanned(nested) < matches, conf)
        val named = sql(s"SELECT t.id, text FROM keys JOIN $t t ON t.name = keys.name")
        assert(named.collect().length == scanned(named), conf)
      }
    assert(load().join(broadcast(spark.table("keys")), col("id") === col("k")).count() == matches)
  }

  test("there is no condition if it does not help or is not requested") {
    create()
    createKeys()
    def count(query: String): Int = filters(sql(query).queryExecution.optimizedPlan).length
    assert(count(s"SELECT * FROM $t t JOIN keys ON t.id = k") == 1)
    assert(count(s"SELECT * FROM $t t JOIN keys ON t.text = keys.name") == 0)
    assert(count(s"SELECT * FROM $t t JOIN keys ON t.id + 1 = k") == 0)
    assert(count(s"SELECT * FROM (SELECT * FROM $t LIMIT 100) t JOIN keys ON t.id = k") == 0)
    assert(count(s"SELECT * FROM $t t LEFT JOIN keys ON t.id = k") == 0)
    assert(count(s"SELECT * FROM $t t FULL JOIN keys ON t.id = k") == 0)
    assert(count(s"SELECT * FROM $t t LEFT ANTI JOIN keys ON t.id = k") == 0)
    assert(count(s"SELECT * FROM $t t JOIN keys ON t.id <=> k") == 0)
    withConf("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false")(
      assert(count(s"SELECT * FROM $t t JOIN keys ON t.id = k") == 0)
    )
    val off = load("useScalarIndex" -> "false").join(spark.table("keys"), col("id") === col("k"))
    assert(filters(off.queryExecution.optimizedPlan).isEmpty)
  }

  test("every kind of join has the same results with and without the index") {
    create()
    createKeys()
    sql(s"DELETE FROM $t WHERE id = 1301"): Unit
    sql(s"UPDATE $t SET name = 'moved' WHERE id = 2602"): Unit
    rows(numRows, numRows + 3000, 1).write.format("lance").mode("append").save(path)
    val table = load().drop("s")
    val plain = load("useScalarIndex" -> "false").drop("s")
    val keys = spark.table("keys").withColumnRenamed("name", "other")
    val on = col("id") === col("k")
    val kinds = Seq("inner", "left", "right", "full", "left_semi", "left_anti")
    for {
      (kind, i) <- kinds.zipWithIndex
      conf <- TestRun.share(i, 3, Seq(Seq.empty, Seq(noBroadcast), Seq(notAdaptive)))
    } withConf(conf: _*) {
      assert(answer(table.join(keys, on, kind)) == answer(plain.join(keys, on, kind)), kind)
      assert(answer(keys.join(table, on, kind)) == answer(keys.join(plain, on, kind)), kind)
      assert(
        answer(keys.join(table, on && col("small") > 1000, kind)) ==
          answer(keys.join(plain, on && col("small") > 1000, kind)),
        kind
      )
    }
    val chain = sql(
      s"SELECT a.id, b.text FROM $t a JOIN $t b ON a.id = b.small JOIN keys ON b.id = k"
    )
    val off = "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"
    assert(answer(chain) == withConf(off)(answer(chain.select("*"))))
  }

  test("a source is read twice only if it is repeatable") {
    create()
    createKeys()
    val cached = spark.table("keys").cache()
    cached.createOrReplaceTempView("cached")
    val computed = spark.table("keys").where("k > 3").cache()
    computed.createOrReplaceTempView("computed")
    assert(computed.count() > 0)
    val rdd = spark.sparkContext.parallelize(Seq(Row(1301L), Row(5L)))
    spark.createDataFrame(rdd, new StructType().add("k", LongType)).createOrReplaceTempView("rdd")
    val sources = Seq(
      "SELECT k FROM keys LIMIT 20" -> true,
      "SELECT k FROM keys ORDER BY n LIMIT 20" -> true,
      "SELECT k FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY n DESC) AS r FROM keys) " +
        "WHERE r = 1 AND n > 3" -> true,
      "SELECT k FROM keys UNION ALL SELECT n + 1L FROM keys" -> true,
      "SELECT n + 1L AS k FROM (SELECT * FROM keys LIMIT 20)" -> false,
      "SELECT k FROM keys UNION ALL SELECT n FROM keys" -> true,
      "SELECT k, count(*) AS c FROM keys GROUP BY k" -> true,
      "SELECT k FROM keys a WHERE EXISTS (SELECT 1 FROM keys b WHERE b.n = a.k)" -> true,
      "SELECT a.k FROM keys a JOIN keys b ON a.n = b.n" -> true,
      "SELECT 32 * id + 1 AS k FROM range(30)" -> true,
      "SELECT * FROM VALUES (1301L), (5L), (NULL) AS v(k)" -> true,
      "SELECT k FROM computed" -> true,
      s"SELECT CAST(small AS BIGINT) AS k FROM $t WHERE id < 30" -> true,
      "SELECT k FROM rdd" -> false,
      "SELECT CAST(rand() * 100 AS BIGINT) AS k FROM keys" -> false,
      "SELECT CAST(name AS BIGINT) AS k FROM keys WHERE n < 0" -> true,
      "SELECT max(k) AS k FROM keys GROUP BY name" -> false
    )
    val compared = TestRun.sample(5, sources.collect { case (source, true) => source }).toSet
    withConf(noBroadcast) {
      for ((source, isFiltered) <- sources) {
        def joined =
          sql(s"SELECT t.id, text FROM (SELECT *, id AS k FROM $t) t JOIN ($source) USING (k)")
        val df = joined
        val conditions = filters(df.queryExecution.optimizedPlan)
        assert(conditions.exists(!_.onlyInBroadcast) == isFiltered, source)
        if (compared(source)) {
          val off = "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"
          assert(answer(joined) == withConf(off)(answer(joined)), source)
          df.collect(): Unit
          assert(scanned(df) < numRows / 10, source)
        }
      }
    }
  }

  test("sources with outer joins and with aggregates without groups return all rows") {
    create()
    createKeys()
    val none = "(SELECT * FROM keys WHERE n > 1000)"
    val sources = Seq(
      s"SELECT 1301L AS k, sum(n) AS x FROM $none UNION ALL SELECT 5L, sum(n) FROM keys",
      s"SELECT 1301L AS k, b.n FROM $none a RIGHT JOIN keys b ON a.n = b.n UNION ALL SELECT n + 1, n FROM keys",
      s"SELECT CAST(a.k IS NULL AS BIGINT) AS k FROM keys b LEFT JOIN $none a ON a.k = b.k",
      s"SELECT CAST(a.k IS NULL AS BIGINT) AS k FROM $none a FULL JOIN keys b ON a.k = b.k",
      "SELECT a.k FROM keys b LEFT JOIN keys a ON a.k = b.n",
      s"SELECT b.k FROM keys b LEFT JOIN $none a ON a.k = b.k WHERE a.k IS NULL"
    )
    val off = "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"
    for {
      (source, i) <- sources.zipWithIndex
      broadcast <- TestRun.share(i, 2, Seq(Nil, Seq(noBroadcast)))
    } withConf(broadcast: _*) {
      def joined =
        sql(s"SELECT t.id, text FROM (SELECT *, id AS k FROM $t) t JOIN ($source) USING (k)")
      assert(answer(joined) == withConf(off)(answer(joined)), source)
    }
  }

  test("joins find more keys than a scan looks up") {
    create()
    val joined = withConf(noBroadcast) {
      val keys = spark.range(0, 2 * RuntimeLimit, 2).toDF("k")
      val df = load().join(keys, col("id") === col("k")).select("id", "text")
      assert(filters(df.queryExecution.optimizedPlan).length == 1)
      assert(df.collect().length == RuntimeLimit)
      df
    }
    assert(scanned(joined) == numRows)
  }

  private val RuntimeLimit = KeyQuery.maxKeys
}
