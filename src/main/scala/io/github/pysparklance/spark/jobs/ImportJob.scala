// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}

/** Imports rows from any Spark source into a Lance table. All data is rewritten, because other
  * formats cannot be converted in place.
  */
private[spark] object ImportJob {

  /** How to treat an existing table. */
  sealed abstract class Mode(val text: String) extends Serializable

  /** The import modes. */
  object Mode {

    /** Fails if the table exists. */
    case object Create extends Mode("create")

    /** Appends to the table, or creates it. */
    case object Append extends Mode("append")

    /** Replaces the table, or creates it. */
    case object Replace extends Mode("replace")

    private val all = Seq(Create, Append, Replace)

    /** @throws InvalidRequestException if the mode is unknown */
    def apply(text: String): Mode = all.find(_.text.equalsIgnoreCase(text.trim)).getOrElse(
      throw new InvalidRequestException(
        s"mode '$text' of an import; there are ${all.map(_.text).mkString(", ")}"
      )
    )
  }

  /** Returns the rows of a source.
    *
    * @param source name of a table or view, or files as in SQL: `` parquet.`path` ``; if `format`
    *   is given, a path
    * @param format format of the files, if `source` is a path
    * @param options reader options
    */
  def source(
      session: SparkSession,
      source: String,
      format: Option[String] = None,
      options: Map[String, String] = Map.empty
  ): DataFrame = format match {
    case Some(f) => session.read.format(f).options(options).load(source)
    case None => session.read.options(options).table(source)
  }

  /** Runs an import.
    *
    * @param target name of the table in a Lance catalog, as in SQL
    * @param properties properties of a new table
    */
  def run(
      session: SparkSession,
      rows: DataFrame,
      target: String,
      mode: Mode = Mode.Create,
      properties: Map[String, String] = Map.empty
  ): ImportOutcome = LanceErrors.translated {
    SparkTasks.described(session.sparkContext, s"importing into $target") {
      val exists = session.catalog.tableExists(target)
      val before = if (exists && mode == Mode.Append) session.table(target).count() else 0L
      val writer = rows.writeTo(target)
      if (exists && mode == Mode.Append) writer.append()
      else {
        val made = properties.foldLeft(writer.using("lance")) { case (w, (k, v)) =>
          w.tableProperty(k, v)
        }
        if (mode == Mode.Replace) made.createOrReplace() else made.create()
      }
      ImportOutcome(session.table(target).count() - before)
    }
  }
}

/** The result of an import. */
final private[spark] case class ImportOutcome(rowsImported: Long) extends JobResult {
  def schema: StructType = ImportOutcome.schema

  def row: Row = Row(rowsImported)
}

/** The schema of the result. */
private[spark] object ImportOutcome {
  val schema: StructType = new StructType().add("rows_imported", LongType, nullable = false)
}
