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
import io.github.pysparklance.testkit.{FaultyFileSystem, JobWatch, OtherJvm, TemporaryFolder}

/** Spark repeats a failed task attempt of an index build. Runs in a separate JVM, because other
  * suites use a session that does not repeat tasks.
  */
class IndexRetrySuite extends AnyFunSuite with TemporaryFolder {

  test("only the failed attempt of an index build is repeated, and leaves no files") {
    val main = RetriedBuilds.getClass.getName.stripSuffix("$")
    val process = OtherJvm.startSpark(main, folder.toString)
    val found =
      try OtherJvm.lines(process).filter(_.startsWith(RetriedBuilds.mark)).toSeq
      finally process.destroy()
    val expected = for (kind <- Seq("BTREE", "BITMAP"); fault <- Seq("before", "after"))
      yield s"$kind, failed $fault it stored a file: 1 more task, 1 row, no other files"
    assert(found.map(_.stripPrefix(RetriedBuilds.mark)) == expected)
  }
}

/** Builds indices, with one failing attempt each. */
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
      for {
        (kind, column) <- Seq("BTREE" -> "id", "BITMAP" -> "few")
        options = if (kind == "BTREE") "WITH (rows_per_range = 50000)" else ""
        intact = build(spark, Paths.get(arguments(0), kind), s"$kind ($column) $options", None)
        isAfter <- Seq(false, true)
      } {
        val local = Paths.get(arguments(0), s"$kind-$isAfter")
        val built = build(spark, local, s"$kind ($column) $options", Some(Fault(1, isAfter)))
        println(
          s"$mark$kind, failed ${if (isAfter) "after" else "before"} it stored a file: " +
            s"${built.numTasks - intact.numTasks} more task, ${built.numRows} row, " +
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
