// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}

class VectorQuerySuite extends AnyFunSuite {

  private def rejected(text: String)(query: => Any): Assertion =
    assert(intercept[InvalidRequestException](query).getMessage.contains(text))

  test("parameters that make no sense are rejected by name") {
    rejected("k must be at least 1, not 0")(VectorQuery(k = 0))
    rejected("nprobes must be")(VectorQuery(nprobes = Some(0)))
    rejected("refine_factor must be")(VectorQuery(refineFactor = Some(0)))
    rejected("ef must be")(VectorQuery(ef = Some(-1)))
    rejected("minimum_nprobes 5 is greater than maximum_nprobes 4")(
      VectorQuery(minimumNprobes = Some(5), maximumNprobes = Some(4))
    )
    rejected("search_effort")(VectorQuery(searchEffort = Some(1.5)))
    rejected("search_effort")(VectorQuery(searchEffort = Some(Double.NaN)))
    rejected("distance_range")(VectorQuery(upperBound = Some(Float.NaN)))
    rejected("candidates")(VectorQuery(k = 1 << 20, refineFactor = Some(1 << 20)))
    rejected("ef 5 is less than k * refine_factor, which is 20")(
      VectorQuery(k = 10, refineFactor = Some(2), ef = Some(5)).graphCandidates
    )
    rejected("unknown approx_mode 'slow'")(ApproxMode.parse("slow"))
  }

  test("elements that overflow the type of the column are rejected") {
    rejected("element 1 of the query vector is 1.0E300, which is out of the range of the column's")(
      QueryVector.of(ElementType.Float32, Array(1, 1e300))
    )
    rejected("element 0")(QueryVector.of(ElementType.Float16, Array(70000, 1)))
    assert(QueryVector.of(ElementType.Float64, Array(1e300)).values.head == 1e300)
  }

  test(
    "nprobes is a minimum and a maximum; explicit values take precedence, and an effort replaces it"
  ) {
    val fixed = VectorQuery(nprobes = Some(7))
    assert(fixed.leastProbes == 7 && fixed.mostProbes.contains(7))
    val both = VectorQuery(nprobes = Some(7), minimumNprobes = Some(2))
    assert(both.leastProbes == 2 && both.mostProbes.contains(7))
    val effort = VectorQuery(nprobes = Some(7), searchEffort = Some(0.5))
    assert(effort.leastProbes == 1 && effort.mostProbes.isEmpty)
  }

  test("graph searches have 1.5 times the candidates by default") {
    assert(VectorQuery(k = 10).graphCandidates == 15)
    assert(VectorQuery(k = 5, refineFactor = Some(3)).graphCandidates == 22)
    assert(VectorQuery(k = 10, ef = Some(60)).graphCandidates == 60)
  }

  test("bounds include the lower bound, and exclude the upper bound and NaN") {
    val query = VectorQuery(lowerBound = Some(1f), upperBound = Some(2f))
    assert(Seq(0.9f, 1f, 1.9f, 2f, Float.NaN).map(query.isInRange) ==
      Seq(false, true, true, false, false))
    val scaled = query.onScale(DistanceScale.ofCodes(Metric.Cosine))
    assert(scaled.lowerBound.contains(2f) && scaled.upperBound.contains(4f))
    assert(query.onScale(DistanceScale.ofCodes(Metric.L2)) == query)
  }

  test("query vectors accept the values of the column") {
    rejected("element 1 of the query vector is NaN")(
      QueryVector.of(ElementType.Float32, Array(1.0, Double.NaN))
    )
    rejected("is Infinity")(QueryVector.of(ElementType.Float64, Array(Double.PositiveInfinity)))
    rejected("integers from 0 to 255")(QueryVector.of(ElementType.UInt8, Array(256.0)))
    rejected("integers from -128 to 127")(QueryVector.of(ElementType.Int8, Array(0.5)))
    rejected("without elements")(QueryVector.of(ElementType.Float32, Array.emptyDoubleArray))
    assert(QueryVector.of(ElementType.UInt8, Array(255.0)).bytes.toSeq == Seq(-1.toByte))
    assert(QueryVector.of(ElementType.Float32, Array(0.1)).values.head == 0.1f.toDouble)
    val unit = QueryVector.of(ElementType.Float32, Array(3.0, 4.0)).normalized
    assert(unit.floats.toSeq == Seq(0.6f, 0.8f))
    assert(QueryVector.of(ElementType.Float32, Array(0.0)).normalized.floats.toSeq == Seq(0f))
  }
}
