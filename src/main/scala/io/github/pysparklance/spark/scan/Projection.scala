// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.types._

import io.github.pysparklance.core.{
  Field,
  FixedSizeListType,
  FixedWidth,
  PackedStructType,
  UnsupportedFeatureException,
  ValueType,
  VariableWidth
}

/** Which fields a scan reads, and what share of a file they are. */
private[spark] object Projection {

  /** The table's fields cut down to what Spark asks for, in its order; below lists and maps too.
    *
    * @param wanted columns by the table's own names
    */
  def apply(fields: IndexedSeq[Field], wanted: StructType): IndexedSeq[Field] =
    wanted.fields.toIndexedSeq.map { column =>
      val field = fields
        .find(_.name == column.name)
        .getOrElse(throw new NoSuchElementException(s"no column ${column.name} in the table"))
      cut(field, column.dataType)
    }

  private def cut(field: Field, wanted: DataType): Field = wanted match {
    // A packed struct is one column of the file, read whole.
    case _ if field.isLeaf => field
    case s: StructType => field.copy(children = apply(field.children, s))
    case ArrayType(item, _) => field.copy(children = IndexedSeq(cut(field.children.head, item)))
    case MapType(key, value, _) =>
      val entries = field.children.head
      val parts = IndexedSeq(cut(entries.children(0), key), cut(entries.children(1), value))
      field.copy(children = IndexedSeq(entries.copy(children = parts)))
    case _ => field
  }

  /** Bytes a value of a leaf takes in a file, by its type alone: good enough to compare columns. */
  def estimatedBytes(leaf: Field): Double =
    try estimatedBytes(leaf.valueType)
    catch { case _: UnsupportedFeatureException => 64.0 }

  /** Whether values of a leaf may be of any length. */
  def isVariable(leaf: Field): Boolean =
    try leaf.valueType.isInstanceOf[VariableWidth]
    catch { case _: UnsupportedFeatureException => true }

  private def estimatedBytes(t: ValueType): Double = t match {
    case FixedWidth(bits) => math.max(bits, 1) / 8.0
    case VariableWidth(_) => 16.0
    case FixedSizeListType(dimension, items) => dimension * estimatedBytes(items)
    case PackedStructType(children) => children.map(estimatedBytes).sum
  }
}
