// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SlowFileSystem, SlowRequest, ThrottledStore}

/** Scans and takes of a table on a simulated object store with 30 ms latency and 100 MB/s.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.StoreBenchmark --work DIR --out FILE \
  *     [--rows 32000000] [--fragments 32] [--small 1000] [--iterations 5] [--cores 2]"
  * }}}
  * The table is shaped like TPC-H lineitem and stays in `--work`. Results have the share of the
  * bandwidth, the longest chain of sequential requests (rounds), and the time on the local disk.
  * Results on the store are compared with those on the local disk before anything is timed. In each
  * run, files are new to the process, except in repeated takes.
  */
object StoreBenchmark {
  private val latencyMillis = 30L
  private val bytesPerSecond = 100000000L

  /** A task on a table at a path.
    *
    * @param again whether cached parts of files from earlier runs are used
    */
  final private case class Task(name: String, run: String => String, again: Boolean = false)

  final private case class Measured(millis: Double, requests: IndexedSeq[SlowRequest]) {
    val bytes: Long = requests.map(_.bytes).sum
    def share: Double = bytes * 1e3 / bytesPerSecond / millis
  }

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val work = Path.of(options("work")).toAbsolutePath
    val rows = options.getOrElse("rows", "32000000").toLong
    val fragments = options.getOrElse("fragments", "32").toInt
    val small = options.getOrElse("small", "1000").toInt
    val iterations = options.getOrElse("iterations", "5").toInt
    val cores = options.getOrElse("cores", "2")
    val spark = Runs.session("store benchmark", cores)
    SlowFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    try {
      val large = work.resolve(s"lineitem-$rows-$fragments.lance")
      if (!Files.exists(large)) write(lineitem(spark, rows, fragments), large)
      val many = work.resolve(s"small-$small.lance")
      if (!Files.exists(many)) write(lineitem(spark, small * 100L, small), many)
      val head = Results.header(
        s"A table on a store of $latencyMillis ms latency and ${bytesPerSecond / 1000000} MB/s",
        "spark" -> s"${spark.version}, local[$cores]",
        "rows" -> s"$rows in ${fragmentsOf(large)} fragments, ${small * 100} in ${fragmentsOf(many)}",
        "size" -> f"${sizeOf(large) / 1e6}%.1f MB, ${sizeOf(many) / 1e6}%.1f MB",
        "iterations" -> s"$iterations, after 1 warm-up"
      )
      var lines = Seq.empty[String]
      def keep(task: Task, table: Path): Unit = {
        lines :+= line(task.name, measure(task, table.toString, iterations))
        Results.write(Path.of(options("out")), (head +: title +: lines).mkString("\n") + "\n")
      }
      tasks(spark, rows).foreach(keep(_, large))
      scans(spark, s"$small fragments of 100 rows: ").foreach(keep(_, many))
      println(Files.readString(Path.of(options("out"))))
    } finally spark.stop()
  }

  /** Bytes of all files below a folder. */
  private def sizeOf(root: Path): Long = {
    val files = Files.walk(root)
    try files.filter(Files.isRegularFile(_)).mapToLong(Files.size(_)).sum()
    finally files.close()
  }

  private def fragmentsOf(table: Path): Int =
    LanceTable.open(Storage.local, table.toString).fragments.length

  private def write(rows: DataFrame, table: Path): Unit = {
    Runs.progress(s"writing $table")
    rows.write.format("lance").mode("overwrite").save(table.toString)
  }

  /** Rows with the types and value distributions of lineitem. */
  private def lineitem(spark: SparkSession, rows: Long, fragments: Int): DataFrame = {
    val words = Seq("furiously", "carefully", "deposits", "regular", "ironic", "final", "packages")
      .map(w => s"'$w'")
      .mkString("array(", ",", ")")
    def pick(seed: Int, n: Int) = s"pmod(xxhash64(id, $seed), $n)"
    spark
      .range(0, rows, 1, fragments)
      .selectExpr(
        "xxhash64(id, 0) AS l_orderkey",
        s"${pick(1, 200000)} AS l_partkey",
        s"${pick(2, 10000)} AS l_suppkey",
        "CAST(pmod(id, 7) AS INT) + 1 AS l_linenumber",
        s"CAST(${pick(3, 50)} + 1 AS DECIMAL(12, 2)) AS l_quantity",
        s"CAST((${pick(4, 10000000)} + 90000) / 100 AS DECIMAL(12, 2)) AS l_extendedprice",
        s"CAST(${pick(5, 11)} / 100 AS DECIMAL(12, 2)) AS l_discount",
        s"CAST(${pick(6, 9)} / 100 AS DECIMAL(12, 2)) AS l_tax",
        s"element_at(array('A', 'N', 'R'), CAST(${pick(7, 3)} AS INT) + 1) AS l_returnflag",
        s"element_at(array('F', 'O'), CAST(${pick(8, 2)} AS INT) + 1) AS l_linestatus",
        s"date_add(DATE '1992-01-02', CAST(${pick(9, 2500)} AS INT)) AS l_shipdate",
        s"date_add(DATE '1992-01-31', CAST(${pick(10, 2500)} AS INT)) AS l_commitdate",
        s"element_at(array('AIR', 'RAIL', 'SHIP', 'TRUCK'), CAST(${pick(11, 4)} AS INT) + 1) AS l_shipmode",
        s"concat_ws(' ', element_at($words, CAST(${pick(12, 7)} AS INT) + 1), " +
          "lower(hex(xxhash64(id, 13)))) AS l_comment"
      )
  }

  private def load(spark: SparkSession, path: String): DataFrame =
    spark.read.format("lance").load(path)

  private def scans(spark: SparkSession, prefix: String): Seq[Task] = {
    def query(name: String, sql: String) = Task(
      prefix + name,
      { path =>
        load(spark, path).createOrReplaceTempView("t")
        spark.sql(sql).collect().mkString
      }
    )
    Seq(
      query("one bigint column", "SELECT max(l_orderkey), count(l_orderkey) FROM t"),
      query("one string column", "SELECT sum(octet_length(l_comment)), count(l_comment) FROM t"),
      Task(
        prefix + "all columns, no-op sink",
        { path =>
          load(spark, path).write.format("noop").mode("overwrite").save()
          ""
        }
      ),
      query(
        "few rows of a filter, four columns",
        "SELECT sum(l_extendedprice * l_discount) FROM t WHERE l_shipdate >= DATE '1994-01-01' " +
          "AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"
      ),
      query("one value of a key, all columns", "SELECT * FROM t WHERE l_partkey = 4711")
    )
  }

  private def tasks(spark: SparkSession, rows: Long): Seq[Task] = {
    val open = Task(
      "open the table",
      { path =>
        val conf = new HadoopConf(SlowFileSystem.configure(new Configuration()))
        LanceTable.open(Storage(conf), path).fragments.length.toString
      }
    )
    val takes = for {
      n <- Seq(1, 100, 1000) if n <= rows
      again <- Seq(false, true)
    } yield Task(
      s"take $n rows by _rowid, all columns${if (again) ", again" else ""}",
      { path =>
        val ids = rowIds(path, n)
        val found = load(spark, path).where(ids.mkString("_rowid IN (", ",", ")"))
        found.collect().map(_.toString).sorted.mkString
      },
      again
    )
    open +: (scans(spark, "") ++ takes)
  }

  /** Addresses spread over the table, read from the local disk. */
  private def rowIds(path: String, n: Int): Seq[Long] = {
    val local = path.stripPrefix(SlowFileSystem.path(""))
    val fragments = LanceTable.open(Storage.local, local).fragments
    (0 until n).map { i =>
      val f = fragments((i * 7919L % fragments.length).toInt)
      (f.id << 32) + ((i * 0x9e3779b97f4a7c15L) >>> 1) % f.physicalRows.get
    }
  }

  private def measure(task: Task, local: String, iterations: Int): (Measured, Double) = {
    Runs.progress(task.name)
    val expected = task.run(local)
    val slow = SlowFileSystem.path(local)
    require(task.run(slow) == expected, s"results of ${task.name} differ")
    val runs = (1 to iterations).map { _ =>
      val store = new ThrottledStore(latencyMillis, bytesPerSecond)
      SlowFileSystem.store = store
      if (!task.again) RangeCache.shared.clear()
      val millis = timed(task.run(slow))
      Measured(millis, store.requests)
    }
    val locally = (1 to iterations).map(_ => timed(task.run(local))).sorted
    (runs.sortBy(_.millis).apply(iterations / 2), locally(iterations / 2))
  }

  private def timed(run: => Any): Double = {
    val start = System.nanoTime()
    run
    (System.nanoTime() - start) / 1e6
  }

  private val title = {
    val text = f"${"task"}%-56s ${"ms"}%7s ${"MB"}%7s ${"MB/s"}%6s ${"of line"}%8s " +
      f"${"requests"}%9s ${"rounds"}%7s ${"local ms"}%9s"
    s"\n$text\n${"-" * text.length}"
  }

  private def line(name: String, measured: (Measured, Double)): String = {
    val (m, local) = measured
    f"$name%-56s ${m.millis}%7.0f ${m.bytes / 1e6}%7.1f ${m.bytes / 1e3 / m.millis}%6.1f " +
      f"${m.share * 100}%7.0f%% ${m.requests.length}%9d ${SlowRequest.rounds(m.requests)}%7d $local%9.0f"
  }
}
