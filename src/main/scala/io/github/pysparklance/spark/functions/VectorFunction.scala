// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{ApplyFunctionExpression, Expression}
import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, UnboundFunction}
import org.apache.spark.sql.types.{ArrayType, BinaryType, DataType, NumericType, StructType}

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
) extends UnboundFunction
    with Serializable {

  final override def name(): String = functionName

  final override def description(): String = s"$functionName(vector, query) - $meaning"

  /** A name that no function of others has. */
  final def canonicalName: String = VectorFunction.prefix + functionName

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
        s"$functionName takes ${VectorFunction.arguments(this)}, not (${types.map(_.sql).mkString(", ")})"
      )
  }

  /** The function of resolved arguments.
    *
    * @throws UnsupportedOperationException for arguments that are not vectors
    */
  private[spark] def of(arguments: Seq[Expression]): Expression =
    ApplyFunctionExpression(bound(arguments.map(_.dataType)), arguments)
}

object VectorFunction {
  private val prefix = "io.github.pysparklance."

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

  /** The function of this name, in any case. */
  def find(name: String): Option[VectorFunction] =
    all.find(_.functionName == name.toLowerCase(Locale.ROOT))

  /** The function of a [[VectorFunction.canonicalName]]. */
  private[spark] def ofCanonicalName(name: String): Option[VectorFunction] =
    all.find(_.canonicalName == name)

  /** Whether an expression is the call of a vector function, of the connector or of Spark. */
  private[spark] def isCall(e: Expression): Boolean = e match {
    case ApplyFunctionExpression(_: BoundVectorFunction, _) => true
    case other => SparkVectorFunctions.isCall(other)
  }

  private def arguments(function: VectorFunction): String = function match {
    case HammingDistance => "two arrays of integers, or two binaries,"
    case _ => "two arrays of numbers"
  }
}
