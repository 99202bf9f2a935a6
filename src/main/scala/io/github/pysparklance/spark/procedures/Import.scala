// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.jobs.{ImportJob, ImportOutcome}
import io.github.pysparklance.spark.shim.ProcedureArgument
import io.github.pysparklance.spark.sql.{CommittingCommand, TableCommand, TableTarget}

/** Imports rows from any Spark source. */
private[spark] object Import
    extends LanceProcedure(
      "import",
      "Writes the rows of a table, a view, or files of any format to a Lance table.",
      LanceProcedure.required(
        "source",
        StringType,
        "name of a table or view, or files: `` parquet.`/data/files` ``; with `format`, a path"
      ),
      LanceProcedure.required("table", StringType, "name or path of the table"),
      LanceProcedure.optional("format", StringType, "format of the files at the path"),
      ProcedureArgument(
        "mode",
        StringType,
        "what to do if the table exists: `create` fails, `append` adds rows, `replace` replaces the table",
        Some("'create'")
      ),
      LanceProcedure.optional("options", LanceProcedure.textMap, "options of the read"),
      LanceProcedure.optional("properties", LanceProcedure.textMap, "properties of a new table")
    ) {

  override def command(call: Arguments): TableCommand = ImportCommand(
    call.needed("source"),
    call.text("format"),
    call.newTable("table"),
    call.needed("mode"),
    call.map("options"),
    call.map("properties")
  )
}

/** Runs `import`.
  *
  * @param source see [[ImportJob.source]]
  */
final private[spark] case class ImportCommand(
    source: String,
    format: Option[String],
    table: Seq[String],
    mode: String,
    options: Map[String, String],
    properties: Map[String, String]
) extends CommittingCommand(ImportOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val wanted = ImportJob.Mode(mode)
    val read = ImportJob.source(session, source, format, options)
    Seq(ImportJob.run(session, read, TableTarget(table).toString, wanted, properties).row)
  }
}
