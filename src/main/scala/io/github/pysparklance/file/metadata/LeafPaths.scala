// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import io.github.pysparklance.core.Field

/** The fields that own columns of a file, each with the fields above it. */
private[file] object LeafPaths {

  /** For each leaf the fields from `field` down to it, both included; in the order of the columns. */
  def of(field: Field): IndexedSeq[IndexedSeq[Field]] =
    if (field.isLeaf) IndexedSeq(IndexedSeq(field))
    else field.children.flatMap(of).map(field +: _)

  /** The dotted name, for errors. */
  def name(path: IndexedSeq[Field]): String = path.map(_.name).mkString(".")
}
