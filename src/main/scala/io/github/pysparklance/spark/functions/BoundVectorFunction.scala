// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.types.{ArrayType, BinaryType, DataType, FloatType}

import io.github.pysparklance.core.{
  ByteValues,
  IntValues,
  InvalidRequestException,
  LongValues,
  Values
}
import io.github.pysparklance.index.vector.distance.{ElementType, Metric, QueryDistance}
import io.github.pysparklance.spark.common.LanceErrors

/** A [[VectorFunction]] of arguments with known types. It uses the kernels of scans, so that both
  * have the same results to the last digit. Each thread has its own buffers, because Spark may
  * evaluate one expression in several threads.
  *
  * @param left type of the first argument
  * @param right type of the second argument
  */
final private[spark] class BoundVectorFunction(
    val function: VectorFunction,
    val left: DataType,
    val right: DataType
) extends ScalarFunction[java.lang.Float] {

  /** In which type the vectors are compared. */
  val element: ElementType =
    if (function.metric == Metric.Hamming) ElementType.UInt8 else Elements.compared(left, right)

  @transient private lazy val states: ThreadLocal[State] =
    ThreadLocal.withInitial[State](() => new State)

  override def inputTypes(): Array[DataType] = Array(left, right)

  override def resultType(): DataType = FloatType

  override def name(): String = function.functionName

  override def canonicalName(): String = function.canonicalName

  override def produceResult(row: InternalRow): java.lang.Float =
    if (row.isNullAt(0) || row.isNullAt(1)) null
    else {
      val state = states.get
      if (left == BinaryType) state.ofBinaries(row.getBinary(0), row.getBinary(1))
      else state.ofArrays(row.getArray(0), row.getArray(1))
    }

  /** The buffers of a thread. */
  final private class State {
    private val one: Values = element match {
      case ElementType.Float32 => new IntValues
      case ElementType.Float64 => new LongValues
      case _ => new ByteValues
    }
    private val out = new Array[Float](1)
    // A literal is the same object for all rows.
    private var known: AnyRef = null
    private var distance: QueryDistance = null

    def ofBinaries(vector: Array[Byte], query: Array[Byte]): java.lang.Float = {
      checkLengths(vector.length, query.length)
      val bytes = one.asInstanceOf[ByteValues]
      bytes.clear()
      vector.foreach(bytes.append)
      computed(query)(query.map(b => (b & 0xff).toDouble))
    }

    def ofArrays(vector: ArrayData, query: ArrayData): java.lang.Float =
      if (Elements.hasNull(vector) || !(query eq known) && Elements.hasNull(query)) null
      else {
        checkLengths(vector.numElements(), query.numElements())
        val (vectorItem, queryItem) = (item(left), item(right))
        if (element == ElementType.UInt8) LanceErrors.translated {
          Elements.bytes(vector, vectorItem, one.asInstanceOf[ByteValues])
        }
        else Elements.stored(vector, vectorItem, element, one)
        computed(query)(queryOf(query, queryItem))
      }

    private def computed(query: AnyRef)(elements: => Array[Double]): java.lang.Float = {
      if (!(query eq known)) {
        distance = QueryDistance(function.metric, element, elements, roundsQuery = false)
        // Spark reuses the objects of rows, but not the objects of literals.
        known = if (BoundVectorFunction.isConstant(query)) query else null
      }
      function.compute(distance, one, null, 1, out)
      out(0)
    }
  }

  private def queryOf(query: ArrayData, queryItem: DataType): Array[Double] =
    if (element == ElementType.UInt8) LanceErrors.translated {
      val bytes = new ByteValues
      Elements.bytes(query, queryItem, bytes)
      Array.tabulate(bytes.numItems)(i => (bytes.array(i) & 0xff).toDouble)
    }
    else Elements.doubles(query, queryItem)

  private def checkLengths(vector: Int, query: Int): Unit =
    if (vector != query) throw LanceErrors.translate(
      new InvalidRequestException(
        s"${function.functionName} of vectors of different dimensions, $vector and $query"
      )
    )

  private def item(array: DataType): DataType = array match {
    case ArrayType(itemType, _) => itemType
    case other => other
  }

  override def equals(other: Any): Boolean = other match {
    case f: BoundVectorFunction => f.function == function && f.left == left && f.right == right
    case _ => false
  }

  override def hashCode: Int = (function, left, right).hashCode

  override def toString: String = name()
}

private object BoundVectorFunction {

  /** Whether an array is that of a literal: rows bring theirs in other classes, whose objects they
    * may reuse.
    */
  def isConstant(array: AnyRef): Boolean =
    array.isInstanceOf[org.apache.spark.sql.catalyst.util.GenericArrayData]
}
