// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

class VersionSuite extends AnyFunSuite {

  test("the version equals version.txt") {
    assert(Version.current == Files.readString(Paths.get("version.txt")).trim)
  }

  test("the version has three numbers") {
    assert(Version.current.matches("""\d+\.\d+\.\d+([.-]\w+)*"""))
  }
}
