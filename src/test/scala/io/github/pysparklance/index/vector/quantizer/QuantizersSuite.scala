// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.distance.{ElementType, Kernels, Metric}
import io.github.pysparklance.index.vector.ivf.FloatCentroids

/** Distances to codes equal the distances to the decoded vectors. */
class QuantizersSuite extends AnyFunSuite with QuantizerChecks {

  for (metric <- Seq(Metric.L2, Metric.Dot))
    test(s"scalar codes, $metric") {
      val random = new Random(1)
      for (dimension <- Seq(1, 3, 8, 33, 96); numRows <- Seq(1, 20)) {
        val sq = new ScalarQuantizer(dimension, -2.5, 3.5, metric, Kernels.best)
        val vectors = IndexedSeq.fill(numRows)(gaussian(random, dimension))
        val coded = vectors.map(_.map(v => sq.code(v.toDouble)))
        vectors.indices.foreach { i =>
          vectors(i).indices.filter(d => math.abs(vectors(i)(d)) < 2.4).foreach { d =>
            val difference = vectors(i)(d) - sq.value(coded(i)(d))
            assert(difference >= -1e-5 && difference <= 6.0 / 255 + 1e-5)
          }
        }
        val q = gaussian(random, dimension)
        val of = codes(sq, numRows, isGraph = false, (f, u) => IndexedSeq(bytes(coded.slice(f, u))))
        // The code of the query is compared.
        val against = if (metric == Metric.Dot) q else q.map(v => sq.value(sq.code(v.toDouble)))
        val decoded = coded.map(_.map(sq.value)).map(expected(metric, against, _)).toArray
        assertNear(distances(sq, query(q), 0, 0f, of), decoded)
      }
    }

  test("scalar codes saturate") {
    val sq = new ScalarQuantizer(1, -1, 1, Metric.L2, Kernels.best)
    assert(Seq(-9.0, -1.0, 0.0, 0.99999, 1.0, 7.0, Double.NaN).map(sq.code(_) & 0xff) ==
      Seq(0, 0, 127, 254, 255, 255, 0))
    val flat = new ScalarQuantizer(1, 2, 2, Metric.L2, Kernels.best)
    assert(flat.code(5) == 0 && flat.value(7) == 2f)
    intercept[CorruptFileException](new ScalarQuantizer(1, 2, 1, Metric.L2, Kernels.best))
    intercept[CorruptFileException](new ScalarQuantizer(1, Double.NaN, 1, Metric.L2, Kernels.best))
  }

  for {
    metric <- Seq(Metric.L2, Metric.Dot)
    numBits <- Seq(8, 4)
    isTransposed <- Seq(true, false)
    isGraph <- Seq(true, false)
  } test(
    s"product codes, $metric, $numBits bits" + (if (isTransposed) ", by columns" else "") +
      (if (isGraph) ", for graphs" else "")
  ) {
    val random = new Random(2)
    for ((m, sub) <- Seq((2, 1), (4, 4), (6, 3), (10, 2)); numRows <- Seq(1, 13, 40)) {
      val dimension = m * sub
      val entries = 1 << numBits
      val codebook = gaussian(random, m * entries * sub)
      val centroids = new FloatCentroids(dimension, gaussian(random, 3 * dimension, 2))
      val pq =
        new ProductQuantizer(dimension, m, numBits, codebook, isTransposed, metric, centroids)
      val rows = IndexedSeq.fill(numRows)(Array.fill(m)(random.nextInt(entries)))
      val packed = rows.map { codes =>
        if (numBits == 8) codes.map(_.toByte)
        else codes.grouped(2).map(pair => (pair(0) | pair(1) << 4).toByte).toArray
      }
      val stored =
        if (!isTransposed) packed
        else
          (0 until pq.codeBytes).flatMap(b => packed.map(_(b))).toArray.grouped(pq.codeBytes)
            .toIndexedSeq
      val of = codes(pq, numRows, isGraph, (f, u) => IndexedSeq(bytes(stored.slice(f, u))))
      val decoded = rows.map { codes =>
        (0 until m).flatMap { j =>
          val at = (j * entries + codes(j)) * sub
          codebook.slice(at, at + sub)
        }.toArray
      }
      rows.indices.foreach(i => assert(pq.decode(rows(i)).toSeq == decoded(i).toSeq))
      val q = gaussian(random, dimension)
      for (partition <- 0 until 3) {
        val vectors =
          if (metric == Metric.Dot) decoded else decoded.map(plus(_, centroids(partition)))
        assertNear(
          distances(pq, query(q), partition, 0f, of),
          vectors.map(expected(metric, q, _)).toArray
        )
      }
    }
  }

