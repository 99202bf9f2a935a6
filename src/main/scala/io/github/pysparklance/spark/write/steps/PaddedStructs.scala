// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.expressions.{
  ArrayTransform,
  CreateNamedStruct,
  Expression,
  GetStructField,
  If,
  IsNull,
  LambdaFunction,
  Literal,
  NamedLambdaVariable,
  TransformValues
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Adds missing fields of structs as nulls, also in lists and map values. */
private[write] object PaddedStructs {

  /** @param value value of a column, whose structs may lack fields
    * @param wanted type of the column
    * @return the value, unchanged if no fields are missing
    */
  def apply(value: Expression, wanted: DataType): Expression = padded(value, wanted)

  private def padded(value: Expression, wanted: DataType): Expression =
    (value.dataType, wanted) match {
      case (there, w) if !lacks(there, w) => value
      case (there: StructType, w: StructType) =>
        val own = there.fields.indices.flatMap { i =>
          val member = there(i)
          val as = w.find(f => isSame(f.name, member.name))
          val plain = GetStructField(value, i, Some(member.name))
          Seq(Literal(member.name), as.fold[Expression](plain)(f => padded(plain, f.dataType)))
        }
        val missing = w.fields.toSeq
          .filterNot(f => there.exists(m => isSame(f.name, m.name)))
          .flatMap(f => Seq(Literal(f.name), Literal(null, f.dataType)))
        val struct = CreateNamedStruct(own ++ missing)
        if (value.nullable) If(IsNull(value), Literal(null, struct.dataType), struct) else struct
      case (ArrayType(item, containsNull), ArrayType(w, _)) =>
        val element = NamedLambdaVariable("element", item, containsNull)
        ArrayTransform(value, LambdaFunction(padded(element, w), Seq(element)))
      case (MapType(k, v, containsNull), MapType(_, w, _)) =>
        val key = NamedLambdaVariable("key", k, nullable = false)
        val entry = NamedLambdaVariable("value", v, containsNull)
        TransformValues(value, LambdaFunction(padded(entry, w), Seq(key, entry)))
      case _ => value
    }

  private def lacks(there: DataType, wanted: DataType): Boolean = (there, wanted) match {
    case (t: StructType, w: StructType) =>
      w.fields.exists { f =>
        t.fields.find(m => isSame(f.name, m.name)).forall(m => lacks(m.dataType, f.dataType))
      }
    case (ArrayType(t, _), ArrayType(w, _)) => lacks(t, w)
    case (MapType(_, t, _), MapType(_, w, _)) => lacks(t, w)
    case _ => false
  }

  private def isSame(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)
}
