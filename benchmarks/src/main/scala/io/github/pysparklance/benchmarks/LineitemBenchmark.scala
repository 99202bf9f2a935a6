// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{DataFrame, SparkSession}

/** Scans of TPC-H lineitem through Spark: Lance beside Spark's Parquet on the same rows, in one run.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.LineitemBenchmark \
  *     --source DIR/lineitem.parquet --work DIR --out FILE [--iterations 5] [--cores 2]"
  * }}}
  * Both copies are written by Spark from `--source` in the same run; the answers of every task are compared before
  * anything is timed; the systems take turns within each iteration.
  */
object LineitemBenchmark {

  private val formats = Seq("parquet", "lance")

  final private case class Task(
      name: String,
      run: DataFrame => Unit,
      answer: Option[DataFrame => String]
  )

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val iterations = options.getOrElse("iterations", "5").toInt
    val cores = options.getOrElse("cores", "2")
    val work = Path.of(options("work")).toAbsolutePath
    val spark = Runs.session("lineitem benchmark", cores)
    try {
      val source = spark.read.parquet(options("source"))
      val rows = source.count()
      var timings = Seq.empty[Timing]
      // After every task, so that a run that is cut keeps what it measured.
      def keep(more: Seq[Timing]): Unit = {
        timings ++= more
        val sizes =
          formats.map(f => f"$f ${Runs.sizeOf(copy(work, f)) / 1e6}%.1f MB").mkString(", ")
        val head = Results.header(
          "Lineitem through Spark",
          "spark" -> s"${spark.version}, local[$cores]",
          "rows" -> rows.toString,
          "size" -> sizes,
          "iterations" -> s"$iterations, after 2 warm-ups"
        )
        Results.write(Path.of(options("out")), head + "\n" + Results.table(timings, "parquet"))
      }
      scans(spark, source, work, iterations, keep)
      println(Files.readString(Path.of(options("out"))))
    } finally spark.stop()
  }

  private def copy(work: Path, format: String): Path = work.resolve(s"lineitem.$format")

  private def scans(
      spark: SparkSession,
      source: DataFrame,
      work: Path,
      iterations: Int,
      keep: Seq[Timing] => Unit
  ): Unit = {
    val tables = formats.map { format =>
      Runs.progress(s"writing the $format copy")
      Runs.clear(copy(work, format)) // old versions are not part of a table's size
      source.write.format(format).mode("overwrite").save(copy(work, format).toString)
      format -> spark.read.format(format).load(copy(work, format).toString)
    }
    tasks.foreach { task =>
      task.answer.foreach { answer =>
        val answers = tables.map { case (format, table) => format -> answer(table) }
        require(answers.map(_._2).distinct.size == 1, s"answers of ${task.name} differ: $answers")
      }
      val runs = tables.map { case (format, t) => format -> (() => task.run(t)) }
      keep(Runs.measure(task.name, runs, iterations))
    }
  }

  private def tasks: Seq[Task] = Seq(
    noop("scan all columns, no-op sink", identity),
    query("scan all columns, cheap aggregate", allColumns),
    query("one bigint column, sum", "SELECT sum(l_orderkey) FROM t"),
    query("one decimal column, sum", "SELECT sum(l_extendedprice) FROM t"),
    query("one date column, max", "SELECT max(l_shipdate) FROM t"),
    query("one string column, sum(length)", "SELECT sum(length(l_comment)) FROM t"),
    query("one string of few values, count by", shipModes),
    query("TPC-H Q1", Tpch.q1.replace("lineitem", "t")),
    query("TPC-H Q6", Tpch.q6.replace("lineitem", "t")),
    query("count(*)", "SELECT count(*) FROM t")
  )

  private val shipModes =
    "SELECT l_shipmode, count(*) FROM t GROUP BY l_shipmode ORDER BY l_shipmode"

  private val allColumns =
    """SELECT sum(l_orderkey), sum(l_partkey), sum(l_suppkey), sum(l_linenumber), max(l_quantity),
      |  max(l_extendedprice), max(l_discount), max(l_tax), sum(length(l_returnflag)),
      |  sum(length(l_linestatus)), max(l_shipdate), max(l_commitdate), max(l_receiptdate),
      |  sum(length(l_shipinstruct)), sum(length(l_shipmode)), sum(length(l_comment)) FROM t""".stripMargin

  private def noop(name: String, select: DataFrame => DataFrame): Task =
    Task(name, t => select(t).write.format("noop").mode("overwrite").save(), None)

  private def query(name: String, sql: String): Task = {
    def rows(table: DataFrame): Array[org.apache.spark.sql.Row] = {
      table.createOrReplaceTempView("t")
      table.sparkSession.sql(sql).collect()
    }
    Task(name, t => { rows(t); () }, Some(t => rows(t).mkString("\n")))
  }
}
