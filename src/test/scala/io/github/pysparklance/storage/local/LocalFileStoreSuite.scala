// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.FileStoreSuite

class LocalFileStoreSuite extends FileStoreSuite {
  def store: FileStore = LocalFileStore
  def path(name: String): String = folder.resolve(name).toString
}
