// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType}

/** Finds columns by their names: dotted paths with backquotes where needed. */
private[scan] object ColumnPaths {

  /** Returns the fields from the top-level column to the named field.
    *
    * @param kind plural noun for the columns that a search can use, for errors
    * @param usable names of these columns
    * @throws InvalidRequestException if the column does not exist
    */
  def required(fields: IndexedSeq[Field], name: String, kind: String)(
      usable: => Seq[String]
  ): IndexedSeq[Field] = find(fields, name).getOrElse {
    val all = usable
    val hint = if (all.isEmpty) s"it has no $kind" else s"its $kind are ${all.mkString(", ")}"
    throw new InvalidRequestException(s"the table has no column $name; $hint")
  }

  private def find(fields: IndexedSeq[Field], name: String): Option[IndexedSeq[Field]] = {
    val path =
      try CatalystSqlParser.parseMultipartIdentifier(name)
      catch { case _: ParseException => Seq(name) }
    find(fields, path).orElse(find(fields, Seq(name)))
  }

  private def find(fields: IndexedSeq[Field], path: Seq[String]): Option[IndexedSeq[Field]] = {
    val same = SQLConf.get.resolver
    val field =
      fields.find(_.name == path.head).orElse(fields.filter(f => same(f.name, path.head)) match {
        case IndexedSeq(one) => Some(one)
        case _ => None
      })
    field.flatMap { f =>
      if (path.length == 1) Some(IndexedSeq(f))
      else if (f.logicalType != LogicalType.Struct) None
      else find(f.children, path.tail).map(f +: _)
    }
  }

  /** Returns the paths to all fields that are not structs. */
  def all(fields: IndexedSeq[Field]): Seq[IndexedSeq[Field]] =
    fields.flatMap(all(IndexedSeq.empty, _))

  private def all(around: IndexedSeq[Field], field: Field): Seq[IndexedSeq[Field]] = {
    val way = around :+ field
    if (field.logicalType == LogicalType.Struct && !field.isBlob)
      field.children.flatMap(all(way, _))
    else Seq(way)
  }
}
