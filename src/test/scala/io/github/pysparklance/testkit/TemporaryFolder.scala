// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path}

import org.scalatest.{BeforeAndAfterEach, Suite}

import io.github.pysparklance.storage.local.LocalFileStore

/** Provides each test with a separate empty folder, which is removed afterwards. */
trait TemporaryFolder extends BeforeAndAfterEach { this: Suite =>
  private var current: Path = _

  /** The folder of the running test. */
  def folder: Path = current

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    current = Files.createTempDirectory("pyspark-lance")
  }

  override protected def afterEach(): Unit = {
    LocalFileStore.deleteFolder(current.toString)
    super.afterEach()
  }
}
