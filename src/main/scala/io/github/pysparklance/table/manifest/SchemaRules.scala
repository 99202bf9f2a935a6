// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util.Locale

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}

/** Rules for the schema of a new version.
  *
  * Source: format page of the table, "Ids and tree" and "Identity columns".
  */
object SchemaRules {

  /** Virtual columns of every table. */
  private val reservedNames: Set[String] = Set(
    "_rowid",
    "_rowaddr",
    "_rowoffset",
    "_row_created_at_version",
    "_row_last_updated_at_version"
  )

  /** Whether a new column name would hide a virtual column. The comparison ignores case, because
    * case-insensitive readers would confuse the two.
    */
  def isReserved(name: String): Boolean = reservedNames(name.toLowerCase(Locale.ROOT))

  /** Checks the schema of a new version.
    *
    * @param before schema of the previous version; its columns may keep names that differ from
    *   reserved ones only in case
    * @throws InvalidRequestException for reserved, duplicate, or empty names, names with a dot, and
    *   duplicate or missing field ids
    */
  def checkNew(schema: Schema, before: Option[Schema] = None): Unit = {
    val names = schema.fields.map(_.name)
    val known = before.fold(Set.empty[String])(_.fields.map(_.name).toSet)
    def isTaken(n: String) = reservedNames(n) || (isReserved(n) && !known(n))
    names.find(isTaken).foreach(n => invalid(s"""the column name "$n" is reserved"""))
    names.find(_.isEmpty).foreach(_ => invalid("the name of a column is empty"))
    names.find(_.contains('.')).foreach(n => invalid(s"""the column name "$n" contains a dot"""))
    checkUnique(names, "the table")
    schema.flatten
      .filter(_.logicalType == LogicalType.Struct)
      .foreach(f => checkUnique(f.children.map(_.name), s"""the struct "${f.name}""""))
    val ids = schema.flatten.map(_.id)
    if (ids.exists(_ < 0) || ids.distinct.length != ids.length)
      invalid(s"field ids must be unique and not negative: ${ids.mkString(", ")}")
  }

  private def checkUnique(names: Seq[String], where: String): Unit =
    names.diff(names.distinct).headOption.foreach { n =>
      invalid(s"""$where has two columns named "$n"""")
    }

  /** Checks that rows with one schema can be appended to a table with another. Names and types must
    * be equal at every level, in any order. Nullability is not compared, because the values decide.
    *
    * @throws InvalidRequestException with the first difference
    */
  def checkAppend(table: Schema, incoming: Schema): Unit =
    difference(table.fields, incoming.fields, "").foreach { d =>
      invalid(s"the schema does not match the table's: $d")
    }

  private def difference(
      table: IndexedSeq[Field],
      incoming: IndexedSeq[Field],
      prefix: String
  ): Option[String] = {
    def unknown = incoming.find(f => !table.exists(_.name == f.name)).map { f =>
      s"""the table has no column "$prefix${f.name}""""
    }
    def missing = table.find(f => !incoming.exists(_.name == f.name)).map { f =>
      s"""the column "$prefix${f.name}" is missing"""
    }
    def differing = table.iterator.flatMap { t =>
      incoming.find(_.name == t.name).flatMap(typeDifference(t, _, prefix + t.name))
    }.find(_ => true)
    unknown.orElse(missing).orElse(differing)
  }

  private def typeDifference(table: Field, incoming: Field, path: String): Option[String] =
    if (table.logicalType != incoming.logicalType)
      Some(
        s"""the column "$path" has type ${LogicalType.text(incoming.logicalType)}, """ +
          s"but ${LogicalType.text(table.logicalType)} in the table"
      )
    else if (table.logicalType == LogicalType.Struct)
      difference(table.children, incoming.children, path + ".")
    else
      // The names of list items and map entries may differ between writers.
      table.children
        .zip(incoming.children)
        .iterator
        .flatMap { case (t, i) => typeDifference(t, i, s"$path.${t.name}") }
        .find(_ => true)

  private def invalid(problem: String): Nothing = throw new InvalidRequestException(problem)
}
