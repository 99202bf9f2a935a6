// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** The nulls of a page. Source: message `Nullable`, encodings_v2_0.proto.
  *
  * {{{
  *   no_nulls     values
  *   some_nulls   validity, a Flat of single bits, 1 = valid | values, including a slot for each null
  *   all_nulls    nothing
  *
  *   int32 [7, null]   01 | 07000000 00000000
  * }}}
  * If the values have nulls themselves, a slot is null if either is null. Hot code.
  */
object Nullable {

  def decoder(
      message: pb.Nullable,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    import pb.Nullable.NullabilityCase._
    message.getNullabilityCase match {
      case NO_NULLS => chooser.decoder(message.getNoNulls.getValues, numValues, valueType)
      case ALL_NULLS => new AllNulls
      case SOME_NULLS =>
        val some = message.getSomeNulls
        val validity = new Flat.Bitmap(some.getValidity, numValues, chooser)
        new SomeNulls(validity, chooser.decoder(some.getValues, numValues, valueType))
      case NULLABILITY_NOT_SET => throw new CorruptFileException("Nullable without a variant")
    }
  }

  final private class AllNulls extends ArrayDecoder {
    val buffers: IndexedSeq[Int] = IndexedSeq.empty
    def bitsPerValue: Long = 0
    override def isAllNulls: Boolean = true
    def yieldsNulls: Boolean = true

    def read(values: RowRange): ArrayRead = new ArrayRead {
      def needs: IndexedSeq[PageRange] = IndexedSeq.empty
      def isLast: Boolean = true
      def supply(bytes: IndexedSeq[Buffer]): Unit = ()
      def decode(numValues: Int, out: NullableValues): Unit = {
        out.nullsUpTo(out.values.numItems).appendNulls(numValues)
        out.values.appendFiller(numValues)
      }
    }
  }

  final private class SomeNulls(validity: Flat.Bitmap, values: ArrayDecoder) extends ArrayDecoder {
    val buffers: IndexedSeq[Int] = validity.decoder.buffers ++ values.buffers
    override def head: IndexedSeq[Int] = values.head
    override def open(buffers: Array[Buffer]): Unit = values.open(buffers)
    def bitsPerValue: Long = 1 + values.bitsPerValue
    def yieldsNulls: Boolean = true

    def read(range: RowRange): ArrayRead =
      new SomeNullsRead(
        validity,
        validity.decoder.read(range),
        values.read(range),
        values.yieldsNulls
      )
  }

  final private class SomeNullsRead(
      bitmap: Flat.Bitmap,
      validity: ArrayRead,
      values: ArrayRead,
      valuesYieldNulls: Boolean
  ) extends ArrayRead {
    def needs: IndexedSeq[PageRange] = validity.needs ++ values.needs
    def isLast: Boolean = values.isLast

    def supply(bytes: IndexedSeq[Buffer]): Unit = {
      val ofValidity = validity.needs.length
      if (ofValidity > 0) validity.supply(bytes.take(ofValidity))
      if (bytes.length > ofValidity) values.supply(bytes.drop(ofValidity))
    }

    def decode(numValues: Int, out: NullableValues): Unit = {
      val before = out.values.numItems
      if (valuesYieldNulls) decodeBoth(numValues, before, out)
      else {
        values.decode(numValues, out)
        bitmap.append(validity, numValues, out.nullsUpTo(before))
      }
    }

    private def decodeBoth(numValues: Int, before: Int, out: NullableValues): Unit = {
      val inner = new NullableValues(out.values)
      values.decode(numValues, inner)
      val outer = new Validity
      bitmap.append(validity, numValues, outer)
      val within = inner.nullsUpTo(out.values.numItems)
      val nulls = out.nullsUpTo(before)
      var i = 0
      while (i < numValues) {
        nulls.append(outer.isValid(i) && within.isValid(before + i))
        i += 1
      }
    }
  }

  /** Wraps values without nulls. */
  def noNulls(values: pb.ArrayEncoding): pb.ArrayEncoding =
    message(_.setNoNulls(pb.Nullable.NoNull.newBuilder().setValues(values)))

  /** Only nulls, without buffers. */
  val allNulls: pb.ArrayEncoding = message(_.setAllNulls(pb.Nullable.AllNull.newBuilder()))

  /** Encodes values in the variant that suits their validity.
    *
    * @param validity null if all values are valid
    * @param values adds its buffers after the validity's; not evaluated if all values are null
    */
  def encode(validity: Validity, buffers: PageBuffers)(
      values: => pb.ArrayEncoding
  ): pb.ArrayEncoding =
    if (validity == null || !validity.hasNulls) noNulls(values)
    else if (validity.numNulls == validity.numItems) allNulls
    else {
      val bits = Flat.encodeBits(validity, buffers)
      message(_.setSomeNulls(
        pb.Nullable.SomeNull.newBuilder().setValidity(bits).setValues(values)
      ))
    }

  private def message(variant: pb.Nullable.Builder => pb.Nullable.Builder): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder().setNullable(variant(pb.Nullable.newBuilder())).build()
}
