// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException

class RefNamesSuite extends AnyFunSuite {

  test("tag names") {
    Seq("v1", "release-2.0", "a_b", "Ünïcode", "1").foreach(RefNames.checkTag)
    Seq("", "a/b", ".a", "a.", "a..b", "a.lock", "a b", "../x", "a\\b", "a%2Fb").foreach { name =>
      val e = intercept[InvalidRequestException](RefNames.checkTag(name))
      assert(e.getMessage.contains(s"""the tag name "$name" is not valid"""))
    }
  }

  test("branch names") {
    Seq("dev", "team/fix", "a/b/c-1.x", "Ünïcode").foreach(RefNames.checkBranch)
    Seq(
      "",
      "/a",
      "a/",
      "a//b",
      "../x",
      "a/../b",
      "a/./b",
      "a..b",
      "a.lock",
      "a b",
      "a\\b",
      "main",
      "a%2Fb"
    )
      .foreach { name =>
        val e = intercept[InvalidRequestException](RefNames.checkBranch(name))
        assert(e.getMessage.contains(s"""the branch name "$name" is not valid"""))
      }
  }
}
