// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.ivf.FloatCentroids
import io.github.pysparklance.index.vector.search.ApproxMode

/** Checks RaBitQ codes with the formulas of the verified page of indices. */
class RabitQuantizerSuite extends AnyFunSuite with QuantizerChecks {
  import RabitQuantizerSuite._

  private def rotation(random: Random, dimension: Int): FastRotation = {
    val signs = new Array[Byte](4 * ((dimension + 7) / 8))
    random.nextBytes(signs)
    new FastRotation(dimension, signs)
  }

  test("a rotation keeps lengths and angles") {
    val random = new Random(1)
    for (dimension <- Seq(1, 2, 8, 24, 64, 96, 100, 128)) {
      val rotate = rotation(random, dimension)
      val (a, b) = (gaussian(random, dimension), gaussian(random, dimension))
      val (x, y) = (rotate(a), rotate(b))
      assert(math.abs(dot(x, y) - dot(a, b)) < 1e-3 * dimension)
      assert(math.abs(dot(x, x) - dot(a, a)) < 1e-3 * dimension)
      if (dimension > 8) assert(l2(x, a) > 1e-3)
    }
    intercept[CorruptFileException](new FastRotation(16, new Array[Byte](7)))
    intercept[CorruptFileException](new MatrixRotation(4, new Array[Float](15)))
  }

  test("a matrix rotates by its rows") {
    val rotate = new MatrixRotation(2, Array(0f, 1f, -1f, 0f))
    assert(rotate(Array(3f, 4f)).toSeq == Seq(4f, -3f))
    assert(rotate(Array(3f)).toSeq == Seq(0f, -3f))
  }

  for (numBits <- 1 to 8)
    test(s"blocks and streams of $numBits bits return the written values") {
      val random = new Random(numBits)
      for (dimension <- Seq(8, 24, 64, 96, 128)) {
        val numbers = Array.fill(dimension)(random.nextInt(1 << numBits))
        val out = new Array[Int](dimension + 64)
        val blocks = new Array[Byte](3 + RabitCodes.blockedBytes(dimension, numBits))
        writeBlocks(numbers, numBits, blocks, 3)
        RabitCodes.readBlocks(blocks, 3, numBits, dimension, out)
        assert(out.take(dimension).toSeq == numbers.toSeq)
        val stream = new Array[Byte](2 + RabitCodes.streamBytes(dimension, numBits))
        writeStream(numbers, numBits, stream, 2)
        RabitCodes.readStream(stream, 2, numBits, dimension, out)
        assert(out.take(dimension).toSeq == numbers.toSeq)
      }
    }

  for {
    metric <- Seq(Metric.L2, Metric.Cosine, Metric.Dot)
    numBits <- 1 to 9
  } test(s"distances by codes of $numBits bits, $metric") {
    val random = new Random(10 + numBits)
    for {
      dimension <- Seq(24, 64)
      numRows <- Seq(5, 32, 70)
      isBlocked <- Seq(true, false)
    } {
      val rotate = rotation(random, dimension)
      val centroid = gaussian(random, dimension)
      val centroids = new FloatCentroids(dimension, centroid)
      val vectors = IndexedSeq.fill(numRows)(plus(centroid, gaussian(random, dimension)))
      val rows =
        vectors.map(v => encode(rotate(minus(v, centroid)), rotate(centroid), numBits, metric))
      val isPacked = numRows != 5
      val signs = rows.map(r => bitsOf(r.signs))
      val stored = if (isPacked) packed(signs) else signs
      val column = if (isBlocked) RabitQuantizer.blockedColumn else RabitQuantizer.streamColumn
      val rq = new RabitQuantizer(
        dimension,
        numBits,
        rotate,
        isPacked,
        isRaw = true,
        hasErrors = true,
        if (numBits > 1) Some(column) else None,
        metric,
        centroids
      )
      val of = codes(
        rq,
        numRows,
        isGraph = false,
        (f, u) => {
          val its = rows.slice(f, u)
          rq.columns.map {
            case RabitQuantizer.codeColumn => bytes(stored.slice(f, u))
            case RabitQuantizer.addColumn => floats(its.map(_.add).toArray)
            case RabitQuantizer.scaleColumn => floats(its.map(_.scale).toArray)
            case RabitQuantizer.extendedAddColumn => floats(its.map(_.extendedAdd).toArray)
            case RabitQuantizer.extendedScaleColumn => floats(its.map(_.extendedScale).toArray)
            case RabitQuantizer.errorColumn => floats(its.map(_.error).toArray)
            case _ =>
              bytes(its.map { r =>
                if (isBlocked) {
                  val out = new Array[Byte](RabitCodes.blockedBytes(dimension, numBits - 1))
                  writeBlocks(r.extended, numBits - 1, out, 0)
                  out
                } else {
                  val out = new Array[Byte](RabitCodes.streamBytes(dimension, numBits - 1))
                  writeStream(r.extended, numBits - 1, out, 0)
                  out
                }
              })
          }
        }
      )
      val q = plus(centroid, gaussian(random, dimension, 0.5))
      val centroidDistance = expected(metric, q, centroid)
      val found = distances(rq, query(q), 0, centroidDistance, of)
      val bySigns = distances(rq, query(q), 0, centroidDistance, of, ApproxMode.Fast)
      // The formulas of the page, without rotation tables.
      val exact = rows.map(r => estimate(r, rotate(q), rotate(centroid), numBits, metric))
      assertNear(found, exact.toArray, 2e-3)
      if (numBits == 1) assertNear(bySigns, found)
      val truth = vectors.map(expected(metric, q, _)).toArray
      // The error halves with each bit.
      val spread = math.sqrt(dimension.toDouble) * 4
      val allowed = spread / (1 << (numBits - 1)) + 0.05
      found.indices.foreach(i => assert(math.abs(found(i) - truth(i)) < allowed, s"$numBits bits"))
      // Lower bounds hold for nearly all rows.
      if (numBits > 1) {
        val prepared = rq.prepare(query(q), ApproxMode.Normal).distances(0, centroidDistance, of)
        assert(prepared.hasLowerBounds)
        val bounds = new Array[Float](numRows)
        prepared.fill(0, numRows, bounds)
        assert(bounds.indices.count(i => bounds(i) > found(i) + 1e-3) <= numRows / 10 + 1)
      }
    }
  }

