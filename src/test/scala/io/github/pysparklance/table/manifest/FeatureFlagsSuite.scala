// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}

class FeatureFlagsSuite extends AnyFunSuite {
  import FeatureFlags._

  private val readersKnow = Seq(0, 1, 2, 3, 4, 5, 7, 8, 10, 11)

  test("readers reject unknown flags by name") {
    (0 until 64).foreach { bit =>
      val flags = FeatureFlags(1L << bit, 1L << bit)
      if (readersKnow.contains(bit) && bit != 5) flags.checkReadable()
      else {
        val e = intercept[UnsupportedFeatureException](flags.checkReadable())
        assert(e.getMessage.contains("reader feature flag"), bit)
        assert(e.getMessage.contains(java.lang.Long.toUnsignedString(1L << bit)), bit)
      }
    }
    val e = intercept[UnsupportedFeatureException](FeatureFlags(1L << 6, 0).checkReadable())
    assert(e.getMessage.contains("overlay files"))
  }

  test("readers ignore writer flags, except flags that come in pairs") {
    FeatureFlags(0, 1L << 40).checkReadable()
    Seq(mixedFileVersions, taggedFragmentReuse).foreach { flag =>
      intercept[CorruptFileException](FeatureFlags(flag, 0).checkReadable())
      intercept[CorruptFileException](FeatureFlags(0, flag).checkReadable())
      FeatureFlags(flag, flag).checkReadable()
    }
    intercept[CorruptFileException](FeatureFlags(0, 1L << 14).checkReadable())
  }

  test("writers reject unknown flags by name") {
    FeatureFlags(0, deletionFiles | stableRowIds | config | basePaths | spilledLineage)
      .checkWritable()
    val e = intercept[UnsupportedFeatureException](FeatureFlags(0, 1L << 17).checkWritable())
    assert(e.getMessage.contains("writer feature flag 131072 (clustering)"))
    val f = intercept[UnsupportedFeatureException](FeatureFlags(0, 1L << 63).checkWritable())
    assert(f.getMessage.contains("9223372036854775808 (unknown to this release)"))
  }
}
