// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance

import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  ByteValues,
  Half,
  IntValues,
  InvalidRequestException,
  LongValues,
  ShortValues,
  UnsupportedFeatureException,
  Values
}
import io.github.pysparklance.testkit.TestRun

class DistanceKernelsSuite extends AnyFunSuite {

  private val implementations = Seq(Kernels.loops) ++ Kernels.vectorApi

  private val elements = Seq(
    ElementType.Float16,
    ElementType.BFloat16,
    ElementType.Float32,
    ElementType.Float64,
    ElementType.Int8,
    ElementType.UInt8
  )

  /** Values as the reader decodes them, and as doubles. */
  private def stored(element: ElementType, values: Array[Double]): (Values, Array[Double]) =
    element match {
      case ElementType.Float32 =>
        val v = new IntValues
        values.foreach(x => v.append(java.lang.Float.floatToRawIntBits(x.toFloat)))
        (v, values.map(_.toFloat.toDouble))
      case ElementType.Float64 =>
        val v = new LongValues
        values.foreach(x => v.append(java.lang.Double.doubleToRawLongBits(x)))
        (v, values)
      case ElementType.Float16 =>
        val v = new ShortValues
        values.foreach(x => v.append(Half.fromFloat(x.toFloat)))
        (v, values.map(x => Half.toFloat(Half.fromFloat(x.toFloat)).toDouble))
      case ElementType.BFloat16 =>
        val v = new ShortValues
        values.foreach(x => v.append(Half.toBFloat16(x.toFloat)))
        (v, values.map(x => Half.ofBFloat16(Half.toBFloat16(x.toFloat)).toDouble))
      case _ =>
        val v = new ByteValues
        values.foreach(x => v.append(x.toInt.toByte))
        (v, values)
    }

  private def random(element: ElementType, n: Int, r: Random): Array[Double] =
    Array.fill(n)(element match {
      case ElementType.Int8 => r.nextInt(256) - 128.0
      case ElementType.UInt8 => r.nextInt(256).toDouble
      case _ => r.nextGaussian() * 3
    })

  private def expected(metric: Metric, q: Array[Double], v: Array[Double]): Double = {
    val dot = q.indices.map(i => q(i) * v(i)).sum
    metric match {
      case Metric.L2 => q.indices.map(i => (q(i) - v(i)) * (q(i) - v(i))).sum
      case Metric.Dot => 1 - dot
      case Metric.Cosine => 1 - dot / (math.sqrt(q.map(x => x * x).sum) *
          math.sqrt(v.map(x => x * x).sum))
      case Metric.Hamming =>
        q.indices.map(i => Integer.bitCount((q(i).toInt ^ v(i).toInt) & 0xff)).sum.toDouble
    }
  }

  test("the process of the tests has the Vector API") {
    assert(Kernels.vectorApi.isDefined)
    assert(Kernels.best.name.startsWith("Vector API"))
  }

  for (kernels <- implementations; element <- elements) {
    test(s"${kernels.name}: distances of $element equal the definition") {
      val r = new Random(TestRun.seed)
      for {
        metric <- Metric.all if element.takes(metric)
        dimension <- Seq(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 257)
      } {
        val numVectors = 9
        val (items, values) = stored(element, random(element, numVectors * dimension, r))
        val (_, query) = stored(element, random(element, dimension, r))
        val distance = QueryDistance(metric, element, query, kernels = kernels)
        def vector(i: Int) = values.slice(i * dimension, (i + 1) * dimension)
        def check(found: Float, i: Int): Assertion = {
          val wanted = expected(metric, query, vector(i))
          val scale = metric match {
            case Metric.Dot => query.indices.map(j => math.abs(query(j) * vector(i)(j))).sum + 1
            case Metric.Cosine => 1.0
            case _ => math.abs(wanted)
          }
          assert(
            math.abs(found - wanted) <= 1e-5 * scale + 1e-6,
            s"$metric, dimension $dimension, vector $i: $found for $wanted"
          )
        }
        val out = new Array[Float](numVectors)
        distance(items, 0, null, numVectors, out)
        (0 until numVectors).foreach(i => check(out(i), i))
        distance(items, 2, null, 5, out)
        (0 until 5).foreach(i => check(out(i), i + 2))
        distance(items, 1, Array(0, 3, 7), 3, out)
        Seq(1, 4, 8).zipWithIndex.foreach { case (v, i) => check(out(i), v) }
      }
    }

    test(s"${kernels.name}: inner products of $element match the dot distance") {
      val r = new Random(TestRun.seed)
      val (items, _) = stored(element, random(element, 5 * 40, r))
      val query = stored(element, random(element, 40, r))._2
      val distance = QueryDistance(Metric.Dot, element, query, kernels = kernels)
      val (distances, products) = (new Array[Float](5), new Array[Float](5))
      distance(items, 0, null, 5, distances)
      distance.products(items, 0, null, 5, products)
      assert(products.map(1.0f - _).toSeq == distances.toSeq)
    }
  }

