// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.floor

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.github.pysparklance.core.Optional

/** @param where condition for the rows of the source; all rows if `None`
  * @param keep number of batches of each partition of the source; all if `None`
  */
final private case class FloorKey(
    source: String,
    format: String,
    where: Option[String],
    keep: Option[Int]
)

/** Cached data of a source: its schema, the rows of its batches, and the vectors of the columns
  * requested so far.
  */
final private class FloorData(val key: FloorKey) {
  import FloorData._

  private val (fullSchema, fullBytes) = {
    val source = read()
    (source.schema, source.queryExecution.optimizedPlan.stats.sizeInBytes.toLong)
  }
  private var layout: Option[Layout] = None
  private val vectors = new ConcurrentHashMap[String, Array[ColumnVector]]

  def schema: StructType = fullSchema

  /** Spark's rule for the size of a projection: the share of a row that the columns take. */
  def estimatedBytes(columns: StructType): Long =
    (BigInt(fullBytes) * (8 + columns.defaultSize) / (8 + schema.defaultSize)).toLong.max(1)

  def numPartitions: Int = synchronized(layout.fold(0)(_.numPartitions))
  def numBatchesKept: Int = synchronized(layout.fold(0)(_.keptRows.length))

  /** Creates vectors for columns without vectors. */
  def load(columns: StructType): Unit = synchronized {
    val missing = StructType(columns.filterNot(c => vectors.containsKey(c.name)))
    if (missing.nonEmpty || layout.isEmpty) {
      val made = materialize(missing)
      // all columns of a batch must have the same rows
      if (layout.exists(_ != made)) {
        vectors.clear()
        layout = None
        load(columns)
      } else layout = Some(made)
    }
  }

  /** Batches of one partition of the scan: an equal share of them, in the order of the source. */
  def batches(columns: StructType, partition: Int): Iterator[ColumnarBatch] = {
    val rows = synchronized(layout).getOrElse(throw new IllegalStateException("not loaded"))
    val taken = columns.fieldNames.map(vectors.get(_))
    def batch(at: Int, numRows: Int): ColumnarBatch = new KeptBatch(taken.map(_(at)), numRows)
    def share(n: Long, i: Int): Long = n * i / rows.numPartitions
    if (key.keep.isEmpty) {
      val n = rows.keptRows.length.toLong
      Iterator.range(share(n, partition).toInt, share(n, partition + 1).toInt)
        .map(i => batch(i, rows.keptRows(i)))
    } else {
      val first = share(rows.numRows, partition)
      val numRows = share(rows.numRows, partition + 1) - first
      val whole = rows.keptRows.indices.filter(rows.keptRows(_) == BatchRows)
      val pool = if (whole.isEmpty) rows.keptRows.indices else whole
      val size = if (whole.isEmpty) rows.keptRows.reduceOption(_ min _).getOrElse(1) else BatchRows
      Iterator.iterate(0L)(_ + size).takeWhile(_ < numRows).map { at =>
        batch(pool(((first + at) / size % pool.length).toInt), (numRows - at).min(size).toInt)
      }
    }
  }

  private def read(): DataFrame = {
    val all = SparkSession.active.read.format(key.format).load(key.source)
    key.where.fold(all)(all.where)
  }

  private def materialize(columns: StructType): Layout = {
    val rdd = read().select(columns.fieldNames.toSeq.map(n => col(s"`$n`")): _*)
      .queryExecution.toRdd
    val keep = key.keep.getOrElse(Int.MaxValue)
    val configuration = SQLConf.get.getAllConfs ++ TightVectors
    val job = key
    val counts = rdd.mapPartitionsWithIndex { (index, iterator) =>
      val conf = new SQLConf
      configuration.foreach { case (name, value) => conf.setConfString(name, value) }
      val batches = SQLConf.withExistingConf(conf) {
        Vectors.of(iterator.asJava, columns, BatchRows, keep).asScala.toArray
      }
      handed.put((job, index), batches.take(keep))
      Iterator.single(batches.map(_.numRows))
    }.collect()
    val kept = counts.indices.toArray.flatMap(i => handed.remove((job, i)))
    columns.fieldNames.zipWithIndex.foreach { case (name, c) =>
      vectors.put(name, kept.map(_.columns()(c)))
    }
    Layout(
      rdd.getNumPartitions,
      counts.map(_.map(_.toLong).sum).sum,
      kept.map(_.numRows).toIndexedSeq
    )
  }
}

private object FloorData {

  /** The same as in Spark's Parquet reader. */
  val BatchRows = 4096

  /** @param keptRows kept rows of each kept batch */
  final private case class Layout(numPartitions: Int, numRows: Long, keptRows: IndexedSeq[Int])

  private val all = new ConcurrentHashMap[FloorKey, FloorData]

  /** Passes vectors from tasks to the driver, which runs in the same process. */
  private val handed = new ConcurrentHashMap[(FloorKey, Int), Array[Vectors.Rows]]

  /** Vectors whose arrays of bytes and elements grow by 10 % instead of doubling. */
  private val TightVectors = Map(
    SQLConf.VECTORIZED_HUGE_VECTOR_THRESHOLD.key -> "1",
    SQLConf.VECTORIZED_HUGE_VECTOR_RESERVE_RATIO.key -> "1.1"
  )

  def of(key: FloorKey): FloorData = all.computeIfAbsent(key, new FloorData(_))

  def of(options: CaseInsensitiveStringMap): FloorData = {
    val source = Option(options.get("source"))
      .getOrElse(throw new IllegalArgumentException("the floor needs the option source"))
    val keep = Optional.when(options.getBoolean("repeat", false))(options.getInt("batches", 64))
    val where = Option(options.get("where"))
    of(FloorKey(source, options.getOrDefault("format", "parquet"), where, keep))
  }

  /** Releases the memory immediately, so that the page cache can use it for files of other systems.
    */
  def clear(): Unit = {
    all.clear()
    System.gc()
  }

  def numBatchesKept: Int = all.values.asScala.map(_.numBatchesKept).sum
}
