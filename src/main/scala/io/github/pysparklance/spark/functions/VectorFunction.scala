// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.expressions.{ApplyFunctionExpression, Cast, Expression}
import org.apache.spark.sql.connector.catalog.functions.BoundFunction
import org.apache.spark.sql.types.{
  ArrayType,
  BinaryType,
  DataType,
  NullType,
  NumericType,
  StructType
}

import io.github.pysparklance.core.Values
import io.github.pysparklance.index.vector.distance.{Metric, QueryDistance}

/** A SQL function of two vectors, which are arrays of numbers of one length. The result is a
  * `FLOAT`: null if a vector is null or has a null element, NaN if one has NaN.
  *
  * @param functionName name of the function in SQL
  * @param metric metric that the kernels compute
  * @param meaning meaning for `DESCRIBE FUNCTION`
  */
sealed abstract class VectorFunction(
    val functionName: String,
    val metric: Metric,
    val meaning: String
) extends LanceFunction {
  final override def arguments: String = "vector, query"

  /** Computes results with the parameters of [[QueryDistance]]. */
  private[spark] def compute(
      distance: QueryDistance,
      items: Values,
      positions: Array[Int],
      numVectors: Int,
      out: Array[Float]
  ): Unit = distance(items, 0, positions, numVectors, out)

  /** Whether results do not depend on the order of the arguments, to the last digit. */
  private[spark] def isSymmetric: Boolean = metric != Metric.Cosine

  /** Whether arguments of the types can be compared. */
  protected def takes(t: DataType): Boolean = t match {
    case ArrayType(_: NumericType, _) => true
    case _ => false
  }

  /** @throws UnsupportedOperationException for arguments that are not vectors, which Spark reports
    */
  final override def bind(arguments: StructType): BoundFunction = bound(arguments.map(_.dataType))

  private def bound(types: Seq[DataType]): BoundVectorFunction = types match {
    case Seq(left, right)
        if takes(left) && takes(right) && (left == BinaryType) == (right == BinaryType) =>
      new BoundVectorFunction(this, left, right)
    case _ =>
      throw new UnsupportedOperationException(
        s"$functionName takes ${VectorFunction.types(this)}, not (${types.map(_.sql).mkString(", ")})"
      )
  }

  final override private[spark] def of(arguments: Seq[Expression]): Expression = {
    val typed = VectorFunction.typed(arguments)
    ApplyFunctionExpression(bound(typed.map(_.dataType)), typed)
  }
}

object VectorFunction {

  case object L2Distance
      extends VectorFunction(
        "l2_distance",
        Metric.L2,
        "returns the squared Euclidean distance of two vectors, which is the sum of the squared differences"
      )

  case object CosineDistance
      extends VectorFunction(
        "cosine_distance",
        Metric.Cosine,
        "returns one less the cosine of the angle between two vectors: 0 for one direction, 2 for opposite ones"
      )

  case object DotProduct
      extends VectorFunction(
        "dot_product",
        Metric.Dot,
        "returns the inner product of two vectors; it is greater for similar ones"
      ) {
    override private[spark] def compute(
        distance: QueryDistance,
        items: Values,
        positions: Array[Int],
        numVectors: Int,
        out: Array[Float]
    ): Unit = distance.products(items, 0, positions, numVectors, out)
  }

  case object HammingDistance
      extends VectorFunction(
        "hamming_distance",
        Metric.Hamming,
        "returns the number of bits in which two vectors of bytes differ; vectors are arrays of integers or binaries"
      ) {
    override protected def takes(t: DataType): Boolean = t match {
      case BinaryType => true
      case ArrayType(item, _) => Elements.isInteger(item)
      case _ => false
    }
  }

  val all: Seq[VectorFunction] = Seq(L2Distance, CosineDistance, DotProduct, HammingDistance)

  /** The function of a [[LanceFunction.canonicalName]]. */
  private[spark] def ofCanonicalName(name: String): Option[VectorFunction] =
    all.find(_.canonicalName == name)

  /** Whether an expression is the call of a vector function, of the connector or of Spark. */
  private[spark] def isCall(e: Expression): Boolean = e match {
    case ApplyFunctionExpression(_: BoundVectorFunction, _) => true
    case other => SparkVectorFunctions.isCall(other)
  }

  /** A null without a type gets that of the other argument. */
  private def typed(arguments: Seq[Expression]): Seq[Expression] = arguments match {
    case Seq(a, b) if a.dataType == NullType => Seq(Cast(a, b.dataType), b)
    case Seq(a, b) if b.dataType == NullType => Seq(a, Cast(b, a.dataType))
    case others => others
  }

  private def types(function: VectorFunction): String = function match {
    case HammingDistance => "two arrays of integers, or two binaries,"
    case _ => "two arrays of numbers"
  }
}
