// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}

/** Names that lead from a column down to a field below it.
  *
  * {{{
  *   s.a            member of a struct
  *   `a.b`.c        a name with a dot in it
  *   l.element.a    member of the structs in a list; the name that the table has for the item works as well
  *   m.key  m.value entries of a map
  * }}}
  *
  * Source: format page of the table, "Ids and tree".
  */
final case class FieldPath(names: IndexedSeq[String]) {

  /** Without the last name; empty for a column. */
  def parent: FieldPath = FieldPath(names.dropRight(1))

  /** The last name. */
  def name: String = names.last

  /** Whether it names nothing: the table itself. */
  def isRoot: Boolean = names.isEmpty

  /** One level further down. */
  def /(name: String): FieldPath = FieldPath(names :+ name)

  /** The fields on the way, the column first.
    *
    * @throws InvalidRequestException when there is no such field
    */
  def find(schema: Schema): IndexedSeq[Field] = {
    if (isRoot) throw new InvalidRequestException("an empty column name")
    names.foldLeft(IndexedSeq.empty[Field]) { (way, name) =>
      val found = FieldPath.below(way.lastOption, schema, name)
      if (found.isEmpty) {
        val siblings = way.lastOption.fold(schema.fields)(_.children).map(_.name).mkString(", ")
        throw new InvalidRequestException(
          s"""there is no column "$this"; beside "$name" there is ${if (siblings.isEmpty) "nothing"
            else siblings}"""
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

  /** The names of a path, none quoted. */
  def of(names: String*): FieldPath = FieldPath(names.toIndexedSeq)

  /** The path of the table itself. */
  val root: FieldPath = FieldPath(IndexedSeq.empty)

  /** Reads names joined by dots; a name in backticks may have any characters, backticks twice.
    *
    * @throws InvalidRequestException when a quote is not closed or a name is empty
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
        if (at < text.length && text(at) != '.') invalid("a quoted name goes on behind its quote")
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

  /** The fields that one name below `parent` stands for: one, or with a map's entries two. */
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
