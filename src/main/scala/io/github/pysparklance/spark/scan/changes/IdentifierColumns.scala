// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.{Field, InvalidRequestException, Place, Schema}
import io.github.pysparklance.table.schema.FieldPath

/** Resolves the columns that identify rows in a change feed, with the rules of the session. */
private[spark] object IdentifierColumns {

  /** Returns the names as the schema spells them. Names of columns that do not exist are returned
    * unchanged.
    *
    * @param names dotted paths with backticks where needed
    * @throws InvalidRequestException if a name matches several columns, and none exactly
    */
  def resolved(names: Seq[String], schema: Schema): Seq[String] =
    names.map(name => resolved(FieldPath.parse(name), name, schema).toString)

  private def resolved(path: FieldPath, name: String, schema: Schema): FieldPath = {
    val isSame = SQLConf.get.resolver
    var level: IndexedSeq[Field] = schema.fields
    FieldPath(path.names.map { part =>
      val found = level.filter(_.name == part) match {
        case IndexedSeq() => level.filter(f => isSame(f.name, part))
        case exact => exact
      }
      if (found.length > 1)
        throw new InvalidRequestException(
          s"the name $name matches several columns: ${found.map(_.name).mkString(", ")}; spell it as the table does",
          Place(column = Some(name))
        )
      level = found.headOption.fold(IndexedSeq.empty[Field])(_.children)
      found.headOption.fold(part)(_.name)
    })
  }
}