  for (kernels <- implementations) {
    test(s"${kernels.name}: every half and bfloat16 is widened exactly") {
      val all = (0 until 65536).map(_.toShort).toArray
      val items = new ShortValues
      all.foreach(items.append)
      for (
        (element, widened) <- Seq(
          ElementType.Float16 -> all.map(Half.toFloat),
          ElementType.BFloat16 -> all.map(Half.ofBFloat16)
        )
      ) {
        // A query with a single one picks an element of each vector.
        val query = Array.fill(64)(0.0)
        for (at <- 0 until 64) {
          query.indices.foreach(i => query(i) = if (i == at) 1.0 else 0.0)
          val distance = QueryDistance(Metric.Dot, element, query, kernels = kernels)
          val out = new Array[Float](1024)
          distance.products(items, 0, null, 1024, out)
          (0 until 1024).foreach { v =>
            val others = (0 until 64).filter(_ != at).map(i => widened(v * 64 + i))
            val wanted = widened(v * 64 + at)
            // zero times infinity or NaN is NaN
            if (others.forall(x => !x.isNaN && !x.isInfinite)) {
              assert(out(v) == wanted || out(v).isNaN && wanted.isNaN)
            }
          }
        }
      }
    }

    test(s"${kernels.name}: floats and their bits have the same distances") {
      val r = new Random(TestRun.seed)
      for (dimension <- Seq(1, 5, 16, 100, 131)) {
        val floats = Array.fill(3 * dimension)(r.nextGaussian().toFloat)
        val bits = floats.map(java.lang.Float.floatToRawIntBits)
        val query = Array.fill(dimension)(r.nextGaussian().toFloat)
        val (a, b) = (new Array[Float](3), new Array[Float](3))
        kernels.l2(query, floats, 0, null, 3, a)
        kernels.l2Float32(query, bits, 0, null, 3, b)
        assert(a.toSeq == b.toSeq)
        kernels.dot(query, floats, 0, null, 3, a)
        kernels.dotFloat32(query, bits, 0, null, 3, b)
        assert(a.toSeq == b.toSeq)
      }
    }

    test(s"${kernels.name}: NaN stays NaN, and vectors of zeros have no angle") {
      for (element <- elements.filter(_.numBytes > 1)) {
        val (items, _) = stored(element, Array(0.0, 0.0, 1.0, Double.NaN, 1.0, 1.0))
        val out = new Array[Float](3)
        Seq(Metric.L2, Metric.Dot, Metric.Cosine).foreach { metric =>
          QueryDistance(metric, element, Array(1.0, 1.0), kernels = kernels)(
            items,
            0,
            null,
            3,
            out
          )
          assert(out(1).isNaN && !out(2).isNaN && out(0).isNaN == (metric == Metric.Cosine))
        }
      }
    }

    test(s"${kernels.name}: long vectors of bytes do not overflow") {
      val dimension = 100000
      for ((element, most) <- Seq(ElementType.UInt8 -> 255.0, ElementType.Int8 -> -128.0)) {
        val (items, _) = stored(element, Array.fill(dimension)(most))
        val out = new Array[Float](1)
        val query = Array.fill(dimension)(if (most > 0) 0.0 else 127.0)
        QueryDistance(Metric.L2, element, query, kernels = kernels)(items, 0, null, 1, out)
        assert(out(0) == (255L * 255L * dimension).toFloat)
        QueryDistance(Metric.Dot, element, Array.fill(dimension)(most), kernels = kernels)
          .products(items, 0, null, 1, out)
        assert(out(0) == (most * most * dimension).toFloat)
      }
    }
  }

  test("metrics have the names of the reference") {
    assert(Metric.parse("L2") == Metric.L2 && Metric.parse("euclidean") == Metric.L2)
    assert(Metric.all.forall(m => Metric.parse(m.name) == m))
    val e = intercept[InvalidRequestException](Metric.parse("manhattan"))
    assert(e.getMessage.contains("manhattan") && e.getMessage.contains("cosine"))
  }

  test("a metric or query that does not match the elements is rejected") {
    val e = intercept[UnsupportedFeatureException] {
      QueryDistance(Metric.Hamming, ElementType.Float32, Array(1.0))
    }
    assert(e.getMessage.contains("hamming") && e.getMessage.contains("float32"))
    for (bad <- Seq(0.5, -1.0, 256.0, Double.NaN))
      intercept[InvalidRequestException] {
        QueryDistance(Metric.L2, ElementType.UInt8, Array(bad))
      }
  }

  test("products of matrices are the inner products of their vectors") {
    import DistanceKernels.PANEL
    val r = new Random(TestRun.seed)
    for {
      kernels <- implementations
      dimension <- Seq(1, 2, 7, 16, 100)
      (numVectors, numPacked) <- Seq((1, 1), (3, 32), (4, 33), (9, 100))
    } {
      val numPanels = (numPacked + PANEL - 1) / PANEL
      val vectors = Array.fill((numVectors + 2) * dimension)(r.nextGaussian().toFloat)
      val packed = Array.fill(numPacked)(Array.fill(dimension)(r.nextGaussian().toFloat))
      val panels = new Array[Float](numPanels * dimension * PANEL)
      for (k <- 0 until numPacked; d <- 0 until dimension)
        panels((k / PANEL * dimension + d) * PANEL + k % PANEL) = packed(k)(d)
      val out = new Array[Float](numVectors * numPanels * PANEL)
      kernels.products(vectors, 2, numVectors, dimension, panels, numPanels, out)
      for (i <- 0 until numVectors; k <- 0 until numPacked) {
        val wanted =
          (0 until dimension).map(d => vectors((i + 2) * dimension + d).toDouble * packed(k)(d)).sum
        val found = out(i * numPanels * PANEL + k)
        assert(math.abs(found - wanted) < 1e-4, s"${kernels.name} $dimension $i $k")
      }
    }
  }

