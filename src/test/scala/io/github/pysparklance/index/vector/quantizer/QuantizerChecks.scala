// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import scala.util.Random

import org.scalatest.Assertions

import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.search.{ApproxMode, QueryVector}

/** Shared code of the suites of quantizers. */
trait QuantizerChecks extends Assertions {

  protected def gaussian(random: Random, n: Int, scale: Double = 1): Array[Float] =
    Array.fill(n)((random.nextGaussian() * scale).toFloat)

  protected def query(values: Array[Float]): QueryVector =
    QueryVector.of(ElementType.Float32, values.map(_.toDouble))

  /** A column of lists of bytes. */
  protected def bytes(rows: IndexedSeq[Array[Byte]]): Column =
    lists(
      rows.head.length,
      rows.length, {
        val items = new ByteValues
        rows.foreach(_.foreach(items.append))
        items
      }
    )

  protected def lists(size: Int, numRows: Int, items: Values): Column = {
    val all = new FixedSizeListValues(size, items)
    all.extend(numRows)
    LeafColumn(all, null)
  }

  protected def floats(values: Array[Float]): Column = {
    val items = new IntValues
    values.foreach(v => items.append(java.lang.Float.floatToRawIntBits(v)))
    LeafColumn(items, null)
  }

  /** Codes of rows that come in several batches. */
  protected def codes(
      quantizer: Quantizer,
      numRows: Int,
      isGraph: Boolean,
      batch: (Int, Int) => IndexedSeq[Column]
  ): Codes = {
    val builder = quantizer.newCodes(numRows, isGraph)
    var from = 0
    while (from < numRows) {
      val until = math.min(numRows, from + 7)
      builder.append(batch(from, until))
      from = until
    }
    val result = builder.result()
    assert(result.numRows == numRows)
    result
  }

  /** Returns the distances of all rows, and checks that every way to compute them is equal. */
  protected def distances(
      quantizer: Quantizer,
      vector: QueryVector,
      partition: Int,
      centroidDistance: Float,
      of: Codes,
      mode: ApproxMode = ApproxMode.Normal
  ): Array[Float] = {
    val rows = quantizer.prepare(vector, mode).distances(partition, centroidDistance, of)
    val gathered = new Array[Float](of.numRows)
    rows.gather(of.numRows.to(1, -1).map(_ - 1).toArray, of.numRows, gathered)
    val backwards = gathered.reverse
    val filled = new Array[Float](of.numRows)
    rows.fill(0, of.numRows, filled)
    if (!rows.hasLowerBounds) {
      assertNear(filled, backwards)
      val part = new Array[Float](of.numRows)
      val from = of.numRows / 3
      rows.fill(from, of.numRows - from, part)
      assertNear(part.take(of.numRows - from), filled.drop(from))
    }
    backwards
  }

  protected def assertNear(
      found: Array[Float],
      expected: Array[Float],
      within: Double = 1e-4
  ): Unit =
    found.indices.foreach { i =>
      assert(
        math.abs(found(i) - expected(i)) <= within * (1 + math.abs(expected(i))),
        s"row $i: ${found(i)} for ${expected(i)}"
      )
    }

  protected def l2(a: Array[Float], b: Array[Float]): Float =
    a.indices.map(i => (a(i).toDouble - b(i)) * (a(i).toDouble - b(i))).sum.toFloat

  protected def dot(a: Array[Float], b: Array[Float]): Float =
    a.indices.map(i => a(i).toDouble * b(i)).sum.toFloat

  protected def plus(a: Array[Float], b: Array[Float]): Array[Float] =
    a.indices.map(i => a(i) + b(i)).toArray

  protected def minus(a: Array[Float], b: Array[Float]): Array[Float] =
    a.indices.map(i => a(i) - b(i)).toArray

  protected def expected(metric: Metric, query: Array[Float], vector: Array[Float]): Float =
    if (metric == Metric.Dot) 1 - dot(query, vector) else l2(query, vector)
}
