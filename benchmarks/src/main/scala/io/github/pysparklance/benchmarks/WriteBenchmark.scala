// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.{Files, Path}

import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Writes of TPC-H lineitem and of vectors through Spark: Lance beside Spark's Parquet, everything by default.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.WriteBenchmark \
  *     --lineitem FILE.parquet --embeddings FILE.parquet --work DIR --out FILE [--iterations 5] [--cores 2]"
  * }}}
  * Reading the source is part of every time; what it takes alone is measured beside, and the last column is without it.
  * Every copy is read once and its rows are counted before anything is timed.
  */
object WriteBenchmark {
  private val formats = Seq("parquet", "lance")
  private val sourceOnly = "source only"

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val iterations = options.getOrElse("iterations", "5").toInt
    val cores = options.getOrElse("cores", "2")
    val work = Path.of(options("work")).toAbsolutePath
    val out = Path.of(options("out"))
    val spark = Runs.session("write benchmark", cores)
    try {
      var timings = Seq.empty[Timing]
      var sizes = Seq.empty[(String, String)]
      for (name <- Seq("lineitem", "embeddings"); file <- options.get(name)) {
        val source = read(spark, file)
        sizes ++= formats.map(f => s"$name, $f" -> checked(source, work.resolve(s"$name.$f"), f))
        timings ++= writes(name, source, work, iterations)
        val head = Results.header(
          "Writes through Spark",
          Seq(
            "spark" -> s"${spark.version}, local[$cores]",
            "iterations" -> s"$iterations, after 2 warm-ups"
          ) ++ sizes: _*
        )
        Results.write(out, head + "\n" + Results.table(timings, "parquet", Some(sourceOnly)))
      }
      println(Files.readString(out))
    } finally spark.stop()
  }

  /** The source; a list of floats is a vector. */
  private def read(spark: SparkSession, file: String): DataFrame = {
    val frame = spark.read.parquet(file)
    if (!frame.columns.contains("vector")) frame
    else {
      val dimension = frame.selectExpr("size(vector)").head().getInt(0)
      val metadata = new MetadataBuilder().putLong("arrow.fixed-size-list.size", dimension.toLong)
      frame.withColumn("vector", frame("vector").as("vector", metadata.build()))
    }
  }

  private def checked(source: DataFrame, path: Path, format: String): String = {
    Runs.progress(s"writing ${path.getFileName}")
    Runs.clear(path)
    source.write.format(format).save(path.toString)
    val found = source.sparkSession.read.format(format).load(path.toString).count()
    require(found == source.count(), s"$found rows in $path")
    f"${Runs.sizeOf(path) / 1e6}%.1f MB"
  }

  private def writes(
      name: String,
      source: DataFrame,
      work: Path,
      iterations: Int
  ): Seq[Timing] = {
    val runs = formats.map { format =>
      val path = work.resolve(s"$name.$format")
      format -> { () =>
        Runs.clear(path) // a Lance table would keep every version
        source.write.format(format).save(path.toString)
      }
    }
    val read = sourceOnly -> { () => source.write.format("noop").mode("overwrite").save() }
    Runs.measure(s"write $name", runs :+ read, iterations)
  }
}
