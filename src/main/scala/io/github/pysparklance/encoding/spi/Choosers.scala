// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{BinaryValues, Buffer, IntValues, ValueType, Values}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding

/** Creates the decoder of a `CompressiveEncoding`. Page layouts access compressions only through
  * this trait. Each method returns a new decoder for one page.
  *
  * All methods throw `UnsupportedFeatureException` for an encoding that is unsupported or illegal
  * in the context, and `CorruptFileException` for one that contradicts `valueType`.
  */
trait DecoderChooser {

  /** Returns a decoder of mini-block chunks.
    *
    * @param valueType type of the values; `FixedWidth` of 8, 16, 32, or 64 for dictionary indices
    */
  def miniBlock(encoding: CompressiveEncoding, valueType: ValueType): MiniBlockDecoder

  /** Returns a decoder of fixed-width values of full-zip pages. Booleans take one byte each. */
  def fixedPerValue(encoding: CompressiveEncoding, valueType: ValueType): FixedPerValueDecoder

  /** Returns a decoder of variable-width values of full-zip pages. */
  def variablePerValue(encoding: CompressiveEncoding, valueType: ValueType): VariablePerValueDecoder

  /** Returns a decoder of a dictionary or of levels, which are `FixedWidth(16)`. */
  def block(encoding: CompressiveEncoding, valueType: ValueType): BlockDecoder

  /** Returns a decoder of positions and counts, since 2.3. `bits` is 32 or 64. */
  def sequence(encoding: CompressiveEncoding, bits: Int): SequenceDecoder
}

/** Chooses the compression of a column's pages for one file version. */
trait EncoderChooser {
  def version: EncodingVersion

  /** The structural encoding that the column requests. */
  def structural: Option[StructuralEncoding]

  /** The description format of the version's pages. */
  def form: PageForm

  /** Compresses values as mini-block chunks. Falls back to plain values.
    *
    * @throws UnsupportedFeatureException if two values do not fit a chunk
    */
  def miniBlock(values: Values, valueType: ValueType): CompressedMiniBlock

  /** Encodes the values with a dictionary if that pays off. */
  def dictionary(values: Values, valueType: ValueType): Option[CompressedDictionary]

  /** Compresses the items of a dictionary that the column's type requires. */
  def dictionaryItems(items: Values, valueType: ValueType): CompressedBlock

  /** Compresses fixed-width values for full-zip pages: numbers and fixed-size lists. Booleans take
    * one byte each.
    */
  def fixedPerValue(values: Values, valueType: ValueType): CompressedFixedValues

  /** Compresses variable-width values for full-zip pages, including packed structs with
    * variable-width members.
    */
  def variablePerValue(values: Values, valueType: ValueType): CompressedVariableValues

  /** Whether a page of equal values is shorter with each value compressed than as a constant page,
    * which stores one value uncompressed.
    *
    * @param item position of one of the values
    * @param numRows number of values
    */
  def beatsConstant(values: Values, item: Int, numRows: Int): Boolean

  /** Chooses the encoding of a page's repetition or definition levels. */
  def levels(levels: Array[Short], numLevels: Int): LevelEncoder
}

/** Distinct values as one block, and the index of each value of the page in it. */
final case class CompressedDictionary(indices: IntValues, items: CompressedBlock, numItems: Int)

/** Contiguous values of equal compressed width. */
final case class CompressedFixedValues(
    encoding: CompressiveEncoding,
    bytesPerValue: Int,
    bytes: Buffer
)

/** Compressed values. `bitsPerOffset` is the width of the length before each value, 32 or 64. */
final case class CompressedVariableValues(
    encoding: CompressiveEncoding,
    bitsPerOffset: Int,
    values: BinaryValues
)

/** Encodes the levels of one chunk after another in the same encoding. */
trait LevelEncoder {
  def encoding: CompressiveEncoding

  /** Encodes `levels[from, from + count)` as a block. */
  def encode(levels: Array[Short], from: Int, count: Int): Buffer
}
