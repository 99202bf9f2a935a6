// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.value.Jsonb
import io.github.pysparklance.index.spi.LeafRows

/** A column of text or JSON.
  *
  * @param way path from the top-level column to the field, through structs
  * @param isList whether each row has a list of strings, whose text is the strings with spaces in
  *   between
  */
final case class TextColumn private (way: IndexedSeq[Field], isList: Boolean) {

  /** The field with the text or list. */
  def field: Field = way.last

  /** Whether the column contains JSON. */
  def isJson: Boolean = field.isJson

  /** The parameters of the analyzer of the column if it has no index. */
  def defaultParameters: AnalyzerParameters = AnalyzerParameters.default.copy(isJson = isJson)

  /** Names from the top-level column to the field. */
  def path: IndexedSeq[String] = way.map(_.name)

  /** The dotted name. */
  def name: String = path.mkString(".")

  /** The top-level column without other fields than this one. */
  def pruned: Field =
    way.init.foldRight(way.last)((parent, child) => parent.copy(children = IndexedSeq(child)))

  /** Returns the texts of the rows of a batch of [[pruned]]: null for rows without text. */
  def texts(column: Column): Int => String = column match {
    case _: NullColumn => _ => null
    case struct: StructColumn if struct.children.length == 1 =>
      val inside = texts(struct.children.head)
      row => if (struct.isNull(row)) null else inside(row)
    case list: ListColumn if isList =>
      val items = texts(list.items)
      row => if (list.isNull(row)) null else joined(items, list.offsets(row), list.offsets(row + 1))
    case leaf =>
      val rows = LeafRows.of(leaf)
      rows.values match {
        case v: BinaryValues => row => if (rows.isNull(row)) null else text(v, rows.at(row))
        case other =>
          throw new CorruptFileException(
            s"column $name has no strings: ${other.getClass.getSimpleName}"
          )
      }
  }

  /** Returns the elements of the lists of a batch of [[pruned]]: the empty text for null elements,
    * and no elements for null lists.
    */
  def elements(column: Column): Int => Iterator[String] = column match {
    case struct: StructColumn if struct.children.length == 1 =>
      val inside = elements(struct.children.head)
      row => if (struct.isNull(row)) Iterator.empty else inside(row)
    case list: ListColumn if isList =>
      val items = texts(list.items)
      row =>
        if (list.isNull(row)) Iterator.empty
        else
          (list.offsets(row) until list.offsets(row + 1)).iterator
            .map(i => TextColumn.element(items(i)))
    case _: NullColumn => _ => Iterator.empty
    case other =>
      throw new CorruptFileException(s"column $name has no lists: ${other.getClass.getSimpleName}")
  }

  private def text(values: BinaryValues, at: Int): String = {
    val (from, until) = (values.offsets(at), values.offsets(at + 1))
    if (isJson) new String(Jsonb.text(values.bytes, from, until), UTF_8)
    else new String(values.bytes, from, until - from, UTF_8)
  }

  private def joined(items: Int => String, from: Int, until: Int): String =
    TextColumn.joined((from until until).iterator.map(items))
}

object TextColumn {

  /** Returns the text of an element of a list, which is empty for a null. */
  def element(string: String): String = if (string == null) "" else string

  /** Returns the text of a list of strings, without nulls. */
  def joined(strings: Iterator[String]): String = {
    val text = new StringBuilder
    strings.filter(_ != null).foreach { s =>
      // The reference adds no space behind empty strings at the start.
      if (text.nonEmpty) text.append(" "): Unit
      text.append(s)
    }
    text.toString
  }

  /** Returns the column of a field, or `None` if it does not contain text. */
  def of(schema: Schema, fieldId: Int): Option[TextColumn] =
    schema.way(fieldId).flatMap(of)

  /** Returns the column of the last field of a path, or `None` if it does not hold text.
    *
    * @param way path from the top-level column, through structs
    */
  def of(way: IndexedSeq[Field]): Option[TextColumn] =
    if (way.init.exists(_.logicalType != LogicalType.Struct)) None
    else
      way.last.logicalType match {
        case LogicalType.Utf8(_) => Some(new TextColumn(way, isList = false))
        case _ if way.last.isJson => Some(new TextColumn(way, isList = false))
        case LogicalType.List(_, _)
            if way.last.children.length == 1 && isText(way.last.children.head) =>
          Some(new TextColumn(way, isList = true))
        case _ => None
      }

  private def isText(field: Field): Boolean = field.logicalType match {
    case LogicalType.Utf8(_) => true
    case _ => false
  }
}
