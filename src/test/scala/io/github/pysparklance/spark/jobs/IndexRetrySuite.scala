// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.FaultyFileSystem.Fault
import io.github.pysparklance.testkit.{
  FaultyFileSystem,
  JobWatch,
  OtherJvm,
  TemporaryFolder,
  TestRun
}

/** Spark repeats a failed task attempt of an index build. Runs in a separate JVM, because other
  * suites use a session that does not repeat tasks.
  */
class IndexRetrySuite extends AnyFunSuite with TemporaryFolder {

  test("only the failed attempt of an index build is repeated, and leaves no files") {
    val all =
      for (kind <- Seq("BTREE", "BITMAP"); time <- Seq("before", "after")) yield s"$kind-$time"
    val cases = TestRun.sample(1, all)
    val main = RetriedBuilds.getClass.getName.stripSuffix("$")
    val process = OtherJvm.startSpark(main, folder.toString +: cases: _*)
    val found =
      try OtherJvm.lines(process).filter(_.startsWith(RetriedBuilds.mark)).toSeq
      finally process.destroy()
    assert(found.map(_.stripPrefix(RetriedBuilds.mark)) ==
      cases.map(name => s"$name: 1 more task, 1 row, no other files"))
  }
}

/** Builds indices, with one failing attempt each: before it stores a file, or after that. */
private object RetriedBuilds {
  val mark = "index: "
  private val numRows = 200000

  def main(arguments: Array[String]): Unit = {
    val builder = SparkSession.builder().master("local[2,3]").config("spark.ui.enabled", "false")
      .config("spark.driver.host", "localhost")
      .config("spark.sql.extensions", "io.github.pysparklance.spark.LanceSparkSessionExtensions")
    FaultyFileSystem.settings.foreach { case (key, value) => builder.config(key, value) }
    val spark = builder.getOrCreate()
    try
      arguments.tail.foreach { name =>
        val index =
          if (name.startsWith("BTREE")) "BTREE (id) WITH (rows_per_range = 50000)"
          else "BITMAP (few)"
        def in(folder: String): Path = Paths.get(arguments.head, folder)
        val intact = build(spark, in(s"$name-intact"), index, None)
        val built = build(spark, in(name), index, Some(Fault(1, name.endsWith("after"))))
        println(
          s"$mark$name: ${built.numTasks - intact.numTasks} more task, ${built.numRows} row, " +
            (if (built.others.isEmpty) "no other files" else built.others.mkString(", "))
        )
      }
    finally spark.stop()
  }

  /** @param numTasks tasks of the build, including failed attempts
    * @param numRows rows that a query finds
    * @param others files of indices that the manifest does not name
    */
  private case class Built(numTasks: Int, numRows: Long, others: Seq[Path])

  private def build(
      spark: SparkSession,
      local: Path,
      index: String,
      fault: Option[Fault]
  ): Built = {
    val path = FaultyFileSystem.path(local.toString)
    spark.range(0, numRows.toLong, 1, 1).selectExpr("id", "id % 100 AS few").write.format("lance")
      .option("maxRowsPerFile", (numRows / 4).toString).save(path)
    FaultyFileSystem.begin(fault)
    val numTasks = JobWatch(spark.sparkContext) { watch =>
      watch.run(spark.sql(s"ALTER TABLE lance.`$path` CREATE INDEX i USING $index"))
      watch.settled().tasks.length
    }
    FaultyFileSystem.begin()
    val found = spark.read.format("lance").load(path).where("id = 77 AND few = 77").count()
    val segment = LanceTable.open(Storage.local, local.toString).indices.head
    val indices = local.resolve("_indices")
    val own =
      segment.fileSizes.keySet.map(indices.resolve(segment.uuid.toString).resolve(_: String))
    Built(numTasks, found, files(indices).filterNot(own))
  }

  private def files(folder: Path): Seq[Path] = {
    val found = Files.walk(folder)
    try found.iterator.asScala.filter(Files.isRegularFile(_)).toIndexedSeq
    finally found.close()
  }
}
