// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._

class CodeColumnsSuite extends AnyFunSuite {
  private def longs(values: Long*): LongValues = {
    val out = new LongValues
    values.foreach(out.append)
    out
  }

  private def ints(values: Int*): IntValues = {
    val out = new IntValues
    values.foreach(out.append)
    out
  }

  private def indexed(items: Values, indices: Int*): Column = {
    val values = new DictionaryValues(ints(indices: _*), items)
    values.extend(indices.length)
    LeafColumn(values, null)
  }

  test("columns may have a dictionary, or one value for all rows") {
    val ids = new Array[Long](6)
    CodeColumns.appendIds(indexed(longs(70L, 80L), 1, 0, 1), "c", ids, 1)
    CodeColumns.appendIds(ConstantColumn(longs(90L), 2, null), "c", ids, 4)
    assert(ids.toSeq == Seq(0, 80, 70, 80, 90, 90))

    val numbers = new Array[Int](2)
    CodeColumns.copyInts(indexed(longs(5L, 1L << 40), 0, 0, 1, 0), 1, 2, "c", numbers, 0)
    assert(numbers.toSeq == Seq(5, -1))

    val floats = new Array[Float](3)
    val bits = ints(java.lang.Float.floatToIntBits(1.5f), java.lang.Float.floatToIntBits(-2f))
    CodeColumns.appendFloats(indexed(bits, 1, 1, 0), "c", floats, 0)
    assert(floats.toSeq == Seq(-2f, -2f, 1.5f))

    val lists = FixedSizeListColumn(2, 2, indexed(ints(7, 8), 0, 1, 1, 0), null)
    assert(CodeColumns.items(lists, 2, "c").asInstanceOf[IntValues].array.take(4).toSeq ==
      Seq(7, 8, 8, 7))
  }
}
