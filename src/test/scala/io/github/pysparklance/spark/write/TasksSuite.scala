// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.SparkException
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** What the tasks of a write leave behind, however they end, and what they count. */
class TasksSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def save(df: DataFrame, mode: String, options: (String, String)*): Unit =
    df.write.format("lance").mode(mode).options(options.toMap).save(path)

  private def dataFiles: Set[String] = {
    val data = folder.resolve("t/data")
    if (!Files.exists(data)) Set.empty
    else data.toFile.list().toSet
  }

  private def referenced: Set[String] = table.fragments.flatMap(_.files).map(_.path).toSet

  private val schema =
    Schema(IndexedSeq(Field(0, "id", LogicalType.Integer(64, signed = true), nullable = true)))

  private def writer(task: Long): LanceDataWriter = {
    val options = WriteOptions(None, maxRowsPerFile = 1000, maxBytesPerFile = 1L << 40)
    new LanceWriterFactory(
      Storage.local,
      path,
      schema,
      SparkTypes.structType(schema),
      FileVersion.default,
      options
    )
      .createWriter(0, task)
      .asInstanceOf[LanceDataWriter]
  }

  test("of two attempts at a task, the one that loses removes its files") {
    val first = writer(1)
    val second = writer(2)
    (0L until 2500L).foreach { id =>
      first.write(InternalRow(id))
      second.write(InternalRow(id))
    }
    assert(dataFiles.size == 4)
    val won = first.commit().asInstanceOf[LanceCommitMessage]
    second.abort()
    second.close()
    first.close()
    assert(won.fragments.length == 3 && dataFiles.size == 3)
  }

  test("an attempt that is killed removes its files in spite of the interruption") {
    val killed = writer(1)
    (0L until 2500L).foreach(id => killed.write(InternalRow(id)))
    killed.write(InternalRow(null))
    Thread.currentThread().interrupt()
    killed.abort()
    assert(Thread.interrupted())
    assert(dataFiles.isEmpty)
  }

  test("a writer that is closed without a word leaves nothing") {
    val forgotten = writer(1)
    (0L until 4096L).foreach(id => forgotten.write(InternalRow(id)))
    forgotten.close()
    assert(dataFiles.size == 4) // those are complete, and nobody knows whether they are committed
  }

  test("a task that fails the first time is run again and its rows are there once") {
    val session = spark
    import session.implicits._
    save(spark.range(0, 10, 1, 1).toDF(), "error")
    val rows = spark
      .range(0, 6000, 1, 2)
      .as[Long]
      .mapPartitions { ids =>
        ids.map { id =>
          if (id == 5999 && TasksSuite.failures.incrementAndGet() == 1)
            throw new SparkException("once")
          id
        }
      }
      .toDF("id")
    TasksSuite.failures.set(0)
    // Local masters run a task once; what is left is what any failed job leaves.
    intercept[SparkException](save(rows, "append", "maxRowsPerFile" -> "500"))
    assert(table.version == 1 && dataFiles == referenced)
    save(rows, "append", "maxRowsPerFile" -> "500")
    assert(table.version == 2 && dataFiles == referenced)
    assert(spark.read.format("lance").load(path).count() == 6010)
  }

  test("a job that is cancelled leaves no version and no files") {
    save(spark.range(0, 10, 1, 1).toDF(), "error")
    val started = new CountDownLatch(1)
    TasksSuite.started = started
    val slow = udf { (id: Long) =>
      if (id == 5000) TasksSuite.started.countDown()
      if (id >= 5000) Thread.sleep(20)
      id
    }
    val rows = spark.range(0, 100000, 1, 2).select(slow(col("id")).as("id"))
    val tag = "to-be-cancelled"
    val write = Future {
      spark.sparkContext.addJobTag(tag)
      spark.sparkContext.setInterruptOnCancel(true)
      try save(rows, "append", "maxRowsPerFile" -> "1000")
      finally spark.sparkContext.removeJobTag(tag)
    }(scala.concurrent.ExecutionContext.global)
    assert(started.await(60, TimeUnit.SECONDS))
    assert(dataFiles.size > 1)
    spark.sparkContext.cancelJobsWithTag(tag)
    val e = intercept[Exception](Await.result(write, 60.seconds))
    assert(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(
      _.getMessage.toLowerCase.contains("cancel")
    ))
    val deadline = 30.seconds.fromNow
    while (dataFiles != referenced && deadline.hasTimeLeft()) Thread.sleep(50)
    assert(dataFiles == referenced && table.version == 1)
  }

  test("tasks report rows and bytes to Spark") {
    val records = new AtomicLong
    val bytes = new AtomicLong
    val listener = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = {
        records.addAndGet(end.taskMetrics.outputMetrics.recordsWritten): Unit
        bytes.addAndGet(end.taskMetrics.outputMetrics.bytesWritten): Unit
      }
    }
    spark.sparkContext.addSparkListener(listener)
    try {
      save(spark.range(0, 5000, 1, 2).toDF(), "error", "maxRowsPerFile" -> "1000")
      val deadline = 30.seconds.fromNow
      while (records.get < 5000 && deadline.hasTimeLeft()) Thread.sleep(20)
    } finally spark.sparkContext.removeSparkListener(listener)
    assert(records.get == 5000)
    assert(bytes.get == table.fragments.flatMap(_.files).map(_.fileSizeBytes).sum)
  }
}

private object TasksSuite {
  val failures = new AtomicLong
  @volatile var started: CountDownLatch = null
}
