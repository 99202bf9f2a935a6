// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import io.github.pysparklance.core.Field

/** The leaf fields that own columns of a file, each with its ancestors. */
private[file] object LeafPaths {

  /** Returns for each leaf the path from `field` down to it, both included, in column order. */
  def of(field: Field): IndexedSeq[IndexedSeq[Field]] =
    if (field.isLeaf) IndexedSeq(IndexedSeq(field))
    else field.children.flatMap(of).map(field +: _)

  /** Returns the dotted name, for error messages. */
  def name(path: IndexedSeq[Field]): String = path.map(_.name).mkString(".")
}
