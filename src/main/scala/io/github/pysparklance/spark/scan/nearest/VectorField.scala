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
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.search.QueryVector
import io.github.pysparklance.spark.filter.FieldPaths
import io.github.pysparklance.table.LanceTable

/** A column of vectors that is searched.
  *
  * @param path of names from the column down through structs
  * @param field with the vectors
  * @param column the field at the top, cut down to the vectors
  */
final private[nearest] case class VectorField(
    path: Seq[String],
    field: Field,
    column: Field,
    element: ElementType,
    dimension: Int
) {

  /** Positions from `column` down to the vectors. */
  def positions: List[Int] = List.fill(path.length - 1)(0)

  /** The metric that the reference uses where none is given. */
  def defaultMetric: Metric = if (element == ElementType.UInt8) Metric.Hamming else Metric.L2

  def name: String = path.mkString(".")
}

private[nearest] object VectorField {

  /** Finds the column of a search, and checks that the query suits it.
    *
    * @throws InvalidRequestException if there is no such column, or it has no vectors, or vectors of another dimension
    */
  def apply(table: LanceTable, fields: IndexedSeq[Field], query: NearestQuery): VectorField = {
    val place = Place(path = Some(table.path), version = Some(table.version))
    Place.in(place) {
      val found = query.column.fold(default(fields))(named(fields, _))
      val length = query.vectors.elements.head.length
      if (length != found.dimension)
        throw new InvalidRequestException(
          s"the query vector has $length elements, the vectors of column ${found.name} have ${found.dimension}"
        )
      query.vectors.elements.foreach(QueryVector.checkRange(found.element, _))
      val metric = query.parameters.metric.getOrElse(found.defaultMetric)
      if (!found.element.takes(metric))
        throw new UnsupportedFeatureException(
          s"metric $metric for column ${found.name}, whose elements are ${found.element}: it compares bits, of uint8"
        )
      found
    }
  }

  private def default(fields: IndexedSeq[Field]): VectorField = {
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

  private def named(fields: IndexedSeq[Field], name: String): VectorField = {
    val path =
      try CatalystSqlParser.parseMultipartIdentifier(name)
      catch { case _: ParseException => Seq(name) }
    val way = find(fields, path).getOrElse {
      val all = vectorsOf(fields).map(_.name)
      val hint =
        if (all.isEmpty) "it has none of vectors" else s"columns of vectors: ${all.mkString(", ")}"
      throw new InvalidRequestException(s"the table has no column $name; $hint")
    }
    of(fields, way).getOrElse {
      val field = FieldPaths.find(fields, way).get
      field.logicalType match {
        case LogicalType.List(_, _)
            if field.children.headOption.exists(c => isVector(c.logicalType)) =>
          throw new UnsupportedFeatureException(
            s"a search in column $name, which has several vectors a row"
          )
        case other =>
          throw new InvalidRequestException(
            s"column $name is ${LogicalType.text(other)}, which is no vector: a vector column is a list of fixed size of " +
              "float16, bfloat16, float32, float64, int8, or uint8"
          )
      }
    }
  }

  /** The names of a path as the table spells them. */
  private def find(fields: IndexedSeq[Field], path: Seq[String]): Option[Seq[String]] = {
    val same = SQLConf.get.resolver
    val field =
      fields.find(_.name == path.head).orElse(fields.filter(f => same(f.name, path.head)) match {
        case IndexedSeq(one) => Some(one)
        case _ => None
      })
    field.flatMap { f =>
      if (path.length == 1) Some(Seq(f.name))
      else if (f.logicalType != LogicalType.Struct) None
      else find(f.children, path.tail).map(f.name +: _)
    }
  }

  /** All columns of vectors. */
  private def vectorsOf(fields: IndexedSeq[Field]): Seq[VectorField] =
    fields.flatMap(paths(Nil, _)).flatMap(of(fields, _))

  private def paths(around: Seq[String], field: Field): Seq[Seq[String]] = {
    val path = around :+ field.name
    if (field.logicalType == LogicalType.Struct && !field.isBlob)
      field.children.flatMap(paths(path, _))
    else if (isVector(field.logicalType)) Seq(path)
    else Nil
  }

  private def isVector(t: LogicalType): Boolean = t match {
    case LogicalType.FixedSizeList(item, _) => ElementType.of(item).isDefined
    case _ => false
  }

  private def of(fields: IndexedSeq[Field], path: Seq[String]): Option[VectorField] =
    for {
      field <- FieldPaths.find(fields, path)
      column <- FieldPaths.cut(fields, Seq(path)).headOption
      (element, dimension) <- field.logicalType match {
        case LogicalType.FixedSizeList(item, dimension) if !field.isBlob =>
          ElementType.of(item).map((_, dimension))
        case _ => None
      }
    } yield VectorField(path, field, column, element, dimension)
}
