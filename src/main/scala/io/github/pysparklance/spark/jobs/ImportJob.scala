// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}

/** Brings the rows of anything that Spark reads into a Lance table. The files are written anew: Lance files cannot be
  * made of others by renaming.
  */
private[spark] object ImportJob {

  /** What becomes of a table that is there. */
  sealed abstract class Mode(val text: String) extends Serializable

  object Mode {

    /** It is an error. */
    case object Create extends Mode("create")

    /** Rows are added to it; without one, it is made. */
    case object Append extends Mode("append")

    /** It is replaced. */
    case object Replace extends Mode("replace")

    private val all = Seq(Create, Append, Replace)

    /** @throws InvalidRequestException for another word */
    def apply(text: String): Mode = all.find(_.text.equalsIgnoreCase(text.trim)).getOrElse(
      throw new InvalidRequestException(
        s"mode '$text' of an import; there are ${all.map(_.text).mkString(", ")}"
      )
    )
  }

  /** The rows of a source.
    *
    * @param source name of a table or view, or of files as SQL has it: `` parquet.`path` ``; with a format, a path
    * @param format of the files, when `source` is a path alone
    * @param options of the reader
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

  /** @param target name of the table as SQL has it, in a catalog of Lance tables
    * @param properties of a new table
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

/** What an import brought. */
final private[spark] case class ImportOutcome(rowsImported: Long) extends JobResult {
  def schema: StructType = ImportOutcome.schema

  def row: Row = Row(rowsImported)
}

private[spark] object ImportOutcome {
  val schema: StructType = new StructType().add("rows_imported", LongType, nullable = false)
}
