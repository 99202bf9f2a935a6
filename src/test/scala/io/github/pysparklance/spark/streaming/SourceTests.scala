// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.read.streaming.Offset
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.scalatest.Suite

import io.github.pysparklance.spark.catalog.{LanceSparkTable, PathTables}
import io.github.pysparklance.spark.scan.changes.ChangeRequest
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.ChangeBound
import io.github.pysparklance.testkit.SparkErrors.Condition
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Streams of a table `lake.streamed`, with a checkpoint in the folder of the test. */
trait SourceTests extends TemporaryFolder { this: Suite =>
  protected lazy val spark: SparkSession = SharedSpark.interpreted
  protected val name = "lake.streamed"

  protected var path: String = ""

  protected def checkpoint: Path = folder.resolve("checkpoint")

  /** Returns a separate checkpoint for any values. */
  protected def other(of: Any*): Path = folder.resolve(s"c${of.hashCode}")

  protected def sql(text: String): DataFrame = spark.sql(text)

  /** Runs code with an empty table of the columns `id` and `s`. */
  protected def withTable(
      stable: Boolean = true,
      columns: String = "id BIGINT, s STRING",
      properties: String = ""
  )(body: => Any): Unit = {
    sql(s"DROP TABLE IF EXISTS $name")
    sql(
      s"CREATE TABLE $name ($columns) USING lance TBLPROPERTIES ('enableStableRowIds' = '$stable'$properties)"
    )
    path = sql(s"DESCRIBE DETAIL $name").select("location").head().getString(0)
    try body: Unit
    finally sql(s"DROP TABLE IF EXISTS $name"): Unit
  }

  protected def insert(ids: Long*): Unit =
    sql(s"INSERT INTO $name VALUES " + ids.map(i => s"($i, 's$i')").mkString(", ")): Unit

  protected def version: Long = LanceTable.open(Storage.local, path).version

  /** Returns the table as a stream. */
  protected def stream(options: (String, Any)*): DataFrame =
    spark.readStream.format("lance")
      .options(options.map { case (k, v) => k -> v.toString }.toMap).load(path)

  /** Rows as text, without times. */
  protected def text(frame: DataFrame): Seq[String] =
    frame.collect().toSeq.map(_.toSeq.filterNot(_.isInstanceOf[java.time.Instant]).mkString(","))

  /** Returns the rows of each micro-batch, until all current rows are read. */
  protected def drain(
      frame: DataFrame,
      to: Path = checkpoint,
      onBatch: Long => Unit = _ => ()
  ): Seq[Seq[String]] = run(frame, to, onBatch)._1

  /** Returns the rows of each micro-batch and the query. */
  protected def run(
      frame: DataFrame,
      to: Path = checkpoint,
      onBatch: Long => Unit = _ => ()
  ): (Seq[Seq[String]], StreamingQuery) = {
    val batches = new ConcurrentLinkedQueue[Seq[String]]
    val write: (DataFrame, Long) => Unit = (batch, id) => {
      batches.add(text(batch))
      onBatch(id)
    }
    val query = frame.writeStream
      .trigger(Trigger.AvailableNow())
      .option("checkpointLocation", to.toString)
      .foreachBatch(write)
      .start()
    try query.awaitTermination()
    finally query.stop()
    (batches.asScala.toSeq, query)
  }

  /** Returns the ids of all current rows. */
  protected def ids(frame: DataFrame, to: Path = checkpoint): Seq[Long] =
    drain(frame.select("id"), to).flatten.map(_.toLong)

  /** Returns the error that stops a query, or that the reader throws. */
  protected def problem(frame: => DataFrame, to: Path = checkpoint): StreamProblem = {
    val e = intercept[Exception](drain(frame, to))
    val ours = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
      .collectFirst { case a: AnalysisException => a }
      .getOrElse(throw e)
    StreamProblem(ours.condition, ours.getMessage)
  }

  /** Removes the commit of the last micro-batch from the checkpoint, as after a crash. */
  protected def forgetLast(): Unit = {
    val commits = checkpoint.resolve("commits")
    val last = Using.resource(Files.list(commits))(
      _.iterator.asScala.map(_.getFileName.toString).filter(_.forall(_.isDigit)).map(_.toInt).max
    )
    Files.delete(commits.resolve(last.toString))
    Files.deleteIfExists(commits.resolve(s".$last.crc")): Unit
  }

  /** Returns the table as a stream whose methods the test calls, instead of Spark. */
  protected def microBatches(options: (String, Any)*): MicroBatches = {
    val texts = options.map { case (k, v) => k -> v.toString }.toMap
    val map = new CaseInsensitiveStringMap(texts.asJava)
    val table = PathTables.ofStream(path, Map.empty).get.asInstanceOf[LanceSparkTable]
    val read: SupportsRead =
      if (!map.getBoolean("readChangeFeed", false)) table
      else table.changes(ChangeRequest(ChangeBound.Version(1), None))
    val stream = read.newScanBuilder(map).build().toMicroBatchStream(checkpoint.toString)
    new MicroBatches(stream.asInstanceOf[LanceStream])
  }
}

/** The error that stopped a stream. */
final case class StreamProblem(condition: String, message: String) {

  /** Whether the message contains a text. */
  def contains(text: String): Boolean = message.contains(text)
}

/** Calls the methods of a stream in the order of Spark. */
final class MicroBatches private[streaming] (val stream: LanceStream) {

  /** Returns the end of the micro-batch after an offset, without planning it. */
  def next(start: Offset): Offset = stream.latestOffset(start, stream.getDefaultReadLimit)

  /** Plans and commits micro-batches until all current rows are read.
    *
    * @return the last offset
    */
  def all(from: Offset = stream.initialOffset()): Offset = {
    var start = from
    var end = next(start)
    while (end != start) {
      stream.planInputPartitions(start, end): Unit
      stream.commit(end)
      start = end
      end = next(start)
    }
    end
  }

  /** Plans a micro-batch, and returns its values of the column `id`, the first one. */
  def ids(start: Offset, end: Offset): Seq[Long] = {
    val factory = stream.createReaderFactory()
    stream.planInputPartitions(start, end).toSeq.flatMap { partition =>
      val found = Seq.newBuilder[Long]
      Using.resource(factory.createColumnarReader(partition)) { reader =>
        while (reader.next()) {
          val batch = reader.get()
          (0 until batch.numRows).foreach(i => found += batch.column(0).getLong(i))
        }
      }
      found.result()
    }
  }
}
