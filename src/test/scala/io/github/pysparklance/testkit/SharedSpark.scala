// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.Files

import scala.util.Try

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/** One Spark session for all suites of a run: two cores, no user interface, and only the catalogs
  * of the connector that suites need.
  */
object SharedSpark {

  /** The session. It has a separate warehouse folder. */
  lazy val session: SparkSession = {
    val warehouse = Files.createTempDirectory("pyspark-lance-warehouse")
    val lance = Files.createTempDirectory("pyspark-lance-catalog")
    SparkSession
      .builder()
      .master("local[2]")
      .appName("pyspark-lance tests")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.unsafe.exceptionOnMemoryLeak", "true")
      .config("spark.sql.warehouse.dir", warehouse.toString)
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.datetime.java8API.enabled", "true")
      .config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
      .config("spark.sql.parquet.int96RebaseModeInRead", "CORRECTED")
      .config(
        "spark.sql.extensions",
        "io.github.pysparklance.spark.LanceSparkSessionExtensions"
      )
      .config("spark.sql.streaming.checkpointFileManagerClass", checkpointFiles)
      .config("spark.sql.catalog.lake", "io.github.pysparklance.spark.LanceCatalog")
      .config("spark.sql.catalog.lake.warehouse", lance.toString)
      .getOrCreate()
  }

  /** The same without generated code, which takes longer to compile than small tables take to read.
    */
  lazy val interpreted: SparkSession = newInterpreted()

  /** A new session without generated code. */
  def newInterpreted(): SparkSession = {
    val s = session.newSession()
    s.conf.set("spark.sql.codegen.wholeStage", "false")
    s.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    s
  }

  /** Spark's default class starts processes to rename local files. */
  lazy val checkpointFiles: String = {
    val streaming = "org.apache.spark.sql.execution.streaming"
    val name = "FileSystemBasedCheckpointFileManager"
    val since41 = s"$streaming.checkpointing.$name"
    if (Try(Class.forName(since41)).isSuccess) since41 else s"$streaming.$name"
  }
}

/** Formats rows as text that is equal only for equal values: floats by bits, with one NaN; null
  * differs from empty; rows and map entries in order.
  */
object ExactRows {

  /** All rows of a frame, in order. */
  def apply(frame: DataFrame): Seq[String] = frame.collect().toSeq.map(text)

  /** One row. */
  def text(row: Row): String = row.toSeq.map(value).mkString("[", ", ", "]")

  private def value(v: Any): String = v match {
    case null => "null"
    case f: Float =>
      if (f.isNaN) "f:NaN" else s"f:$f/${java.lang.Float.floatToRawIntBits(f).toHexString}"
    case d: Double =>
      if (d.isNaN) "d:NaN" else s"d:$d/${java.lang.Double.doubleToRawLongBits(d).toHexString}"
    case b: Array[Byte] => b.map(x => "%02x".format(x & 0xff)).mkString("0x", "", "")
    case s: String => "\"" + s + "\""
    case r: Row => text(r)
    case m: scala.collection.Map[_, _] =>
      m.toSeq.map { case (k, x) => s"${value(k)} -> ${value(x)}" }.mkString("{", ", ", "}")
    case s: scala.collection.Seq[_] => s.map(value).mkString("(", ", ", ")")
    case other => other.toString
  }
}
