// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.nio.{IntBuffer, LongBuffer}

import org.apache.spark.TaskContext
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.ArrowArray
import io.github.pysparklance.spark.vectors.LanceBatch
import io.github.pysparklance.testkit.{
  ExactRows,
  PoisonedArrays,
  SharedSpark,
  TemporaryFolder,
  TestRun
}

/** The memory that a scan registers with its task, and batches for engines that read Arrow arrays.
  */
class TaskMemorySuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  import TaskMemorySuite._

  private lazy val spark = SharedSpark.session
  private def save(): DataFrame = {
    val path = folder.resolve("t").toString
    spark
      .range(0, 20000, 1, 2)
      .selectExpr("id", "id % 5 AS k", "repeat(cast(id AS string), 40) AS text")
      .write
      .format("lance")
      .save(path)
    spark.read.format("lance").load(path)
  }

  private def scan(frame: DataFrame): BatchScanExec =
    collect(frame.queryExecution.executedPlan) { case b: BatchScanExec => b }.head

  test("a task reserves the memory of its scan, and releases it at the end") {
    val used = save().queryExecution.toRdd.mapPartitions { rows =>
      val first = rows.hasNext // reads a batch
      val during = reserved
      Iterator((during, if (first) rows.length else 0))
    }.collect()
    assert(used.map(_._2).sum == 20000)
    assert(used.forall(_._1 >= (1 << 20)), used.toSeq)
  }

  test("a scan whose query ends early releases its memory") {
    // SharedSpark fails tasks that end with reserved memory
    val frame = save()
    assert(frame.limit(3).collect().length == 3)
    assert(frame.where("id % 7 = 1").take(2).length == 2)
  }

  test("batches have Arrow arrays: views of whole batches, copies of selected rows") {
    def sums(frame: DataFrame): Seq[(Long, Long)] =
      scan(frame).executeColumnar().mapPartitions { batches =>
        batches.map { batch =>
          val b = batch.asInstanceOf[LanceBatch]
          val Some(ids: LongBuffer) = b.arrow(0).buffers(1): @unchecked
          val sum = (0 until b.numRows).map(ids.get(_)).sum
          (sum, lengths(b.arrow(1)))
        }
      }.collect().toSeq
    def expected(keeps: Long => Boolean): (Long, Long) = {
      val ids = (0L until 20000L).filter(keeps)
      (ids.sum, ids.map(_.toString.length * 40L).sum)
    }
    def total(found: Seq[(Long, Long)]) = (found.map(_._1).sum, found.map(_._2).sum)
    val frame = save()
    val columns = Seq("id", "text").map(frame(_))
    assert(total(sums(frame.select(columns: _*))) == expected(_ => true))
    val some = frame.where("k = 2 AND id < 15000").select(columns: _*)
    assert(total(sums(some)) == expected(id => id % 5 == 2 && id < 15000))
  }

  test("queries on long values read no released arrays, as rows and as batches") {
    val vectors = folder.resolve("v").toString
    val numRows = if (TestRun.isLong) 3000L else 1200L
    val values = spark.range(0, numRows, 1, 1).selectExpr(
      "id",
      "transform(sequence(1, 300), x -> float(hash(id * 1000 + x))) AS v",
      "array_join(transform(sequence(1, 60), x -> sha2(string(id * 100 + x), 256)), '') AS text"
    )
    val fixed = new org.apache.spark.sql.types.MetadataBuilder()
      .putLong("arrow.fixed-size-list.size", 300L)
      .build()
    values.withMetadata("v", fixed).write.format("lance").save(vectors)
    val queries = Seq[DataFrame => DataFrame](
      _.orderBy("id"),
      _.where("id % 100 = 3").orderBy("id"),
      _.selectExpr("max(text)", "max_by(v, id)")
    )
    val expected = queries.map(query => ExactRows(query(values)))
    val returned = PoisonedArrays.during {
      for (asRows <- Seq(true, false)) {
        val read = spark.read
          .format("lance")
          .option("embeddingsAsRows", asRows)
          .option("windowBytes", "512k")
          .load(vectors)
        queries.zip(expected).foreach { case (query, rows) =>
          assert(ExactRows(query(read)) == rows)
        }
      }
    }
    assert(returned > 10)
  }
}

private object TaskMemorySuite {

  /** Bytes of the task in its memory manager, which is private to Spark. */
  def reserved: Long = classOf[TaskContext]
    .getMethod("taskMemoryManager")
    .invoke(TaskContext.get())
    .asInstanceOf[TaskMemoryManager]
    .getMemoryConsumptionForThisTask

  /** Bytes of strings. */
  def lengths(array: ArrowArray): Long = array.buffers(1) match {
    case Some(offsets: IntBuffer) if array.dictionary.isEmpty =>
      (offsets.get(array.length) - offsets.get(0)).toLong
    case Some(indices: IntBuffer) =>
      val Some(offsets: IntBuffer) = array.dictionary.get.buffers(1): @unchecked
      (0 until array.length).map { i =>
        (offsets.get(indices.get(i) + 1) - offsets.get(indices.get(i))).toLong
      }.sum
    case other => throw new IllegalArgumentException(s"$other")
  }
}