  test("product codes ignore the remainder of vectors whose dimension is not divisible") {
    val centroids = new FloatCentroids(5, new Array[Float](5))
    val codebook = Array.tabulate(2 * 256 * 2)(_.toFloat)
    val pq = new ProductQuantizer(5, 2, 8, codebook, isTransposed = false, Metric.L2, centroids)
    val of =
      codes(pq, 1, isGraph = false, (_, _) => IndexedSeq(bytes(IndexedSeq(Array[Byte](1, 2)))))
    val q = Array(2f, 3f, 516f, 517f, 99f)
    assert(distances(pq, query(q), 0, 0f, of).toSeq == Seq(0f))
  }

  test("product codes that contradict their codebook") {
    val centroids = new FloatCentroids(4, new Array[Float](4))
    def of(m: Int, bits: Int, length: Int): ProductQuantizer =
      new ProductQuantizer(4, m, bits, new Array[Float](length), true, Metric.L2, centroids)
    intercept[CorruptFileException](of(2, 8, 1023))
    intercept[CorruptFileException](of(3, 4, 1024))
    intercept[CorruptFileException](of(2, 5, 1024))
    intercept[CorruptFileException](of(0, 8, 1024))
    intercept[CorruptFileException](of(5, 8, 4096))
  }

  for (
    (stored, metrics) <- Seq(
      ElementType.Float32 -> Seq(Metric.L2, Metric.Dot, Metric.Cosine),
      ElementType.Float64 -> Seq(Metric.L2, Metric.Dot, Metric.Cosine)
    ); metric <- metrics
  )
    test(s"unencoded vectors of $stored, $metric") {
      val random = new Random(3)
      val dimension = 19
      val vectors = IndexedSeq.fill(25)(gaussian(random, dimension))
      val flat = new FlatVectors(dimension, stored, metric, Kernels.best)
      val of = codes(
        flat,
        vectors.length,
        isGraph = true,
        (f, u) => {
          val items = Values.allocate(FixedWidth(stored.numBytes * 8))
          vectors.slice(f, u).flatten.foreach { v =>
            items match {
              case i: IntValues => i.append(java.lang.Float.floatToRawIntBits(v))
              case l: LongValues => l.append(java.lang.Double.doubleToRawLongBits(v.toDouble))
              case _ => fail()
            }
          }
          IndexedSeq(lists(dimension, u - f, items))
        }
      )
      val q = gaussian(random, dimension)
      def distance(v: Array[Float]): Float =
        if (metric != Metric.Cosine) expected(metric, q, v)
        else 1 - dot(q, v) / math.sqrt(dot(q, q).toDouble * dot(v, v)).toFloat
      assertNear(
        distances(
          flat,
          io.github.pysparklance.index.vector.search.QueryVector.of(stored, q.map(_.toDouble)),
          0,
          0f,
          of
        ),
        vectors.map(distance).toArray
      )
    }

  test("columns of another shape") {
    val sq = new ScalarQuantizer(3, 0, 1, Metric.L2, Kernels.best)
    def append(column: Column): Unit = {
      sq.newCodes(column.numRows, isGraph = false).append(IndexedSeq(column))
    }
    append(bytes(IndexedSeq(Array[Byte](1, 2, 3))))
    val items = new IntValues
    items.extend(3): Unit
    val withNulls = new Validity
    withNulls.appendNulls(1)
    val nullList = bytes(IndexedSeq(Array[Byte](1, 2, 3))) match {
      case LeafColumn(values, _) => LeafColumn(values, withNulls)
      case _ => fail()
    }
    val short = new FixedSizeListValues(3, new ByteValues)
    short.extend(1)
    for (
      bad <- Seq[Column](
        bytes(IndexedSeq(Array[Byte](1, 2))),
        lists(3, 1, items),
        nullList,
        LeafColumn(short, null),
        floats(Array(1f)),
        NullColumn(1)
      )
    ) intercept[CorruptFileException](append(bad))
  }
}
