// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{BinaryValues, Buffer, IntValues, ValueType, Values}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding

/** Finds the decoder that a `CompressiveEncoding` asks for; layouts know compressions through this alone. Each method
  * answers a new decoder for one page.
  *
  * All methods raise `UnsupportedFeatureException` for an encoding that is not built or not legal in that place, and
  * `CorruptFileException` for one that contradicts `valueType`.
  */
trait DecoderChooser {

  /** @param valueType what a value is; `FixedWidth` of 8, 16, 32 or 64 for dictionary indices */
  def miniBlock(encoding: CompressiveEncoding, valueType: ValueType): MiniBlockDecoder

  /** Booleans take a whole byte a value here. */
  def fixedPerValue(encoding: CompressiveEncoding, valueType: ValueType): FixedPerValueDecoder

  def variablePerValue(encoding: CompressiveEncoding, valueType: ValueType): VariablePerValueDecoder

  /** Dictionaries; levels are `FixedWidth(16)`. */
  def block(encoding: CompressiveEncoding, valueType: ValueType): BlockDecoder

  /** Positions and counts, since 2.3; `bits` is 32 or 64. */
  def sequence(encoding: CompressiveEncoding, bits: Int): SequenceDecoder
}

/** Chooses how the values of a column's pages are compressed, for one file version. */
trait EncoderChooser {
  def version: EncodingVersion

  /** The structure that the column asks for. */
  def structural: Option[StructuralEncoding]

  /** How the pages of the version are described. */
  def form: PageForm

  /** Always answers: plain values are the last resort.
    *
    * @throws UnsupportedFeatureException when two values do not fit a chunk
    */
  def miniBlock(values: Values, valueType: ValueType): CompressedMiniBlock

  /** The values as positions in a dictionary, when that pays. */
  def dictionary(values: Values, valueType: ValueType): Option[CompressedDictionary]

  /** The items of a dictionary that the column's type asks for. */
  def dictionaryItems(items: Values, valueType: ValueType): CompressedBlock

  /** For full-zip pages of one width: numbers, fixed-size lists; booleans take a byte. */
  def fixedPerValue(values: Values, valueType: ValueType): CompressedFixedValues

  /** For full-zip pages of any width; packed structs with members of any width too. */
  def variablePerValue(values: Values, valueType: ValueType): CompressedVariableValues

  /** Whether a page whose values are all equal is shorter with each of them compressed than with one of them plain, as
    * a constant page has it.
    *
    * @param item position of one of them
    * @param numRows how many there are
    */
  def beatsConstant(values: Values, item: Int, numRows: Int): Boolean

  /** How to write a page's repetition or definition levels, chosen from all of them at once. */
  def levels(levels: Array[Short], numLevels: Int): LevelEncoder
}

/** Distinct values as one block, and for each value of the page its position among them. */
final case class CompressedDictionary(indices: IntValues, items: CompressedBlock, numItems: Int)

/** Values of equal compressed width back to back. */
final case class CompressedFixedValues(
    encoding: CompressiveEncoding,
    bytesPerValue: Int,
    bytes: Buffer
)

/** Compressed values; `bitsPerOffset` is 32 or 64, the width of the length in front of each. */
final case class CompressedVariableValues(
    encoding: CompressiveEncoding,
    bitsPerOffset: Int,
    values: BinaryValues
)

/** Writes the levels of one chunk after another, all in the same encoding. */
trait LevelEncoder {
  def encoding: CompressiveEncoding

  /** The block of `levels[from, from + count)`. */
  def encode(levels: Array[Short], from: Int, count: Int): Buffer
}
