// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.scalatest.funsuite.AnyFunSuite

class LikePartsSuite extends AnyFunSuite {
  test("text between wildcards") {
    assert(LikeParts("a%b_c", '\\') == LikeParts(Some("a"), Seq("b", "c")))
    assert(LikeParts("%abc%", '\\') == LikeParts(Some(""), Seq("abc", "")))
    assert(LikeParts("abc", '\\') == LikeParts(Some("abc"), Nil))
    assert(LikeParts("", '\\') == LikeParts(Some(""), Nil))
    assert(LikeParts("a\\%b\\_\\\\%c", '\\') == LikeParts(Some("a%b_\\"), Seq("c")))
    assert(LikeParts("a/%b%c\\d", '/') == LikeParts(Some("a%b"), Seq("c\\d")))
  }

  test("patterns that Spark rejects have no parts") {
    Seq("abc\\", "a\\bc%", "\\").foreach(p => assert(LikeParts(p, '\\') == LikeParts(None, Nil)))
  }
}
