// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, FutureTask, TimeUnit}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.functions._
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.{SparkException, TaskKilledException}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{JobWatch, SharedSpark, TemporaryFolder}

/** The files and counts of write tasks after any end. */
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

  private val options = WriteOptions(None, maxRowsPerFile = 1000, maxBytesPerFile = 1L << 40)

  private def writer(task: Long): LanceDataWriter =
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

  test("a task that is killed after its commit leaves no files, because Spark drops its message") {
    for (dies <- Seq(true, false)) {
      var isKilled = false
      val writer = killable(() => isKilled)
      (0L until 2500L).foreach(id => writer.write(InternalRow(id)))
      writer.commit()
      assert(dataFiles.size == 3)
      isKilled = dies
      writer.close()
      assert(dataFiles.size == (if (dies) 0 else 3))
    }
  }

  private def killable(isKilled: () => Boolean): LanceDataWriter = new LanceDataWriter(
    Storage.local,
    path,
    schema,
    SparkTypes.structType(schema),
    FileVersion.default,
    options,
    isKilled = isKilled
  )

  test(
    "a task that is killed while it writes ends with the next batch, for any source"
  ) {
    var isKilled = false
    val writer = killable(() => isKilled)
    (0L until 2500L).foreach(id => writer.write(InternalRow(id)))
    isKilled = true
    val ended = intercept[TaskKilledException] {
      (2500L until 4000L).foreach(id => writer.write(InternalRow(id)))
    }
    assert(ended.reason == "the write was canceled")
    writer.abort()
    writer.close()
    assert(dataFiles.isEmpty)
  }

  test("long values after short ones are written before they take much memory") {
    val text = Schema(IndexedSeq(Field(0, "s", LogicalType.Utf8(large = false), nullable = true)))
    val columns = SparkTypes.structType(text)
    val writer =
      new LanceDataWriter(Storage.local, path, text, columns, FileVersion.default, options)
    val toUnsafe = UnsafeProjection.create(columns)
    def write(s: UTF8String): Unit = writer.write(toUnsafe(InternalRow(s)))
    write(null)
    (0 until 5).foreach(i => write(UTF8String.fromString(i.toString * (1 << 20))))
    assert(dataFiles.size == 1)
    writer.commit()
    writer.close()
  }

  test("of two attempts of a task, the losing one removes its files") {
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

  test("a killed attempt removes its files despite the interruption") {
    val killed = writer(1)
    (0L until 2500L).foreach(id => killed.write(InternalRow(id)))
    killed.write(InternalRow(null))
    Thread.currentThread().interrupt()
    killed.abort()
    assert(Thread.interrupted())
    assert(dataFiles.isEmpty)
  }

  test("a writer that is closed without commit or abort leaves nothing") {
    val forgotten = writer(1)
    (0L until 4096L).foreach(id => forgotten.write(InternalRow(id)))
    forgotten.close()
    assert(dataFiles.size == 4) // complete files, which may be committed
  }

  test("a job with a failed task leaves no version and no files, and can be repeated") {
    val session = spark
    import session.implicits._
    save(spark.range(0, 10, 1, 1).toDF(), "error")
    val rows = spark
      .range(0, 6000, 1, 2)
      .as[Long]
      .mapPartitions { ids =>
        ids.map { id =>
          if (id == 5999 && TasksSuite.failures.incrementAndGet() == 1) {
            TasksSuite.watch.awaitTasks(1) // the other one has reported its files to the driver
            throw new SparkException("once")
          }
          id
        }
      }
      .toDF("id")
    TasksSuite.failures.set(0)
    watched { watch =>
      // Local masters run a task once, so the remaining files are the files of any failed job.
      intercept[SparkException](watch.run(save(rows, "append", "maxRowsPerFile" -> "500")))
      watch.settled(): Unit
      assert(table.version == 1 && dataFiles == referenced)
    }
    save(rows, "append", "maxRowsPerFile" -> "500")
    assert(table.version == 2 && dataFiles == referenced)
    assert(spark.read.format("lance").load(path).count() == 6010)
  }

  test("a job that is canceled leaves no version and no files") {
    save(spark.range(0, 10, 1, 1).toDF(), "error")
    TasksSuite.stuck = new CountDownLatch(1)
    // One task ends, the other one waits until it is killed.
    val slow = udf { (id: Long) =>
      if (id == 9500) {
        TasksSuite.stuck.countDown()
        TasksSuite.never.await()
      }
      id
    }
    val rows = spark.range(0, 10000, 1, 2).select(slow(col("id")).as("id"))
    watched { watch =>
      val write = new FutureTask(() =>
        intercept[Exception](watch.run(save(rows, "append", "maxRowsPerFile" -> "1000")))
      )
      new Thread(write, "write that is canceled").start()
      watch.awaitTasks(1)
      assert(TasksSuite.stuck.await(2, TimeUnit.MINUTES))
      assert(dataFiles.size > 1 + 5)
      watch.cancel()
      assert(Iterator.iterate[Throwable](write.get(
        2,
        TimeUnit.MINUTES
      ))(_.getCause).takeWhile(_ != null).exists(
        _.getMessage.toLowerCase.contains("cancel")
      ))
      watch.settled(): Unit
      assert(dataFiles == referenced && table.version == 1)
    }
  }

  test("tasks report rows and bytes to Spark") {
    val tasks = watched { watch =>
      watch.run(save(spark.range(0, 5000, 1, 2).toDF(), "error", "maxRowsPerFile" -> "1000"))
      watch.settled().tasks.map(_.outputMetrics)
    }
    assert(tasks.map(_.recordsWritten).sum == 5000)
    assert(
      tasks.map(_.bytesWritten).sum == table.fragments.flatMap(_.files).map(_.fileSizeBytes).sum
    )
  }

  private def watched[A](body: JobWatch => A): A = JobWatch(spark.sparkContext) { watch =>
    TasksSuite.watch = watch
    body(watch)
  }
}

/** State that tasks access without serialization. */
private object TasksSuite {
  val failures = new AtomicLong
  val never = new CountDownLatch(1)
  @volatile var watch: JobWatch = null
  @volatile var stuck: CountDownLatch = null
}
