// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.PropertyChecks

class ManifestNameSuite extends AnyFunSuite with PropertyChecks {

  test("names of both schemes") {
    assert(NamingScheme.V1.fileName(12) == "12.manifest")
    assert(NamingScheme.V2.fileName(1) == "18446744073709551614.manifest")
    assert(NamingScheme.V2.fileName(Long.MaxValue) == "09223372036854775808.manifest")
  }

  test("names and versions agree") {
    forAll(Gen.choose(0L, Long.MaxValue), Gen.oneOf(NamingScheme.V1, NamingScheme.V2)) {
      (version, scheme) =>
        // A decimal number of 20 digits would need a version beyond the largest one.
        val name = scheme.fileName(version)
        assert(ManifestName.parse(name).contains(ManifestName.Version(version, scheme)))
    }
  }

  test("detached versions have the highest bit set") {
    assert(
      ManifestName.parse("d9223372036854775809.manifest")
        .contains(ManifestName.Detached(Long.MinValue + 1))
    )
    assert(ManifestName.parse("d12.manifest").isEmpty)
  }

  test("other files are not manifests") {
    Seq(
      "latest_version_hint.json",
      ".tmp_1.manifest",
      "18446744073709551614.manifest-7c3f",
      "x.manifest",
      "-1.manifest",
      ".manifest",
      "99999999999999999999.manifest",
      "1.manifest.bak"
    ).foreach(n => assert(ManifestName.parse(n).isEmpty, n))
  }
}
