// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy

/** A process whose session does not have the SQL extension. Reads changes of a table by name, and
  * prints the results.
  */
object PlainSession {
  private val name = "lake.t"

  /** Before the results of a read. */
  val mark: String = "read "

  /** `FOLDER` */
  def main(arguments: Array[String]): Unit = {
    val folder = arguments(0)
    val spark = SparkSession.builder().master("local[2]").appName("plain session")
      .config("spark.ui.enabled", "false")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.driver.host", "127.0.0.1")
      .config("spark.sql.catalog.lake", "io.github.pysparklance.spark.LanceCatalog")
      .config("spark.sql.catalog.lake.warehouse", s"$folder/lake")
      .getOrCreate()
    spark.sql(s"CREATE TABLE $name (id BIGINT) USING lance")
    spark.sql(s"INSERT INTO $name VALUES (1)")
    spark.sql(s"INSERT INTO $name VALUES (2), (3)")
    val reads = new Reads(spark, folder)
    reads.batch("batch", "startingVersion" -> "2")
    reads.batch("batch without start")
    reads.batch("batch of a stream", "startingVersion" -> "2", "maxRowsPerTrigger" -> "1")
    reads.stream("all")
    val limited = Seq("startingVersion" -> "2", "maxRowsPerTrigger" -> "1")
    reads.stream("from version 2", limited: _*)
    reads.stream("up to version 2", "startingVersion" -> "2", "endingVersion" -> "2")
    spark.sql(s"INSERT INTO $name VALUES (4)")
    val path = spark.sql(s"DESCRIBE EXTENDED $name").where("col_name = 'Location'")
      .select("data_type").head().getString(0)
    val table = LanceTable.open(Storage.local, path)
    table.planCleanup(CleanupPolicy(deleteUnverified = true)).run(Storage.local): Unit
    reads.stream("from version 2", limited: _*)
    reads.batch("batch of removed versions", "startingVersion" -> "2")
  }

  final private class Reads(spark: SparkSession, folder: String) {

    def batch(title: String, options: (String, String)*): Unit = show(title) {
      val frame = spark.read.option("readChangeFeed", "true").options(options.toMap).table(name)
      Seq(rows(frame))
    }

    /** Runs a query, or continues it. */
    def stream(title: String, options: (String, String)*): Unit = show(title) {
      val batches = new ConcurrentLinkedQueue[Seq[String]]
      val write: (DataFrame, Long) => Unit = (batch, _) => batches.add(rows(batch)): Unit
      val query = spark.readStream.option("readChangeFeed", "true").options(options.toMap)
        .table(name).writeStream.foreachBatch(write).trigger(Trigger.AvailableNow())
        .option("checkpointLocation", s"$folder/$title").start()
      try query.awaitTermination()
      finally query.stop()
      batches.asScala.toSeq
    }

    private def rows(frame: DataFrame): Seq[String] =
      frame.drop("_commit_timestamp").collect().map(_.toSeq.mkString(",")).toSeq.sorted

    private def show(title: String)(read: => Seq[Seq[String]]): Unit = {
      val text = Try(read) match {
        case Success(batches) => batches.map(_.mkString(" ")).mkString(" | ")
        case Failure(e) => "error: " + e.getMessage.replace('\n', ' ')
      }
      println(s"$mark$title: $text")
    }
  }
}
