// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import org.scalatest.funsuite.AnyFunSuite

class ArrayBenchmarkSuite extends AnyFunSuite {

  Seq("flat", "nulls", "binary", "dictionary", "indices", "list", "bitpacked").foreach { page =>
    test(s"the benchmark decodes every value of its page: $page") {
      val benchmark = new ArrayBenchmark
      benchmark.page = page
      benchmark.setup()
      assert(benchmark.decode().values.numItems == ArrayBenchmark.NumValues)
      assert(benchmark.decode().values.numItems == ArrayBenchmark.NumValues)
    }
  }
}