  test("the least score of each row is the first one of equal scores") {
    import DistanceKernels.PANEL
    val r = new Random(TestRun.seed)
    for (kernels <- implementations; numColumns <- Seq(1, 5, 31, 32, 33, 100, 256, 300)) {
      val numPanels = (numColumns + PANEL - 1) / PANEL
      val stride = numPanels * PANEL
      val numRows = 20
      // few different numbers, so that many scores are equal
      val products = Array.fill(numRows * stride)(r.nextInt(9).toFloat)
      (0 until stride).foreach(k => products(3 * stride + k) = Float.NaN)
      if (numColumns > 4) products(5 * stride + 4) = Float.NaN
      val offsets = Array.tabulate(stride) { k =>
        if (k < numColumns) r.nextInt(3).toFloat else Float.PositiveInfinity
      }
      for (factor <- Seq(-1f, -2f)) {
        val (nearest, scores) = (new Array[Int](numRows + 2), new Array[Float](numRows))
        kernels.least(products, numRows, numPanels, offsets, factor, nearest, 2, scores)
        (0 until numRows).foreach { i =>
          val all = (0 until numColumns).map(k => offsets(k) + factor * products(i * stride + k))
          val least = all.filterNot(_.isNaN).foldLeft(Float.PositiveInfinity)(math.min(_, _))
          withClue(s"${kernels.name}, $numColumns columns, row $i: ") {
            assert(scores(i) == least)
            assert(nearest(i + 2) == math.max(0, all.indexOf(least)))
          }
        }
      }
    }
  }

  test("inner products of floats and bytes") {
    val r = new Random(TestRun.seed)
    for (kernels <- implementations; dimension <- Seq(1, 3, 8, 15, 16, 33, 96, 100, 131)) {
      val query = Array.fill(dimension)(r.nextGaussian().toFloat)
      val bytes = Array.fill(9 * dimension)(r.nextInt(256).toByte)
      val out = new Array[Float](7)
      for (positions <- Seq(null, Array(0, 1, 3, 4, 2, 6, 5))) {
        kernels.dotFloatUInt8(query, bytes, 2, positions, 7, out)
        (0 until 7).foreach { i =>
          val v = 2 + (if (positions == null) i else positions(i))
          val wanted =
            (0 until dimension).map(d => query(d).toDouble * (bytes(v * dimension + d) & 0xff)).sum
          assert(math.abs(out(i) - wanted) < 1e-4 * 255 * dimension, s"${kernels.name} $dimension")
        }
      }
    }
  }

  test("the direction of a code is its cosine to the vector, times the length of the vector") {
    val r = new Random(TestRun.seed)
    for (
      kernels <- implementations; dimension <- Seq(1, 8, 15, 16, 40, 96, 131);
      most <- Seq(1, 15, 255)
    ) {
      // Halves of small numbers make products that are whole.
      val vector = Array.fill(dimension)(
        if (r.nextBoolean()) r.nextInt(8) / 2f else math.abs(r.nextGaussian().toFloat)
      )
      for (factor <- Seq(0f, 1f, 2f, 3.7f, 60f)) {
        val codes =
          vector.map(x => math.min(math.floor((factor * x).toDouble), most.toDouble) + 0.5)
        val product = codes.indices.map(i => codes(i) * vector(i)).sum
        val wanted = product / math.sqrt(codes.map(c => c * c).sum)
        val found = kernels.direction(vector, factor, most)
        assert(math.abs(found - wanted) <= 1e-4 * (1 + wanted), s"${kernels.name} $dimension")
      }
    }
  }

  test("squared distances to the entries of a codebook") {
    val r = new Random(TestRun.seed)
    for (kernels <- implementations; dimension <- Seq(1, 5, 8); numEntries <- Seq(16, 256, 7)) {
      val vector = Array.fill(3 + dimension)(r.nextGaussian().toFloat)
      val entries = Array.fill(2 + dimension * numEntries)(r.nextGaussian().toFloat)
      val out = Array.fill(4 + numEntries)(9f)
      kernels.squares(vector, 3, dimension, entries, 2, numEntries, out, 4)
      assert(out.take(4).forall(_ == 9f))
      (0 until numEntries).foreach { e =>
        val wanted = (0 until dimension).map { d =>
          math.pow(vector(3 + d).toDouble - entries(2 + d * numEntries + e), 2)
        }.sum
        assert(math.abs(out(4 + e) - wanted) < 1e-4 * (1 + wanted), s"${kernels.name} $dimension")
      }
    }
  }
}
