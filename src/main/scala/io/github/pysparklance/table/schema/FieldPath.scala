// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}

/** The path from a column to a nested field, as names.
  *
  * {{{
  *   s.a            member of a struct
  *   `a.b`.c        a name with a dot in it
  *   l.element.a    member of the structs in a list; the item's name in the table's schema works as well
  *   m.key  m.value entries of a map
  * }}}
  *
  * Source: format page of the table, "Ids and tree".
  */
final case class FieldPath(names: IndexedSeq[String]) {

  /** The path without its last name; empty for a column. */
  def parent: FieldPath = FieldPath(names.dropRight(1))

  /** The last name. */
  def name: String = names.last

  /** Whether the path is empty, which denotes the table itself. */
  def isRoot: Boolean = names.isEmpty

  /** Appends a name. */
  def /(name: String): FieldPath = FieldPath(names :+ name)

  /** Returns the fields along the path, starting with the column.
    *
    * @throws InvalidRequestException if the field does not exist
    */
  def find(schema: Schema): IndexedSeq[Field] = {
    if (isRoot) throw new InvalidRequestException("an empty column name")
    names.foldLeft(IndexedSeq.empty[Field]) { (way, name) =>
      val found = FieldPath.below(way.lastOption, schema, name)
      if (found.isEmpty) {
        val siblings = way.lastOption.fold(schema.fields)(_.children).map(_.name)
        val known = if (siblings.isEmpty) "none" else siblings.mkString(", ")
        throw new InvalidRequestException(
          s"""there is no column "$this"; the columns at this level are: $known"""
        )
      }
      way ++ found
    }
  }

  override def toString: String = names.map { n =>
    if (n.nonEmpty && n.forall(c => c != '.' && c != '`')) n else s"`${n.replace("`", "``")}`"
  }.mkString(".")
}

object FieldPath {

  /** Returns a path of unquoted names. */
  def of(names: String*): FieldPath = FieldPath(names.toIndexedSeq)

  /** The empty path. */
  val root: FieldPath = FieldPath(IndexedSeq.empty)

  /** Parses names joined by dots. A name in backticks may contain any characters; backticks in it
    * are doubled.
    *
    * @throws InvalidRequestException if a quote is not closed or a name is empty
    */
  def parse(text: String): FieldPath = {
    val names = IndexedSeq.newBuilder[String]
    def invalid(why: String): Nothing =
      throw new InvalidRequestException(s"""the column name "$text" is not valid: $why""")
    var at = 0
    while (at <= text.length) {
      val name = new StringBuilder
      if (at < text.length && text(at) == '`') {
        at += 1
        var open = true
        while (open) {
          if (at >= text.length) invalid("a quote is not closed")
          else if (text(at) != '`') name += text(at)
          else if (at + 1 < text.length && text(at + 1) == '`') {
            name += '`'
            at += 1
          } else open = false
          at += 1
        }
        if (at < text.length && text(at) != '.') invalid("text follows a closing quote")
      } else
        while (at < text.length && text(at) != '.') {
          name += text(at)
          at += 1
        }
      if (name.isEmpty) invalid("a name is empty")
      names += name.toString
      at += 1
    }
    FieldPath(names.result())
  }

  /** Returns the fields that one name below `parent` refers to: usually one, two for an entry of a
    * map.
    */
  private def below(
      parent: Option[Field],
      schema: Schema,
      name: String
  ): IndexedSeq[Field] = {
    val level = parent.fold(schema.fields)(_.children)
    level.find(_.name == name) match {
      case Some(f) => IndexedSeq(f)
      case None =>
        parent.map(_.logicalType) match {
          case Some(_: LogicalType.List | _: LogicalType.FixedSizeList) if name == "element" =>
            level
          case Some(LogicalType.Map) =>
            level.flatMap { entries =>
              val position = entryNames.indexOf(name)
              if (position < 0) IndexedSeq.empty
              else IndexedSeq(entries, entries.children(position))
            }
          case _ => IndexedSeq.empty
        }
    }
  }

  private val entryNames = IndexedSeq("key", "value")
}
