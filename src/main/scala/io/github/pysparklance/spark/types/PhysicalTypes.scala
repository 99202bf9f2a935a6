// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._

/** Converts types to the types of their values. User-defined types become their SQL types, and all
  * string types become strings.
  */
private[spark] object PhysicalTypes {

  def apply(t: DataType): DataType = t match {
    case udt: UserDefinedType[_] => apply(udt.sqlType)
    case _: CharType | _: VarcharType | _: StringType => StringType
    case StructType(columns) => StructType(columns.map(c => c.copy(dataType = apply(c.dataType))))
    case ArrayType(item, containsNull) => ArrayType(apply(item), containsNull)
    case MapType(key, value, containsNull) => MapType(apply(key), apply(value), containsNull)
    case other => other
  }

  /** Whether values of both types have the same representation. Ignores the case of field names,
    * and nullability.
    */
  def same(left: DataType, right: DataType): Boolean = (apply(left), apply(right)) match {
    case (l: StructType, r: StructType) =>
      l.length == r.length && l.fields.zip(r.fields).forall { case (x, y) =>
        x.name.equalsIgnoreCase(y.name) && same(x.dataType, y.dataType)
      }
    case (l: ArrayType, r: ArrayType) => same(l.elementType, r.elementType)
    case (l: MapType, r: MapType) =>
      same(l.keyType, r.keyType) && same(l.valueType, r.valueType)
    case (l, r) => l == r
  }
}
