// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import io.github.pysparklance.core.Field

/** Finds fields by their path through structs. */
private[spark] object FieldPaths {

  /** Returns the field at a path, or `None` if it does not exist or is not nested in structs only.
    */
  def find(fields: IndexedSeq[Field], path: Seq[String]): Option[Field] =
    fields.find(_.name == path.head).flatMap { field =>
      if (path.length == 1) Some(field)
      else if (field.isLeaf) None
      else find(field.children, path.tail)
    }

  /** Prunes fields to the given paths, keeping their order. */
  def cut(fields: IndexedSeq[Field], paths: Seq[Seq[String]]): IndexedSeq[Field] =
    fields.flatMap { field =>
      val here = paths.filter(_.head == field.name)
      if (here.isEmpty) None
      else if (here.exists(_.length == 1)) Some(field)
      else Some(field.copy(children = cut(field.children, here.map(_.tail))))
    }
}