  test("codes that are not supported, or lack a column") {
    val centroids = new FloatCentroids(12, new Array[Float](12))
    def of(dimension: Int, numBits: Int, column: Option[String]): RabitQuantizer =
      new RabitQuantizer(
        12,
        numBits,
        rotation(new Random(1), dimension),
        isPacked = true,
        isRaw = true,
        hasErrors = true,
        column,
        Metric.L2,
        centroids
      )
    of(16, 1, None)
    intercept[UnsupportedFeatureException](of(12, 1, None))
    intercept[CorruptFileException](of(8, 1, None))
    intercept[CorruptFileException](of(16, 10, None))
    intercept[CorruptFileException](of(16, 3, None))
  }

  test("blocks and packed signs round-trip") {
    val r = new Random(11)
    for (bits <- 1 to 8; dimension <- Seq(8, 64, 72, 136)) {
      val padded = (dimension + 63) / 64 * 64
      val codes = Array.tabulate(padded)(i => if (i < dimension) r.nextInt(1 << bits) else 0)
      val out = new Array[Byte](5 + RabitCodes.blockedBytes(dimension, bits))
      RabitCodes.writeBlocks(codes, bits, dimension, out, 5)
      val read = new Array[Int](padded)
      RabitCodes.readBlocks(out, 5, bits, dimension, read)
      assert(read.sameElements(codes), s"$bits bits of $dimension dimensions")
    }
    for (numRows <- Seq(0, 1, 31, 32, 33, 100); codeBytes <- Seq(1, 3, 8)) {
      val bytes = Array.fill(numRows * codeBytes)(r.nextInt(256).toByte)
      val packed = RabitCodes.packed(bytes, numRows, codeBytes)
      val byColumns = RabitCodes.unpacked(packed, numRows, codeBytes, isPacked = true)
      assert(ByteMatrix.transposed(byColumns, codeBytes, numRows).sameElements(bytes))
    }
  }
}

private object RabitQuantizerSuite {

  /** A row. */
  final case class Row(
      signs: Array[Int],
      extended: Array[Int],
      add: Float,
      scale: Float,
      error: Float,
      extendedAdd: Float,
      extendedScale: Float
  )

  private def product(a: Array[Double], b: Array[Float]): Double =
    a.indices.map(i => a(i) * b(i)).sum

  /** Codes and factors of a rotated difference. */
  def encode(r: Array[Float], c: Array[Float], numBits: Int, metric: Metric): Row = {
    val dimension = r.length
    val signs = r.map(v => if (v >= 0) 1 else 0)
    val more = numBits - 1
    val square = r.map(v => v.toDouble * v).sum
    // The greatest number has the last code.
    val step = r.map(v => math.abs(v.toDouble)).max / (1 << more)
    val extended = r.indices.map { i =>
      val whole = math.floor(r(i) / step).toInt + (1 << more)
      val u = math.max(0, math.min((2 << more) - 1, whole))
      // The sign bit is that of the number.
      val least = signs(i) << more
      math.max(least, math.min(least + (1 << more) - 1, u)) - least
    }.toArray
    def factors(s: Array[Double]): (Float, Float, Double) = {
      val (sr, sc) = (product(s, r), product(s, c))
      val rc = r.indices.map(i => r(i).toDouble * c(i)).sum
      if (metric == Metric.Dot)
        ((1 - rc + square * sc / sr).toFloat, (-square / sr).toFloat, sr)
      else ((square + 2 * square * sc / sr).toFloat, (-2 * square / sr).toFloat, sr)
    }
    val (add, scale, sr) = factors(signs.map(_ - 0.5))
    val half = (1 << more) - 0.5
    val all = r.indices.map(i => ((signs(i) << more) + extended(i)) - half).toArray
    val (extendedAdd, extendedScale, _) = factors(all)
    val spread = math.max(square * dimension / 4 / (sr * sr) - 1, 0) / (dimension - 1)
    val unit = if (metric == Metric.Dot) 1 else 2
    val error = unit * math.sqrt(square) * 1.9 * math.sqrt(spread)
    Row(signs, extended, add, scale, error.toFloat, extendedAdd, extendedScale)
  }

