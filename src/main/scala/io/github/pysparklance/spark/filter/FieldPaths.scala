// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import io.github.pysparklance.core.Field

/** Fields by their path through structs. */
private[spark] object FieldPaths {

  /** The field at a path; none when there is none, or when the path leads through anything but structs. */
  def find(fields: IndexedSeq[Field], path: Seq[String]): Option[Field] =
    fields.find(_.name == path.head).flatMap { field =>
      if (path.length == 1) Some(field)
      else if (field.isLeaf) None
      else find(field.children, path.tail)
    }

  /** The fields cut down to what lies at the paths, in the fields' order. */
  def cut(fields: IndexedSeq[Field], paths: Seq[Seq[String]]): IndexedSeq[Field] =
    fields.flatMap { field =>
      val here = paths.filter(_.head == field.name)
      if (here.isEmpty) None
      else if (here.exists(_.length == 1)) Some(field)
      else Some(field.copy(children = cut(field.children, here.map(_.tail))))
    }
}
