// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.vector.distance.Kernels
import io.github.pysparklance.testkit.TestRun

class KMeansSuite extends AnyFunSuite {

  /** Vectors around some centers that are far from each other. */
  private def clusters(r: Random, centers: Int, perCenter: Int, dimension: Int): Array[Float] = {
    val its = Array.fill(centers * dimension)(r.nextGaussian() * 20)
    r.shuffle((0 until centers * perCenter).toList).toArray.flatMap { i =>
      val c = i % centers
      Array.tabulate(dimension)(d => (its(c * dimension + d) + r.nextGaussian()).toFloat)
    }
  }

  private def nearest(v: Array[Float], centroids: Array[Float], d: Int): (Int, Double) =
    (0 until centroids.length / d)
      .map(c => c -> v.indices.map(i => math.pow(v(i) - centroids(c * d + i).toDouble, 2)).sum)
      .minBy(_._2)

  test("the nearest centroid equals that of a linear search, even far from the origin") {
    val r = new Random(TestRun.seed)
    for (kernels <- Kernels.loops +: Kernels.vectorApi.toSeq; offset <- Seq(0f, 1000f)) {
      val d = 11
      val centroids = Array.fill(70 * d)(offset + r.nextGaussian().toFloat)
      val vectors = Array.fill(150 * d)(offset + r.nextGaussian().toFloat)
      val (members, distances) = (new Array[Int](150), new Array[Float](150))
      val packed = new PackedCentroids(d, centroids, isDot = false, kernels)
      packed.nearest(vectors, 0, 100, members, distances)
      packed.nearest(vectors, 100, 50, members, distances)
      (0 until 150).foreach { i =>
        val (_, wanted) = nearest(vectors.slice(i * d, (i + 1) * d), centroids, d)
        assert(math.abs(distances(i) - wanted) < 1e-3 * (1 + wanted))
        val c = members(i)
        val own = nearest(vectors.slice(i * d, (i + 1) * d), centroids.slice(c * d, c * d + d), d)
        assert(own._2 - wanted < 1e-3 * (1 + wanted))
      }
      val dots = new PackedCentroids(d, centroids, isDot = true, kernels)
      dots.nearest(vectors, 0, 150, members, distances)
      (0 until 150).foreach { i =>
        val products = (0 until 70).map { c =>
          (0 until d).map(j => vectors(i * d + j).toDouble * centroids(c * d + j)).sum
        }
        assert(math.abs(1 - distances(i) - products.max) < 1e-4 * math.abs(products.max) + 1e-3)
      }
    }
  }

  test("each of several distant clusters gets a centroid") {
    val r = new Random(TestRun.seed)
    val d = 8
    val data = clusters(r, 12, 100, d)
    val trained = new KMeans(d, isDot = false, 50, threads = 2).train(data, 40)
    assert(trained.length == 40 * d)
    val loss = new KMeans(d, isDot = false, 50).loss(data, trained)
    // The clusters have a variance of 1 in each dimension.
    assert(loss / 1200 < 1.1 * d)
  }

  test("many centroids are trained level by level, about as well as at once") {
    val r = new Random(TestRun.seed)
    val d = 6
    val data = Array.fill(20000 * d)(r.nextGaussian().toFloat)
    val trainer = new KMeans(d, isDot = false, 50, threads = 2)
    val many = trainer.train(data, 300)
    assert(many.length == 300 * d && many.forall(v => !v.isNaN && !v.isInfinite))
    assert(trainer.loss(data, many) < 1.1 * trainer.loss(data, trainer.train(data, 256)))
    assert(many.sameElements(trainer.train(data, 300)), "not deterministic")
    val (members, sizes) = (new Array[Int](20000), new Array[Int](300))
    new PackedCentroids(d, many, isDot = false).nearest(data, 0, 20000, members, null)
    members.foreach(c => sizes(c) += 1)
    assert(sizes.count(_ == 0) < 6 && sizes.max < 20 * 20000 / 300)
  }

  test("fewer vectors than centroids, and equal vectors") {
    val d = 3
    val few = Array(1f, 2f, 3f, 4f, 5f, 6f)
    for (isDot <- Seq(false, true)) {
      val centroids = new KMeans(d, isDot, 10).train(few, 5)
      assert(centroids.length == 15 && centroids.forall(v => !v.isNaN))
      val same = new KMeans(d, isDot, 10).train(Array.fill(1000 * d)(2f), 300)
      assert(same.length == 300 * d && same.forall(v => !v.isNaN))
      val zeros = new KMeans(d, isDot, 10).train(new Array[Float](10 * d), 2)
      assert(zeros.forall(_ == 0f))
    }
  }

  test("centroids for the inner product have length 1") {
    val r = new Random(TestRun.seed)
    val trained =
      new KMeans(5, isDot = true, 20).train(Array.fill(500 * 5)(r.nextGaussian().toFloat), 7)
    trained.grouped(5).foreach(c => assert(math.abs(c.map(v => v * v).sum - 1) < 1e-5))
  }

  test("shares are proportional to sizes, and add up") {
    val r = new Random(TestRun.seed)
    for (_ <- 0 until 200) {
      val sizes = Array.fill(1 + r.nextInt(16))(r.nextInt(50))
      if (sizes.sum > 0) {
        val quota = 1 + r.nextInt(100)
        val found = KMeans.shares(sizes, quota)
        assert(found.sum == math.min(quota, sizes.sum))
        assert(found.zip(sizes).forall { case (share, size) => share <= size })
      }
    }
  }

  test("bit vectors belong to the nearest centroid, and clusters are found") {
    val r = new Random(TestRun.seed)
    val d = 16
    val centers = Array.fill(4, d)(r.nextInt(256).toByte)
    val data = Array.fill(400) {
      val v = centers(r.nextInt(4)).clone()
      v(r.nextInt(d)) = (v(0) ^ 1 << r.nextInt(8)).toByte
      v
    }.flatten
    val trained = new KModes(d, 30).train(data, 12)
    val members = new Array[Int](400)
    val loss = KModes.assign(data, trained, d, members)
    assert(loss < 400 * 5)
    (0 until 400).foreach { i =>
      def distance(c: Int): Int = (0 until d)
        .map(j => Integer.bitCount((data(i * d + j) ^ trained(c * d + j)) & 0xff)).sum
      assert(distance(members(i)) == (0 until 12).map(distance).min)
    }
  }
}
