// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.util.Locale

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}

/** What a schema must be like to be written.
  *
  * Source: format page of the table, "Ids and tree" and "Identity columns".
  */
object SchemaRules {

  /** Columns that every table has without storing them. */
  private val reservedNames: Set[String] = Set(
    "_rowid",
    "_rowaddr",
    "_rowoffset",
    "_row_created_at_version",
    "_row_last_updated_at_version"
  )

  /** Whether a column of a new name would hide one that every table has. Readers that compare names without case would
    * take the one for the other.
    */
  def isReserved(name: String): Boolean = reservedNames(name.toLowerCase(Locale.ROOT))

  /** Checks the schema of a new version.
    *
    * @param before the schema of the version before: its columns keep their names, reserved ones in other case too
    * @throws InvalidRequestException for names that are reserved, repeated, empty or have a dot in them, and for
    *   field ids that are repeated or missing
    */
  def checkNew(schema: Schema, before: Option[Schema] = None): Unit = {
    val names = schema.fields.map(_.name)
    val known = before.fold(Set.empty[String])(_.fields.map(_.name).toSet)
    def isTaken(n: String) = reservedNames(n) || (isReserved(n) && !known(n))
    names.find(isTaken).foreach(n => invalid(s"""the column name "$n" is reserved"""))
    names.find(_.isEmpty).foreach(_ => invalid("a column has an empty name"))
    names.find(_.contains('.')).foreach(n => invalid(s"""the column name "$n" has a dot in it"""))
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

  /** Checks that rows of one schema can be appended to a table of another: the same names and types at every
    * level, in any order. Whether fields are nullable does not matter here; the values decide.
    *
    * @throws InvalidRequestException that names the first difference
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
          s"in the table ${LogicalType.text(table.logicalType)}"
      )
    else if (table.logicalType == LogicalType.Struct)
      difference(table.children, incoming.children, path + ".")
    else
      // The names of list items and map entries are the writer's choice.
      table.children
        .zip(incoming.children)
        .iterator
        .flatMap { case (t, i) => typeDifference(t, i, s"$path.${t.name}") }
        .find(_ => true)

  private def invalid(problem: String): Nothing = throw new InvalidRequestException(problem)
}