  /** The distance of a rotated query. */
  def estimate(
      row: Row,
      q: Array[Float],
      c: Array[Float],
      numBits: Int,
      metric: Metric
  ): Float = {
    val more = numBits - 1
    val sum = q.map(_.toDouble).sum
    val (code, scale, add) =
      if (more == 0)
        (q.indices.map(i => row.signs(i) * q(i).toDouble).sum - sum / 2, row.scale, row.add)
      else {
        val u = q.indices.map(i => ((row.signs(i) << more) + row.extended(i)) * q(i).toDouble).sum
        (u - ((1 << more) - 0.5) * sum, row.extendedScale, row.extendedAdd)
      }
    val qc = q.indices.map(i => q(i).toDouble * c(i)).sum
    if (metric == Metric.Dot) {
      val alpha = qc / c.map(v => v.toDouble * v).sum
      (code * scale + alpha * (add - 1) + 1 - qc).toFloat
    } else
      (code * scale + add + q.indices.map(i => math.pow(q(i).toDouble - c(i), 2)).sum).toFloat
  }

  def bitsOf(signs: Array[Int]): Array[Byte] =
    signs.grouped(8).map(_.zipWithIndex.map { case (s, i) => s << i }.sum.toByte).toArray

  private val order = Array(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)

  /** Bits of 32 rows together, the rest by columns. */
  def packed(rows: IndexedSeq[Array[Byte]]): IndexedSeq[Array[Byte]] = {
    val width = rows.head.length
    val whole = rows.length / 32 * 32
    val groups = rows.take(whole).grouped(32).flatMap { group =>
      (0 until width).flatMap { b =>
        val column = group.map(_(b) & 0xff)
        (0 until 16).map(j => (column(order(j)) & 15 | (column(order(j) + 16) & 15) << 4).toByte) ++
          (0 until 16).map(j => (column(order(j)) >> 4 | column(order(j) + 16) & 0xf0).toByte)
      }
    }
    val rest = rows.drop(whole)
    val all = groups.toIndexedSeq ++ (0 until width).flatMap(b => rest.map(_(b)))
    all.grouped(width).map(_.toArray).toIndexedSeq
  }

  def writeStream(numbers: Array[Int], numBits: Int, out: Array[Byte], at: Int): Unit =
    for (i <- numbers.indices; b <- 0 until numBits if (numbers(i) >> b & 1) != 0) {
      val bit = i * numBits + b
      out(at + bit / 8) = (out(at + bit / 8) | 1 << bit % 8).toByte
    }

  /** Blocks as the page describes them. */
  def writeBlocks(numbers: Array[Int], numBits: Int, out: Array[Byte], at: Int): Unit =
    numbers.indices.foreach { i =>
      val from = at + i / 64 * 8 * numBits
      val (d, v) = (i % 64, numbers(i))
      def or(byte: Int, bits: Int): Unit = out(from + byte) = (out(from + byte) | bits).toByte
      def plane(byte: Int, bit: Int): Unit = {
        val (k, b) = (d / 16, d % 16)
        val place = 8 * (b % 8) + 2 * k + b / 8
        or(byte + place / 8, bit << place % 8)
      }
      val (k, b) = (d / 16, d % 16)
      numBits match {
        case 1 => or(d / 8, v << d % 8)
        case 2 => or(b, v << 2 * k)
        case 3 =>
          or(b, (v & 3) << 2 * k)
          plane(16, v >> 2)
        case 4 => or(8 * k + b % 8, v << (if (b < 8) 0 else 4))
        case 5 =>
          or(16 * (k / 2) + b, (v & 15) << 4 * (k % 2))
          plane(32, v >> 4)
        case 6 | 7 =>
          val low = v & 63
          if (k < 3) or(16 * k + b, low)
          else (0 until 3).foreach(j => or(16 * j + b, (low >> 2 * j & 3) << 6))
          if (numBits == 7) plane(48, v >> 6)
        case 8 => or(d, v)
      }
    }
}
