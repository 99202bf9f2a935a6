// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{JobWatch, Pylance, SharedSpark, TemporaryFolder}

/** Runs jobs on tables of pylance, and reads the results with pylance and Spark. */
abstract class JobSuite extends AnyFunSuite with TemporaryFolder {
  protected lazy val spark: SparkSession = SharedSpark.interpreted
  private var tables = 0

  protected def fresh(): String = {
    tables += 1
    folder.resolve(s"t$tables").toString
  }

  /** A table of rows `id`, `s`, `x` in fragments with a number of rows. */
  protected def numbers(
      numRows: Int,
      rowsOfFragment: Int,
      options: (String, Any)*
  ): String = {
    val path = fresh()
    Pylance.write(
      s"[{'id': i, 's': 's%d' % (i % 7), 'x': (i * 37 % 101) / 2} for i in range($numRows)]",
      path,
      Seq("max_rows_per_file" -> rowsOfFragment) ++ options: _*
    )
    path
  }

  protected def open(path: String): LanceTable = LanceTable.open(Storage.local, path)

  protected def on(path: String): JobTable =
    JobTable(spark, TableLocation(path, Map.empty[String, String]), open(path))

  protected def read(path: String): DataFrame = spark.read.format("lance").load(path)

  protected def ids(path: String): Seq[Long] =
    Pylance.rows(path, columns = Some(Seq("id"))).map(_.get("id").asLong)

  protected def delete(path: String, where: String): Unit =
    Pylance.run("dataset(path).delete(where)", "path" -> path, "where" -> where): Unit

  /** Names of the existing data files. */
  protected def dataFiles(path: String): Set[String] = {
    val data = java.nio.file.Paths.get(path, "data")
    if (!Files.exists(data)) Set.empty
    else {
      val listed = Files.list(data)
      try listed.iterator.asScala.map(_.getFileName.toString).toSet
      finally listed.close()
    }
  }

  /** Names of the data files of the latest version. */
  protected def referenced(path: String): Set[String] =
    open(path).fragments.flatMap(_.files).map(_.path).toSet

  /** Descriptions of the jobs that `body` runs. */
  protected def jobs(body: => Unit): Seq[String] = JobWatch(spark.sparkContext) { watch =>
    watch.run(body)
    watch.settled().descriptions
  }
}
