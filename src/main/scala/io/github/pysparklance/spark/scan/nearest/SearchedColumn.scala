// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.index.vector.VectorColumn
import io.github.pysparklance.index.vector.search.QueryVector
import io.github.pysparklance.table.LanceTable

/** Finds the column of a search. */
private[nearest] object SearchedColumn {

  /** Finds the column of a search, and checks that the query suits it.
    *
    * @throws InvalidRequestException if there is no such column, or it has no vectors, or vectors of another dimension
    */
  def apply(table: LanceTable, fields: IndexedSeq[Field], query: NearestQuery): VectorColumn = {
    val place = Place(path = Some(table.path), version = Some(table.version))
    Place.in(place) {
      val found = query.column.fold(default(fields))(named(fields, _))
      val length = query.vectors.elements.head.length
      if (length != found.dimension)
        throw new InvalidRequestException(
          s"the query vector has $length elements, the vectors of column ${found.name} have ${found.dimension}"
        )
      query.vectors.elements.foreach(QueryVector.checkRange(found.elementType, _))
      val metric = query.parameters.metric.getOrElse(found.defaultMetric)
      if (!found.elementType.takes(metric))
        throw new UnsupportedFeatureException(
          s"metric $metric for column ${found.name}, whose elements are ${found.elementType}: it compares bits, of uint8"
        )
      found
    }
  }

  private def default(fields: IndexedSeq[Field]): VectorColumn = {
    val all = vectorsOf(fields)
    all.find(_.path == Seq("vector")).orElse(if (all.length == 1) all.headOption else None)
      .getOrElse(
        throw new InvalidRequestException(
          if (all.isEmpty) "the table has no column of vectors"
          else
            s"the table has several columns of vectors, ${all.map(_.name).mkString(", ")}: name one as vector_column"
        )
      )
  }

  private def named(fields: IndexedSeq[Field], name: String): VectorColumn = {
    val path =
      try CatalystSqlParser.parseMultipartIdentifier(name)
      catch { case _: ParseException => Seq(name) }
    val way = find(fields, path).getOrElse {
      val all = vectorsOf(fields).map(_.name)
      val hint =
        if (all.isEmpty) "it has none of vectors" else s"columns of vectors: ${all.mkString(", ")}"
      throw new InvalidRequestException(s"the table has no column $name; $hint")
    }
    VectorColumn.of(way) match {
      case Some(column) if !column.isMulti => column
      case Some(_) =>
        throw new UnsupportedFeatureException(
          s"a search in column $name, which has several vectors a row"
        )
      case None =>
        throw new InvalidRequestException(
          s"column $name is ${LogicalType.text(way.last.logicalType)}, which is no vector: a vector column is a list of fixed " +
            "size of float16, bfloat16, float32, float64, int8, or uint8"
        )
    }
  }

  /** Returns the fields of a path. */
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

  /** Returns all columns with a vector in each row. */
  private def vectorsOf(fields: IndexedSeq[Field]): Seq[VectorColumn] =
    fields.flatMap(ways(IndexedSeq.empty, _)).flatMap(VectorColumn.of(_)).filterNot(_.isMulti)

  /** Returns the paths to all fields that are not structs. */
  private def ways(around: IndexedSeq[Field], field: Field): Seq[IndexedSeq[Field]] = {
    val way = around :+ field
    if (field.logicalType == LogicalType.Struct && !field.isBlob)
      field.children.flatMap(ways(way, _))
    else Seq(way)
  }
}
