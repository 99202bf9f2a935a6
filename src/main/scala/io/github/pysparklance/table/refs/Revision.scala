// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

/** Selects a version of a table. Each branch numbers its versions independently.
  *
  * Source: format page of the table, "Time travel".
  */
sealed trait Revision

object Revision {

  /** The latest version of the main branch. */
  case object Latest extends Revision

  /** A version of the main branch, or a detached one.
    *
    * @param version unsigned
    */
  final case class Version(version: Long) extends Revision

  /** The version of a tag, on any branch. */
  final case class Tagged(tag: String) extends Revision

  /** The version of the tag with this name, or else the latest version of the branch. */
  final case class Named(name: String) extends Revision

  /** A version of a branch, or its latest version; `main` is the main branch. */
  final case class OnBranch(branch: String, version: Option[Long] = None) extends Revision

  /** The table at a time: the latest version at or before it, as in Spark's `TIMESTAMP AS OF`.
    * pylance excludes a version of exactly that time.
    *
    * @param branch `None` for the main branch
    */
  final case class AsOf(time: Instant, branch: Option[String] = None) extends Revision
}
