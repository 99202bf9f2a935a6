// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CommitConflictException, CommitStateUnknownException}

class VisibleFilesSuite extends AnyFunSuite {
  private def isRemoved(commit: Option[() => Unit]): Boolean = {
    val files = new VisibleFiles
    commit.foreach(c => intercept[Throwable](files.by { c(); throw new Error("after it") }))
    var removed = false
    files.orElse { removed = true }
    removed
  }

  test("files go when no commit began, or when it failed for certain; else they stay") {
    assert(isRemoved(None))
    assert(isRemoved(Some(() => throw new IOException("refused"))))
    assert(isRemoved(Some(() => throw new CommitConflictException("lost", 2, retryable = true))))
    assert(!isRemoved(Some(() => throw new CommitStateUnknownException("who knows"))))
    assert(!isRemoved(Some(() => throw new IllegalStateException("anything"))))
    assert(!isRemoved(Some(() => ())))
  }
}
