// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

/** Which version of a table is meant. Versions count on every branch for itself.
  *
  * Source: format page of the table, "Time travel".
  */
sealed trait Revision

object Revision {

  /** The newest version of the main branch. */
  case object Latest extends Revision

  /** A version of the main branch, or a detached one.
    *
    * @param version unsigned
    */
  final case class Version(version: Long) extends Revision

  /** The version that a tag names, on whatever branch it is. */
  final case class Tagged(tag: String) extends Revision

  /** The version of the tag of this name, else the newest one of the branch. */
  final case class Named(name: String) extends Revision

  /** A version of a branch, the newest one if none is given; `main` is the main branch. */
  final case class OnBranch(branch: String, version: Option[Long] = None) extends Revision

  /** What was there at a time: the newest version that is not younger, as `TIMESTAMP AS OF` has it in Spark. pylance
    * leaves out a version of exactly that time.
    *
    * @param branch none: the main branch
    */
  final case class AsOf(time: Instant, branch: Option[String] = None) extends Revision
}
