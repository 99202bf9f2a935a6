// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.cache

import org.scalatest.funsuite.AnyFunSuite

class IndexCacheSuite extends AnyFunSuite {
  final private class Text(val text: String, val sizeInBytes: Long) extends IndexCache.Part

  test("drops the least recently used parts, and counts hits") {
    val cache = new IndexCache(100)
    val meter = new IndexMeter
    def get(key: String, bytes: Long): String = cache.get(key, meter)(new Text(key, bytes)).text
    assert(get("a", 40) == "a" && get("b", 40) == "b" && cache.numBytes == 80)
    assert(get("a", 40) == "a" && meter.numHits == 1 && meter.numMisses == 2)
    get("c", 40): Unit
    assert(cache.size == 2 && cache.numBytes == 80)
    assert(cache.find[Text]("b").isEmpty && cache.find[Text]("a").isDefined)
    get("a", 40): Unit
    assert(meter.numHits == 2 && meter.numMisses == 3)
    get("large", 1000): Unit
    assert(cache.size == 0 && cache.numBytes == 0)
    get("a", 40): Unit
    cache.clear()
    assert(cache.size == 0 && cache.numBytes == 0)
  }

  test("replacing a part counts it once") {
    val cache = new IndexCache(100)
    cache.put("a", new Text("a", 30))
    cache.put("a", new Text("a", 50))
    assert(cache.numBytes == 50 && cache.size == 1)
  }
}
