// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SharedSpark

class SessionShimSuite extends AnyFunSuite {

  test("later changes of a session's Hadoop configuration do not affect earlier copies") {
    val session = SharedSpark.newInterpreted()
    val ofContext = session.sparkContext.hadoopConfiguration
    session.conf.set("key.of.session", "before")
    ofContext.set("key.of.context", "before")
    try {
      val taken = SessionShim.hadoopConfiguration(session, Map("key.of.options" -> "option"))
      session.conf.set("key.of.session", "changed later")
      ofContext.set("key.of.context", "changed later")
      val keys = Seq("key.of.session", "key.of.context", "key.of.options")
      assert(keys.map(taken.get(_)) == Seq("before", "before", "option"))
    } finally ofContext.unset("key.of.context")
  }
}
