// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.testkit.FaultyFileSystem
import io.github.pysparklance.testkit.FaultyFileSystem.Fault

/** A process with a streaming query that waits to be killed. */
object KilledStream {

  /** Output when the process reached the point. */
  val ready: String = "ready"

  /** Output when the query ended before the point. */
  val ended: String = "ended"

  /** Streams of JSON files. */
  val ofFiles: Seq[String] = Seq("append", "upsert")

  /** Streams of a Lance table: all rows, the rows of each commit, and all changes. */
  val ofTable: Seq[String] = Seq("snapshot", "commits", "changes")

  /** The name of this class, to start it. */
  val className: String = getClass.getName.stripSuffix("$")

  /** `FOLDER KIND CALL before|after`: runs a query of [[KillTests]] up to one call of its storage
    * and waits there.
    */
  def main(arguments: Array[String]): Unit = {
    val Seq(folder, kind, call, when) = arguments.toSeq: @unchecked
    val spark = session(FaultyFileSystem.settings)
    FaultyFileSystem.begin(Some(Fault(call.toInt, when == "after", _ => await())))
    run(spark, folder, kind)
    println(ended)
  }

  /** Starts a session in this process.
    *
    * @param hadoop configuration of Hadoop
    */
  def session(hadoop: Map[String, String]): SparkSession = {
    val builder = SparkSession.builder().master("local[2]").appName("killed stream")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.driver.host", "127.0.0.1")
    hadoop.foldLeft(builder) { case (b, (k, v)) => b.config(s"spark.hadoop.$k", v) }.getOrCreate()
  }

  /** Runs a query from `in` to the table `t` of a folder until it has read all rows. */
  def run(spark: SparkSession, folder: String, kind: String): Unit = {
    deleteUnfinished(spark, new Path(s"$folder/checkpoint"))
    val input = s"$folder/in"
    val rows = if (ofFiles.contains(kind)) files(spark, input) else table(spark, input, kind)
    val options = if (kind == "upsert") Map("upsertKeys" -> "id") else Map.empty[String, String]
    val query = rows.writeStream
      .format("lance")
      .outputMode(if (kind == "upsert") "update" else "append")
      .option("checkpointLocation", s"$folder/checkpoint")
      .options(options)
      .trigger(Trigger.AvailableNow())
      .start(s"$folder/t")
    try query.awaitTermination()
    finally query.stop()
  }

  /** Deletes a checkpoint of a process that was killed while it wrote its first offsets. Spark does
    * not restart such a query, and its error says to delete the checkpoint. No micro-batch has run.
    */
  private def deleteUnfinished(spark: SparkSession, checkpoint: Path): Unit = {
    val files = checkpoint.getFileSystem(SessionShim.hadoopConfiguration(spark, Map.empty))
    val offsets = new Path(checkpoint, "offsets")
    if (files.exists(offsets) && !files.exists(new Path(offsets, "0")))
      files.delete(checkpoint, true): Unit
  }

  private def files(spark: SparkSession, path: String): DataFrame =
    spark.readStream.schema("id BIGINT, v STRING").option("maxFilesPerTrigger", 1)
      .json(FaultyFileSystem.local(path))

  private def table(spark: SparkSession, path: String, kind: String): DataFrame = {
    val reader = spark.readStream.format("lance")
      .option("keepUnreadVersions", "true")
      .option("maxFragmentsPerTrigger", 1)
    val begun = if (kind == "snapshot") reader else reader.option("startingVersion", 1)
    if (kind != "changes") begun.load(path)
    else
      begun.option("readChangeFeed", "true").load(path)
        .selectExpr("id", "v", "_change_type AS change", "_commit_version AS version")
  }

  private def await(): Unit = {
    println(ready)
    Thread.sleep(Long.MaxValue)
  }
}
