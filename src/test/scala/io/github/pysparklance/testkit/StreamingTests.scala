// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.Suite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable

/** Streams of JSON files into the Lance table `t` of the test's folder. Each file is a micro-batch.
  */
trait StreamingTests extends TemporaryFolder { this: Suite =>
  private var numFed = 0

  protected def spark: SparkSession = SharedSpark.interpreted

  protected def path: String = folder.resolve("t").toString

  protected def table: LanceTable = LanceTable.open(Storage.local, path)

  protected def input: Path = folder.resolve("in")

  protected def checkpoint: Path = folder.resolve("checkpoint")

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    // Paths are resolved with the configuration of the active session.
    SparkSession.setActiveSession(spark)
    Files.createDirectory(input): Unit
  }

  override protected def afterEach(): Unit = {
    SparkSession.setActiveSession(SharedSpark.session)
    super.afterEach()
  }

  /** Adds a file of rows, each a JSON object. */
  protected def feed(rows: String*): Unit = {
    numFed += 1
    val file = Files.write(folder.resolve("new"), rows.mkString("\n").getBytes(UTF_8))
    // The source reads files in the order of their times.
    Files.setLastModifiedTime(file, FileTime.fromMillis(1700000000000L + numFed * 1000L)): Unit
    Files.move(file, input.resolve(f"$numFed%05d.json")): Unit
  }

  /** Adds a file of rows with these ids. */
  protected def feedIds(ids: Iterable[Long]): Unit =
    feed(ids.map(i => s"""{"id": $i, "v": "v$i"}""").toSeq: _*)

  protected def source(columns: String = "id BIGINT, v STRING"): DataFrame =
    spark.readStream.schema(columns).option("maxFilesPerTrigger", 1).json(input.toString)

  protected def writer(
      rows: DataFrame,
      options: (String, String)*
  ): DataStreamWriter[Row] =
    rows.writeStream
      .format("lance")
      .option("checkpointLocation", checkpoint.toString)
      .options(options.toMap)
      .trigger(Trigger.AvailableNow())

  /** Runs a query until it has read all files. */
  protected def drain(writer: DataStreamWriter[Row], to: String = path): StreamingQuery =
    finished(writer.start(to))

  protected def finished(query: StreamingQuery): StreamingQuery =
    try {
      query.awaitTermination()
      query
    } finally query.stop()

  /** Removes the commit of a micro-batch from the checkpoint, as after a crash. */
  protected def forget(batch: Int, in: Path = checkpoint): Unit = {
    assert(Files.deleteIfExists(in.resolve(s"commits/$batch")))
    Files.deleteIfExists(in.resolve(s"commits/.$batch.crc")): Unit
  }

  protected def read: DataFrame = spark.read.format("lance").load(path)

  protected def ids: Seq[Long] = read.select("id").collect().map(_.getLong(0)).toSeq.sorted

  /** Returns the referenced and the existing data files. */
  protected def dataFiles: (Set[String], Set[String]) = {
    val named = LanceTable.versions(Storage.local, path).flatMap { v =>
      LanceTable.open(Storage.local, path, Some(v)).fragments.flatMap(_.files).map(_.path)
    }
    val data = folder.resolve("t/data").toFile.list()
    (named.toSet, Option(data).fold(Set.empty[String])(_.toSet))
  }
}
