// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.SparkSession

import io.github.pysparklance.testkit.FaultyFileSystem

/** A process whose Spark repeats failed tasks. It builds vector indices while one attempt of a task
  * cannot write its file. It prints the files of the indices, the rows that searches find, and the
  * attempts of all tasks of the builds.
  */
object RepeatedTask {

  /** Precedes each line of the output: `NAME file PATH`, `NAME rows IDS`, or `NAME attempt STAGE
    * PARTITION SUCCESS`. The name is the name of the file that cannot be written.
    */
  val mark = "repeated task: "

  /** `FOLDER NAME...`: builds an index for each name of a file. */
  def main(arguments: Array[String]): Unit = {
    val folder = arguments.head
    val builder = SparkSession.builder().master("local[2,3]").appName("repeated task")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.driver.host", "127.0.0.1")
      .config("spark.log.level", "OFF")
      .config("spark.sql.extensions", "io.github.pysparklance.spark.LanceSparkSessionExtensions")
    val spark = FaultyFileSystem.settings
      .foldLeft(builder) { case (b, (k, v)) => b.config(s"spark.hadoop.$k", v) }
      .getOrCreate()
    val attempts = new Attempts
    spark.sparkContext.addSparkListener(attempts)
    arguments.tail.foreach(name => build(spark, s"$folder/$name", name))
    spark.stop() // after all events
    for {
      name <- arguments.tail
      (description, line) <- attempts.result
      if description.contains("building") && description.contains(s"$folder/$name")
    } print(name, s"attempt $line")
  }

  private def build(spark: SparkSession, path: String, name: String): Unit = {
    val table = FaultyFileSystem.path(path)
    spark.sql(
      """SELECT id, transform(sequence(1, 8), i -> float(id % 5 * 10 + hash(id, i) % 3)) AS v
        |FROM range(400)""".stripMargin
    ).write.format("lance").option("column.v.arrow.fixed-size-list.size", "8").save(table)
    FaultyFileSystem.failOnce(c => c.path.contains("/_indices/") && c.path.endsWith(name))
    spark.sql(
      s"CREATE INDEX i ON lance.`$table` USING ivf_hnsw_sq (v) " +
        "OPTIONS (num_partitions = 4, m = 8, ef_construction = 20)"
    ): Unit
    require(FaultyFileSystem.hasFailed, s"no call failed for $name")
    val indices = Path.of(path, "_indices")
    Using.resource(Files.walk(indices))(_.iterator.asScala.toIndexedSeq)
      .filter(Files.isRegularFile(_)).map(indices.relativize(_).toString).sorted
      .foreach(f => print(name, s"file $f"))
    for (more <- Seq("fast_search => true, refine_factor => 20", "use_index => false")) {
      val found = spark.sql(
        s"SELECT id FROM vector_search('$table', '[20,20,20,20,20,20,20,20]', 5, " +
          s"nprobes => 4, $more)"
      ).collect().map(_.getLong(0)).sorted
      print(name, s"rows ${found.mkString(",")}")
    }
  }

  private def print(name: String, what: String): Unit = println(s"$mark$name $what")

  /** Collects the ends of task attempts, each with the description of its job. */
  final private class Attempts extends SparkListener {
    private var descriptions = Map.empty[Int, String]
    private var ended = Vector.empty[(String, String)]

    override def onJobStart(start: SparkListenerJobStart): Unit = synchronized {
      val description = Option(start.properties.getProperty("spark.job.description")).getOrElse("")
      descriptions ++= start.stageIds.map(_ -> description)
    }

    override def onTaskEnd(end: SparkListenerTaskEnd): Unit = synchronized {
      val info = end.taskInfo
      ended :+= descriptions(end.stageId) -> s"${end.stageId} ${info.index} ${info.successful}"
    }

    def result: Seq[(String, String)] = synchronized(ended)
  }
}
