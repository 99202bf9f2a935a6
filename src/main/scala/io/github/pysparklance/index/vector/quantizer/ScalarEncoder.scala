// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import com.fasterxml.jackson.databind.node.ObjectNode

/** Stores a byte for each number, see [[ScalarQuantizer]].
  *
  * @param start number that is encoded as 0
  * @param end number that is encoded as 255
  */
final class ScalarEncoder(dimension: Int, start: Double, end: Double) extends VectorEncoder {

  /** The squared distance of two codes that differ by 1 in one dimension. */
  def unit: Float = {
    val step = (end - start) / 255.0
    (step * step).toFloat
  }

  def name: String = "SQ"

  val columns: IndexedSeq[CodeColumn] =
    IndexedSeq(CodeColumn.bytes(ScalarQuantizer.column, dimension))

  def encode(rows: VectorRows, partitions: Array[Int], out: Array[Byte], at: Int): Unit = {
    val count = rows.numRows * dimension
    var i = 0
    while (i < count) {
      out(at + i) = ScalarQuantizer.code(rows.floats(i).toDouble, start, end)
      i += 1
    }
  }

  def decode(record: Array[Byte], at: Int, partition: Int, out: Array[Float], to: Int): Unit = {
    val step = (end - start) / 255.0
    var i = 0
    while (i < dimension) {
      out(to + i) = (start + (record(at + i) & 0xff) * step).toFloat
      i += 1
    }
  }

  protected def describe(json: ObjectNode, tensorPosition: Int): Unit = {
    json.put("dim", dimension)
    json.put("num_bits", 8)
    val bounds = json.putObject("bounds")
    bounds.put("start", start)
    bounds.put("end", end)
    ()
  }
}

object ScalarEncoder {

  /** Trains the bounds, which are the minimum and maximum of a sample.
    *
    * @param data elements of finite vectors
    */
  def train(data: Array[Float], dimension: Int): ScalarEncoder = {
    var (least, greatest) = (data(0), data(0))
    data.foreach { v =>
      least = math.min(least, v)
      greatest = math.max(greatest, v)
    }
    new ScalarEncoder(dimension, least.toDouble, greatest.toDouble)
  }
}
