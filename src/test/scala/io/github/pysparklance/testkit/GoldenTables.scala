// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** The tables under `src/test/resources/golden/tables`, which a script in `python/tests/golden`
  * wrote.
  */
object GoldenTables {
  private val root = Paths.get("src/test/resources/golden/tables")

  /** Returns a read-only table. */
  def path(name: String): Path = root.resolve(name)

  /** Returns a copy in `folder` that may be changed. */
  def copy(name: String, folder: Path): Path = {
    val from = path(name)
    val to = folder.resolve(name)
    Using.resource(Files.walk(from)) { files =>
      files.iterator.asScala.foreach(f => Files.copy(f, to.resolve(from.relativize(f).toString)))
    }
    to
  }
}
