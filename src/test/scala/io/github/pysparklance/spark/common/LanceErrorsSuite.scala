// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.SparkErrors._

class LanceErrorsSuite extends AnyFunSuite {

  private val place =
    Place(Some("/t/data/x.lance"), Some("a.b"), Some(2), Some(81920L), Some(7L))

  private val ofPlace = Map(
    "path" -> "/t/data/x.lance",
    "column" -> "a.b",
    "page" -> "2",
    "offsetBytes" -> "81920",
    "version" -> "7"
  )

  private val cases = Seq(
    (new CorruptFileException("odd", place), "LANCE_CORRUPT_FILE", ofPlace),
    (
      new UnsupportedFeatureException("magic", place),
      "LANCE_UNSUPPORTED_FEATURE",
      ofPlace + ("feature" -> "magic")
    ),
    (new NotFoundException("tag x", place), "LANCE_NOT_FOUND", ofPlace + ("what" -> "tag x")),
    (new StorageException("full", place), "LANCE_STORAGE", ofPlace),
    (new InvalidRequestException("no"), "LANCE_INVALID_REQUEST", Map.empty[String, String]),
    (
      new CommitConflictException("late", 9, retryable = true),
      "LANCE_COMMIT_CONFLICT",
      Map("conflictingVersion" -> "9", "retryable" -> "true")
    ),
    (
      new CommitStateUnknownException("lost", Place(version = Some(-1L))),
      "LANCE_COMMIT_STATE_UNKNOWN",
      Map("version" -> "18446744073709551615")
    )
  )

  for ((ours, condition, parameters) <- cases)
    test(s"$condition has the fields, the message, and the cause of the error") {
      val e = LanceErrors.translate(ours)
      assert(e.condition == condition)
      assert(e.getMessageParameters.asScala == parameters)
      assert(e.getMessage == ours.getMessage)
      assert(e.getCause eq ours)
      assert(e.getSqlState == null && e.getQueryContext.isEmpty)
    }

  test("a path without a table has Spark's own condition") {
    val e = LanceErrors.pathNotFound("/t")
    assert(e.condition == "PATH_NOT_FOUND" && e.getMessage.contains("/t"))
  }

  test("a rejection is an invalid request") {
    val e = LanceErrors.rejected("not so")
    assert(e.condition == "LANCE_INVALID_REQUEST" && e.getMessage == "not so")
  }
}
