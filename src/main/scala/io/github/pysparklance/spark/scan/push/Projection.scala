// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.push

import org.apache.spark.sql.types._

import io.github.pysparklance.core.{
  Field,
  FixedSizeListType,
  FixedWidth,
  LogicalType,
  PackedStructType,
  UnsupportedFeatureException,
  ValueType,
  VariableWidth
}

/** Selects the fields that a scan reads, and estimates their sizes. */
private[spark] object Projection {

  /** Prunes the fields of the table to the requested columns, in the requested order, including
    * fields in lists and maps. If only recently added fields of a struct or list are requested,
    * reads one more leaf. Older fragments do not have the added fields, so null structs and list
    * lengths would be unknown.
    *
    * @param wanted requested columns with the names of the table
    * @param isEverywhere returns whether all fragments have a leaf, by its id
    */
  def apply(
      fields: IndexedSeq[Field],
      wanted: StructType,
      isEverywhere: Int => Boolean
  ): IndexedSeq[Field] =
    wanted.fields.toIndexedSeq.map { column =>
      val field = fields
        .find(_.name == column.name)
        .getOrElse(throw new NoSuchElementException(s"no column ${column.name} in the table"))
      val kept = cut(field, column.dataType, isEverywhere)
      if (kept == field) field else telling(kept, field, isEverywhere)
    }

  private def cut(field: Field, wanted: DataType, isEverywhere: Int => Boolean): Field =
    wanted match {
      // A packed struct is a single column of the file, and is read as a unit.
      case _ if field.isLeaf => field
      case s: StructType => field.copy(children = apply(field.children, s, isEverywhere))
      case ArrayType(item, _) =>
        field.copy(children = IndexedSeq(cut(field.children.head, item, isEverywhere)))
      case MapType(key, value, _) =>
        val entries = field.children.head
        val parts = IndexedSeq(
          cut(entries.children(0), key, isEverywhere),
          cut(entries.children(1), value, isEverywhere)
        )
        field.copy(children = IndexedSeq(entries.copy(children = parts)))
      case _ => field
    }

  /** Returns a pruned field with a leaf that all fragments have, or the unpruned field if there is
    * no such leaf.
    */
  private def telling(kept: Field, field: Field, isEverywhere: Int => Boolean): Field = {
    def known(f: Field) = f.leaves.filter(leaf => isEverywhere(leaf.id))
    if (known(kept).nonEmpty) kept
    else known(field).sortBy(estimatedBytes).headOption.fold(field)(leaf =>
      adding(leaf.id, kept, field)
    )
  }

  private def adding(leaf: Int, kept: Field, field: Field): Field =
    // Keys and values of maps are always read together.
    if (field.isLeaf || field.logicalType == LogicalType.Map) field
    else {
      val child = field.children.find(_.leaves.exists(_.id == leaf)).get
      val children = kept.children.indexWhere(_.id == child.id) match {
        case -1 => kept.children :+ adding(leaf, child.copy(children = IndexedSeq.empty), child)
        case i => kept.children.updated(i, adding(leaf, kept.children(i), child))
      }
      kept.copy(children = children)
    }

  /** Estimates the size of a value of a leaf from its type. Only used to compare columns. */
  def estimatedBytes(leaf: Field): Double =
    try estimatedBytes(leaf.valueType)
    catch { case _: UnsupportedFeatureException => 64.0 }

  /** Whether values of a leaf have variable width. */
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
