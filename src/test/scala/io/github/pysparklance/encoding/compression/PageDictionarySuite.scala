// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class PageDictionarySuite extends EncodingSuite {
  import ValuesGenerators.contents

  private def check(values: Values): Unit =
    PageDictionary.build(values).foreach { found =>
      val items = contents(found.items)
      assert(items == contents(values).distinct, "in the order of their first appearance")
      assert(found.indices.array.take(values.numItems).toSeq.map(items(_)) == contents(values))
    }

  test("indices and items round-trip the values") {
    forAllStrings(check)
    forAllValues(64)(check)
    forAllValues(128)(check)
  }

  test("a dictionary is built only for few distinct values") {
    val few = strings((0 until 5000).map(i => s"value ${i % 50}"): _*)
    assert(PageDictionary.build(few).get.items.numItems == 50)
    assert(PageDictionary.build(strings((0 until 5000).map(i => s"value $i"): _*)).isEmpty)
    assert(PageDictionary.build(strings((0 until 99).map(_ => "a"): _*)).isEmpty)
  }
}
