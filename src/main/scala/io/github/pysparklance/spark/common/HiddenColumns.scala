// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.MetadataColumn

/** Finds columns whose names hide names that a plan uses. Unless the session is case-sensitive,
  * Spark ignores case, and resolves such names to the table's own column. For example, it would
  * read column values as row addresses.
  */
private[spark] object HiddenColumns {

  /** Rejects columns that hide metadata columns.
    *
    * @throws InvalidRequestException that names the column
    */
  def check(table: LanceTable, columns: MetadataColumn*): Unit =
    find(table, columns.map(_.name)).foreach { case (column, name) =>
      reject(table, column, s"hides the metadata column $name")
    }

  /** Rejects columns with names that Spark uses in the plan of a command.
    *
    * @param evolved the table with the columns that the command adds
    * @param command command for the message, such as `UPDATE`
    * @throws InvalidRequestException that names the column
    */
  def checkInternal(
      table: LanceTable,
      evolved: LanceTable,
      command: String,
      names: Seq[String]
  ): Unit =
    find(evolved, names).foreach { case (column, name) =>
      val how = s"has the name of Spark's own column $name in the plan of $command"
      if (table.schema.fields.exists(_.name == column)) reject(table, column, how)
      else
        throw new InvalidRequestException(
          s"the column $column of the source $how; rename it in the source: SELECT `$column` AS ...",
          Place(path = Some(table.path), column = Some(column))
        )
    }

  private def find(table: LanceTable, names: Seq[String]): Option[(String, String)] =
    names.iterator
      .flatMap(n => table.schema.fields.find(_.name.equalsIgnoreCase(n)).map(_.name -> n))
      .find(_ => true)

  private def reject(table: LanceTable, column: String, how: String): Nothing =
    throw new InvalidRequestException(
      s"the column $column $how, which is needed here; rename it: " +
        s"ALTER TABLE ... RENAME COLUMN `$column` TO ...",
      Place(path = Some(table.path), column = Some(column))
    )
}
