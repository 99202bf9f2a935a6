// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.TestRun

/** Kills queries that read a Lance table and write another one, and restarts them. */
class SourceKillSuite extends AnyFunSuite with SourceKillTests {

  test("killed at random points and restarted") {
    killAndRestart(TestRun.kills(1, 200), KilledStream.ofTable)
  }
}
