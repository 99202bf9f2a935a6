// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{ExactRows, SharedSpark, TemporaryFolder, TestRun}

/** Random histories of a table with random indices: after each step, random aggregates and first
  * rows of orders equal the results of a scan without indices.
  */
class IndexedHistoriesSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private def sql(text: String): DataFrame = spark.sql(text)

  private val numHistories = if (TestRun.isLong) 40 else 1
  private val numSteps = if (TestRun.isLong) 25 else 8
  private val queriesPerStep = 6

  /** A column with SQL over `id` for its values, SQL of some values, and whether either zero may be
    * its least value.
    */
  private case class Column(name: String, value: String, some: Seq[String])

  private val columns = IndexedSeq(
    Column("n", "CAST(hash(id) % 500 AS INT)", Seq("0", "-499", "499", "17")),
    Column("wide", "id * 1234567 - 600000000", Seq("0L", "-9223372036854775808L")),
    Column("text", "CONCAT('v', hash(id, 1) % 40)", Seq("''", "'v7'", "'v-39'", "'z\u00e9'")),
    Column("day", "date_add(DATE'2020-01-01', CAST(id % 90 AS INT))", Seq("DATE'1600-02-29'")),
    Column(
      "time",
      "timestamp_micros(hash(id, 2) * 1000L)",
      Seq("timestamp_micros(-1)", "timestamp_micros(0)")
    ),
    Column("money", "CAST(hash(id, 3) % 900 AS DECIMAL(20, 3)) / 7", Seq("-1.5", "99999.125")),
    Column("bytes", "CAST(CONCAT('b', hash(id, 4) % 30) AS BINARY)", Seq("X'00'", "X'FF'", "X''")),
    Column("flag", "hash(id, 5) % 2 = 0", Seq("true", "false")),
    Column(
      "float",
      "CASE id % 5 WHEN 0 THEN double('NaN') WHEN 1 THEN -double('Infinity') ELSE double(id) END",
      Seq("double('NaN')", "-7.5D")
    )
  )
  private val nested = "s.n"

  private def rows(from: Int, until: Int): DataFrame = {
    val values = columns.zipWithIndex.map { case (c, i) =>
      s"IF(id % ${6 + i} = 1, NULL, ${c.value}) AS ${c.name}"
    }
    val struct = "IF(id % 9 = 2, NULL, named_struct('n', IF(id % 4 = 3, NULL, id % 50))) AS s"
    spark.range(from.toLong, until.toLong, 1, 2).selectExpr(Seq("id") ++ values :+ struct: _*)
  }

  final private class History(path: String, random: Random, isStable: Boolean) {
    private val t = s"lake.`$path`"
    private var numRows = 200 + random.nextInt(200)
    private val kinds = (columns.map(_.name) :+ nested).map { name =>
      name -> Seq("BTREE", "BITMAP", "ZONEMAP")(random.nextInt(3))
    }
    var numIndexed = 0

    private def pick[A](all: Seq[A]): A = all(random.nextInt(all.length))
    private def column(): Column = pick(columns)

    def create(): Unit = {
      rows(0, numRows).createOrReplaceTempView("first_rows")
      sql(s"CREATE TABLE $t TBLPROPERTIES ('enableStableRowIds' = '$isStable') " +
        "AS SELECT * FROM first_rows"): Unit
      kinds.foreach { case (name, kind) =>
        val options = kind match {
          case "BTREE" => "WITH (zone_size = 32)"
          case "ZONEMAP" => "WITH (rows_per_zone = 16)"
          case _ => ""
        }
        sql(s"ALTER TABLE $t CREATE INDEX ${index(name)} USING $kind ($name) $options"): Unit
      }
    }

    private def index(column: String): String = s"${column.replace('.', '_')}_index"

    private def condition(): String = {
      val c = column()
      random.nextInt(6) match {
        case 0 => s"${c.name} IS NULL"
        case 1 => s"${c.name} = ${pick(c.some)}"
        case 2 => s"NOT ${c.name} > ${pick(c.some)}"
        case 3 => s"id % ${2 + random.nextInt(9)} = 1"
        case 4 => s"${c.name} < (SELECT max(${c.name}) FROM first_rows)"
        case _ => s"id BETWEEN ${random.nextInt(numRows)} AND ${random.nextInt(numRows)}"
      }
    }

    /** Selects rows with the least or the greatest value. */
    private def outermost(): String = {
      val c = column()
      s"${c.name} = (SELECT ${pick(Seq("min", "max"))}(${c.name}) FROM $t)"
    }

    /** Changes the table, and returns the change. */
    def step(): String = {
      val done = random.nextInt(9) match {
        case 0 => s"DELETE FROM $t WHERE ${condition()} AND id % 3 = ${random.nextInt(3)}"
        case 1 | 2 => s"DELETE FROM $t WHERE ${outermost()}"
        case 3 | 4 =>
          val c = column()
          val mode = pick(Seq("rows", "columns"))
          sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = '$mode')"): Unit
          val value = if (random.nextInt(4) == 0) "NULL" else pick(c.some)
          s"UPDATE $t SET ${c.name} = $value WHERE ${if (random.nextBoolean()) outermost()
            else condition()}"
        case 5 =>
          val from = numRows
          numRows += 1 + random.nextInt(60)
          rows(from, numRows).write.format("lance").mode("append").save(path)
          "append"
        case 6 => s"OPTIMIZE $t"
        case 7 =>
          if (isStable) s"OPTIMIZE $t" else s"OPTIMIZE $t WITH (defer_index_remap = true)"
        case _ => s"OPTIMIZE INDEX ${index(pick(kinds)._1)} ON $t"
      }
      if (done != "append") sql(done): Unit
      // Most indices cover all rows again.
      if (random.nextBoolean())
        kinds.foreach { case (name, _) => sql(s"OPTIMIZE INDEX ${index(name)} ON $t") }
      done
    }

    private def query(from: String): String = {
      val names = columns.map(_.name) :+ nested
      def aggregate() = pick(Seq("min", "max", "min", "max", "count")) + s"(${pick(names)})"
      val where = if (random.nextInt(3) == 0) s" WHERE ${condition()}" else ""
      random.nextInt(6) match {
        case 0 =>
          val (name, k) = (pick(names), 1 + random.nextInt(20))
          val order = pick(Seq("ASC", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"))
          s"SELECT $name FROM $from ORDER BY $name $order LIMIT $k"
        case 1 =>
          val name = pick(names)
          s"SELECT $name, count(*), count($name) FROM $from GROUP BY $name"
        case 2 => s"SELECT count(*) FROM $from$where"
        case _ =>
          val aggregates = (0 to random.nextInt(3)).map(i => s"${aggregate()} AS a$i")
          s"SELECT ${aggregates.mkString(", ")} FROM $from$where"
      }
    }

    def check(done: Seq[String]): Unit = {
      spark.read.format("lance").load(path).createOrReplaceTempView("with_indices")
      spark.read.format("lance").option("useScalarIndex", "false").load(path)
        .createOrReplaceTempView("without")
      (1 to queriesPerStep).foreach { _ =>
        val text = query("with_indices")
        val found = sql(text)
        if (isByIndex(found)) numIndexed += 1
        withClue(s"$kinds, after ${done.mkString("; ")}: $text: ") {
          val expected = sql(text.replace("with_indices", "without"))
          assert(!isByIndex(expected))
          assert(ExactRows(found).sorted == ExactRows(expected).sorted)
        }
      }
    }
  }

  private def isByIndex(df: DataFrame): Boolean = df.queryExecution.optimizedPlan.exists {
    case r: DataSourceV2ScanRelation => r.scan.isInstanceOf[LanceIndexScan]
    case _ => false
  }

  for (isStable <- TestRun.sample(1, Seq(false, true)))
    test(s"random histories, ${if (isStable) "stable row ids" else "addresses"}") {
      val first = TestRun.seed
      var numIndexed = 0
      (0 until numHistories).foreach { i =>
        val seed = first + i
        withClue(s"seed ${seed}L: ") {
          val history = new History(folder.resolve(s"t$i").toString, new Random(seed), isStable)
          history.create()
          history.check(Nil)
          (1 to numSteps).foldLeft(Seq.empty[String]) { (done, _) =>
            val all = done :+ history.step()
            history.check(all)
            all
          }: Unit
          numIndexed += history.numIndexed
        }
      }
      assert(numIndexed > numHistories, "indices were hardly used")
    }
}
