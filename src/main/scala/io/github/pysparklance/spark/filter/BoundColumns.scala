// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  Expression
}
import org.apache.spark.sql.types.{DataType, StructType}

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.shim.StructMembers
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}
import io.github.pysparklance.table.scan.{ComputedColumn, MetadataColumn}

/** Expressions over rows of some columns of a table.
  *
  * @param fields columns of the expressions, pruned to the required fields
  * @param computed computed columns of the expressions; they follow the fields
  */
final private[spark] case class BoundColumns(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    expressions: Seq[Expression]
)

/** Binds expressions. */
private[spark] object BoundColumns {

  /** @param fields fields of the table
    * @param columns paths of the columns in `expressions`
    * @param expressions expressions over the attributes of `columns`
    * @param last a metadata column to add as the last column
    */
  def apply(
      fields: IndexedSeq[Field],
      columns: Seq[(Seq[String], AttributeReference)],
      expressions: Seq[Expression],
      types: TypeOptions,
      last: Option[MetadataColumn] = None
  ): BoundColumns = {
    val used = columns.filter(c => expressions.exists(_.references.contains(c._2)))
    val (stored, made) = used.map(_._1).partition(p => fields.exists(_.name == p.head))
    val cut = FieldPaths.cut(fields, stored)
    val computed = made.flatMap(p => ComputedColumn.byName(p.head)).distinct.toIndexedSeq
      .filterNot(last.contains) ++ last
    val bound = used.map { case (path, attribute) =>
      val at = cut.indexWhere(_.name == path.head)
      val reference =
        if (at < 0) {
          val behind = cut.length + computed.indexWhere(_.name == path.head)
          BoundReference(behind, attribute.dataType, nullable = true)
        } else
          inside(BoundReference(at, SparkTypes.dataType(cut(at), types), nullable = true), path)
      attribute.exprId -> reference
    }.toMap
    val over = expressions.map(_.transform { case a: AttributeReference => bound(a.exprId) })
    BoundColumns(cut, computed, over)
  }

  private def inside(column: Expression, path: Seq[String]): Expression =
    path.tail.foldLeft(column) { (parent, name) =>
      parent.dataType match {
        case s: StructType => StructMembers.member(parent, s.fieldIndex(name), name)
        case other: DataType => throw new IllegalStateException(s"${other.sql} has no field $name")
      }
    }
}
