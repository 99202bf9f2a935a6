// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger

import io.github.pysparklance.testkit.FaultyFileSystem
import io.github.pysparklance.testkit.FaultyFileSystem.Fault

/** A process with a streaming query that waits to be killed. */
object KilledStream {

  /** Output when the process reached the point. */
  val ready: String = "ready"

  /** Output when the query ended before the point. */
  val ended: String = "ended"

  /** `FOLDER append|upsert CALL before|after`: runs the query of [[SinkKillSuite]] up to one call of
    * its storage and waits there.
    */
  def main(arguments: Array[String]): Unit = {
    val Seq(folder, mode, call, when) = arguments.toSeq: @unchecked
    val builder = SparkSession.builder().master("local[2]").appName("killed stream")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.driver.host", "127.0.0.1")
    val spark = FaultyFileSystem.settings
      .foldLeft(builder) { case (b, (k, v)) => b.config(s"spark.hadoop.$k", v) }
      .getOrCreate()
    FaultyFileSystem.begin(Some(Fault(call.toInt, when == "after", _ => await())))
    run(spark, folder, mode == "upsert")
    println(ended)
  }

  /** Runs the query until it has read all files. */
  def run(spark: SparkSession, folder: String, upserts: Boolean): Unit = {
    val options = if (upserts) Map("upsertKeys" -> "id") else Map.empty[String, String]
    val query = spark.readStream
      .schema("id BIGINT, v STRING")
      .option("maxFilesPerTrigger", 1)
      .json(s"$folder/in")
      .writeStream
      .format("lance")
      .outputMode(if (upserts) "update" else "append")
      .option("checkpointLocation", FaultyFileSystem.path(s"$folder/checkpoint"))
      .options(options)
      .trigger(Trigger.AvailableNow())
      .start(FaultyFileSystem.path(s"$folder/t"))
    try query.awaitTermination()
    finally query.stop()
  }

  private def await(): Unit = {
    println(ready)
    Thread.sleep(Long.MaxValue)
  }
}
