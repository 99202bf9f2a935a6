// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import scala.annotation.unused

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.pysparklance.core.LogicalType

/** Encodes vectors for a segment of an index. Counterpart of [[Quantizer]]. Immutable and
  * thread-safe.
  *
  * A record contains the bytes of all columns of a vector, little endian, column by column. Files
  * store the bytes of a column in another order, see [[pack]].
  */
trait VectorEncoder extends Serializable {

  /** The name within the name of the index type, such as `PQ`. */
  def name: String

  /** The columns of codes. */
  def columns: IndexedSeq[CodeColumn]

  /** Number of bytes of a record. */
  final def recordBytes: Int = columns.iterator.map(_.numBytes).sum

  /** Encodes vectors.
    *
    * @param partitions partition of each vector
    * @param out receives the records, from byte `at`
    */
  def encode(rows: VectorRows, partitions: Array[Int], out: Array[Byte], at: Int): Unit

  /** Decodes a record to an approximation of its vector.
    *
    * @param out receives the vector, from index `to`
    */
  def decode(record: Array[Byte], at: Int, partition: Int, out: Array[Float], to: Int): Unit

  /** Reorders the bytes of a column of a partition for a file.
    *
    * @param bytes bytes row by row
    */
  def pack(
      @unused column: CodeColumn,
      bytes: Array[Byte],
      @unused numRows: Int
  ): Array[Byte] = bytes

  /** The inverse of [[pack]]. */
  def unpack(
      @unused column: CodeColumn,
      bytes: Array[Byte],
      @unused numRows: Int
  ): Array[Byte] = bytes

  /** Returns the entry `storage_metadata` of files.
    *
    * @param tensorPosition number of the global buffer with [[tensor]]
    */
  final def metadata(tensorPosition: Int): String = {
    val json = VectorEncoder.json.createObjectNode()
    describe(json, tensorPosition)
    VectorEncoder.json.writeValueAsString(json)
  }

  /** Adds the parameters to the object in the entry `storage_metadata`. */
  protected def describe(json: ObjectNode, tensorPosition: Int): Unit

  /** Returns a message `Tensor` for a global buffer of files, if the encoder has one. */
  def tensor: Option[Array[Byte]] = None

  /** Whether another encoder returns the same codes. */
  final def isSame(other: VectorEncoder): Boolean =
    name == other.name && metadata(0) == other.metadata(0) && columns == other.columns &&
      tensor.map(_.toSeq) == other.tensor.map(_.toSeq)
}

private object VectorEncoder {
  private val json = new ObjectMapper
}

/** A column of the file of codes.
  *
  * @param item type of the numbers
  * @param listSize number of numbers in a list; 0 for a column without lists
  * @param itemBytes number of bytes of a number
  */
final case class CodeColumn(name: String, item: LogicalType, listSize: Int, itemBytes: Int) {

  /** Number of bytes of a row. */
  def numBytes: Int = itemBytes * math.max(1, listSize)
}

object CodeColumn {

  /** Returns a column of lists of bytes. */
  def bytes(name: String, listSize: Int): CodeColumn =
    CodeColumn(name, LogicalType.Integer(8, signed = false), listSize, 1)

  /** Returns a column of single-precision numbers. */
  def float(name: String): CodeColumn = CodeColumn(name, LogicalType.Float, 0, 4)
}
